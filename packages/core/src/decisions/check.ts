import { describeDecided } from "./describe.ts";
import {
  explainBeyond,
  explainMisfit,
  findBefore,
  foldState,
  type Ground,
  nameWay,
  type State,
} from "./fold.ts";
import { isFresh, isJudgement, listStanding, listUndone } from "./history.ts";
import type { Decided, Decision, ImportedAction, Judgement, Revision } from "./types.ts";

/**
 * What becomes of something that a person wants to say.
 *
 * new: it is appended. already: the decision of this id says just that and is in force, so that nothing is appended.
 * refused: it can't be said of the newest version, for the reason given.
 */
export type Check =
  | { outcome: "new" }
  | { outcome: "already"; decision_id: string }
  | { outcome: "refused"; reason: string };

const refuse = (reason: string): Check => ({ outcome: "refused", reason });

/**
 * Looks whether something can be said of the newest version.
 *
 * @param history  The selection's decisions in order of `version`, all of them.
 */
export function checkDecided(ground: Ground, history: readonly Decision[], decided: Decided): Check {
  return isJudgement(decided)
    ? checkJudgement(foldState(ground, history), ground, decided)
    : checkRevision(ground, history, decided);
}

function checkJudgement(state: State, ground: Ground, judgement: Judgement): Check {
  const before = findSame(state, judgement);
  if (before !== null) return { outcome: "already", decision_id: before };
  const reason = explainMisfit(state, ground, judgement);
  return reason === null ? { outcome: "new" } : refuse(reason);
}

/** The decision in force that says the very same; null without any. */
function findSame(state: State, judgement: Judgement): string | null {
  const decision = findLike(state, judgement);
  if (decision === null || decision.kind !== judgement.kind || decision.frame !== judgement.frame)
    return null;
  const isSame = Object.entries(judgement).every(
    ([name, value]) => (decision as Record<string, unknown>)[name] === value,
  );
  return isSame ? decision.decision_id : null;
}

function findLike(state: State, judgement: Judgement) {
  const { frame } = judgement;
  switch (judgement.kind) {
    case "keep":
    case "add":
      return state.key_frames.get(frame)?.kept_by ?? null;
    case "drop":
      return state.key_frames.has(frame) ? null : (state.left_out.get(frame)?.decision ?? null);
    case "shift":
      return state.key_frames.has(frame) ? null : (state.key_frames.get(judgement.to_frame)?.kept_by ?? null);
    case "note":
      return state.notes.get(frame)?.decision ?? null;
    default:
      return state.actions.get(nameWay(judgement.from_frame, frame))?.decision ?? null;
  }
}

function checkRevision(ground: Ground, history: readonly Decision[], revision: Revision): Check {
  if (revision.kind === "import") return checkImport(ground, history, revision);
  if (revision.kind === "return") {
    const { to_version } = revision;
    if (!Number.isInteger(to_version) || to_version < 0 || to_version > history.length) {
      return refuse(`There is no version ${to_version}: the newest is ${history.length}.`);
    }
    const last = history.at(-1);
    if (last?.kind === "return" && last.to_version === to_version) {
      return { outcome: "already", decision_id: last.decision_id };
    }
    return to_version === history.length
      ? refuse(`Version ${to_version} is the newest one: there is nothing to return to.`)
      : { outcome: "new" };
  }
  const target = history.find(({ decision_id }) => decision_id === revision.undoes);
  if (target === undefined) return refuse("What is to be taken back is not in this selection's history.");
  const undone = listUndone(history);
  if (revision.kind === "undo") {
    if (!isJudgement(target) && !isFresh(target)) return refuse("An undo is taken back by a redo.");
    const undo = undone.get(target.decision_id);
    if (undo) return { outcome: "already", decision_id: undo.decision_id };
    return checkBefore(history, target) ?? checkRest(ground, history, revision);
  }
  if (target.kind !== "undo") return refuse("A redo takes back an undo, and this is none.");
  if (undone.get(target.undoes)?.decision_id !== target.decision_id) {
    const redo = history.findLast((one) => one.kind === "redo" && one.undoes === target.decision_id);
    return redo
      ? { outcome: "already", decision_id: redo.decision_id }
      : refuse("That undo is not in force any more.");
  }
  const restored = history.find(({ decision_id }) => decision_id === target.undoes) ?? target;
  return checkBefore(history, restored) ?? checkRest(ground, history, revision);
}

/** What lies before a return or an import that stands can't be changed under it; null where none does. */
function checkBefore(history: readonly Decision[], { version }: Decision): Check | null {
  const fresh = listStanding(history).findLast((one) => isFresh(one) && one.version > version);
  if (!fresh) return null;
  return refuse(`${fresh.author} ${describeDecided(fresh)} after that. Take that back first.`);
}

function checkImport(
  ground: Ground,
  history: readonly Decision[],
  { frames, actions = [] }: Extract<Revision, { kind: "import" }>,
): Check {
  const count = ground.time_secs.length;
  if (frames.length === 0) return refuse("A selection has at least one key-frame.");
  const beyond = frames.find((frame) => !Number.isInteger(frame) || frame < 0 || frame >= count);
  if (beyond !== undefined) return refuse(explainBeyond(beyond, count));
  if (frames.some((frame, at) => frame <= (frames[at - 1] ?? -1))) {
    return refuse("Key-frames are taken in rising order, each once.");
  }
  const state = foldState(ground, history);
  const now = [...state.key_frames.keys()].sort((a, b) => a - b);
  const isSaid = ({ frame, action }: ImportedAction) =>
    state.actions.get(nameWay(findBefore(frames, frame) ?? -1, frame))?.action.action === action;
  return now.length === frames.length &&
    now.every((frame, at) => frame === frames[at]) &&
    actions.every(isSaid)
    ? refuse("These are the key-frames of the newest version already.")
    : { outcome: "new" };
}

/** Something may only be taken back or brought back where everything else still fits. */
function checkRest(ground: Ground, history: readonly Decision[], revision: Revision): Check {
  const known = new Set(foldState(ground, history).misfits.map(({ decision_id }) => decision_id));
  const draft = {
    ...revision,
    decision_id: "",
    clip_id: ground.selection.clip_id,
    settings_hash: ground.selection.settings_hash,
    version: history.length + 1,
    author: "",
    made_secs: 0,
  } as Decision;
  const broken = foldState(ground, [...history, draft]).misfits.find(
    ({ decision_id }) => !known.has(decision_id),
  );
  if (!broken) return { outcome: "new" };
  return refuse(
    `${broken.author} ${describeDecided(broken)}, which doesn't fit any more without it. Take that back first.`,
  );
}
