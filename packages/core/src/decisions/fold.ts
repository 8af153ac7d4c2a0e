import type { KeyFrameSelection } from "../keyframes/types.ts";
import { type Imported, isFresh, isJudgement, type Judged, listStanding, type Returned } from "./history.ts";
import type {
  Decision,
  ImportedAction,
  Judgement,
  KeyFrameNote,
  LeftFrame,
  PersonAction,
  Said,
  SelectionVersion,
} from "./types.ts";

/** What is folded over: the extractor's choice, and the times of all frames of the clip. */
export type Ground = {
  selection: Pick<KeyFrameSelection, "clip_id" | "settings_hash" | "decisions">;
  /** Seconds from the clip's start by ordinal, as in the sample table. */
  time_secs: ArrayLike<number>;
};

type Slot = { shifted_from: number | null; by: Said | null; kept_by: Judged | null };

/** A version on its way. All maps are by ordinal, but `actions` by both ends of the way. */
export type State = {
  imported: Imported | null;
  key_frames: Map<number, Slot>;
  left_out: Map<number, { shifted_to: number | null; decision: Judged | Imported }>;
  actions: Map<string, { action: PersonAction; decision: Judged | Imported }>;
  notes: Map<number, { note: KeyFrameNote; decision: Judged }>;
  in_force: Judged[];
  misfits: Judged[];
};

export const nameWay = (from_frame: number, frame: number) => `${from_frame} ${frame}`;

/** The key-frame before a place; null when it would be the first. */
export function findBefore(key_frames: Iterable<number>, frame: number): number | null {
  let before: number | null = null;
  for (const other of key_frames) if (other < frame && other > (before ?? -1)) before = other;
  return before;
}

/**
 * The state after the first decisions of a history: of those that stand, the last return or import sets it to the
 * version or the key-frames that it names, and the judgements after that one are applied in order.
 */
export function foldState(ground: Ground, history: readonly Decision[]): State {
  const standing = listStanding(history);
  const fresh = standing.findLast(isFresh);
  const state = beginAt(ground, history, fresh);
  for (const decision of standing) {
    if (!isJudgement(decision) || (fresh && decision.version < fresh.version)) continue;
    if (explainMisfit(state, ground, decision) !== null) state.misfits.push(decision);
    else apply(state, ground, decision);
  }
  return state;
}

function beginAt(
  ground: Ground,
  history: readonly Decision[],
  fresh: Returned | Imported | undefined,
): State {
  if (fresh === undefined) return begin(ground);
  if (fresh.kind === "import") {
    const state = takeIn(ground, fresh);
    if (fresh.actions === undefined) return state;
    keepSaid(state, foldState(ground, history.slice(0, fresh.version - 1)));
    takeInActions(state, fresh, fresh.actions);
    return state;
  }
  return foldState(ground, history.slice(0, Math.min(fresh.to_version, fresh.version - 1)));
}

/** The key-frames of a file: what the extractor kept and the file has not is left out by whoever took it in. */
function takeIn(ground: Ground, imported: Imported): State {
  const { decision_id, author, made_secs } = imported;
  const by: Said = { decision_id, author, made_secs };
  const state = begin(ground);
  const frames = new Set(imported.frames);
  for (const frame of state.key_frames.keys()) {
    if (!frames.has(frame)) state.left_out.set(frame, { shifted_to: null, decision: imported });
  }
  state.imported = imported;
  state.key_frames = new Map(
    imported.frames.map((frame) => [
      frame,
      state.key_frames.get(frame) ?? { shifted_from: null, by, kept_by: null },
    ]),
  );
  return state;
}

/** What was said of ways and key-frames that an import left as they were. */
function keepSaid(state: State, before: State): void {
  const frames = [...state.key_frames.keys()];
  const ways = new Set(frames.map((frame, at) => nameWay(frames[at - 1] ?? -1, frame)));
  state.actions = new Map([...before.actions].filter(([way]) => ways.has(way)));
  state.notes = new Map([...before.notes].filter(([frame]) => state.key_frames.has(frame)));
  const kept = new Set<unknown>(
    [...state.actions.values(), ...state.notes.values()].map((one) => one.decision),
  );
  state.in_force = before.in_force.filter((decision) => kept.has(decision));
}

/** What a file says that a person called the ways to its key-frames. */
function takeInActions(state: State, imported: Imported, actions: readonly ImportedAction[]): void {
  const { decision_id, author, made_secs, source } = imported;
  const by: Said = { decision_id, author, made_secs };
  for (const { frame, action } of actions) {
    const from_frame = findBefore(state.key_frames.keys(), frame);
    if (from_frame === null) continue;
    const way = nameWay(from_frame, frame);
    if (state.actions.get(way)?.action.action === action) continue;
    const said: PersonAction = {
      verdict: "wrong",
      action,
      said_action: null,
      said_by: source,
      from_frame,
      by,
    };
    state.actions.set(way, { action: said, decision: imported });
  }
}

function begin({ selection }: Ground): State {
  const kept = selection.decisions.filter((decision) => decision.kept);
  return {
    imported: null,
    key_frames: new Map(kept.map(({ frame }) => [frame, { shifted_from: null, by: null, kept_by: null }])),
    left_out: new Map(),
    actions: new Map(),
    notes: new Map(),
    in_force: [],
    misfits: [],
  };
}

/** Why a judgement can't be made of a state, in a sentence for a person; null when it can. */
export function explainMisfit(state: State, { time_secs }: Ground, judgement: Judgement): string | null {
  const { key_frames } = state;
  const isInClip = (frame: number) => Number.isInteger(frame) && frame >= 0 && frame < time_secs.length;
  const { frame } = judgement;
  if (!isInClip(frame)) return explainBeyond(frame, time_secs.length);
  if (judgement.kind === "add") {
    return key_frames.has(frame) ? `Frame ${frame} is a key-frame already.` : null;
  }
  if (!key_frames.has(frame)) {
    if (judgement.kind === "note" && state.left_out.has(frame)) return null;
    return `Frame ${frame} is not a key-frame of this version.`;
  }
  switch (judgement.kind) {
    case "drop":
      return key_frames.size === 1
        ? "The last key-frame can't be dropped: a selection has at least one."
        : null;
    case "shift": {
      const { to_frame } = judgement;
      if (!isInClip(to_frame)) return explainBeyond(to_frame, time_secs.length);
      return key_frames.has(to_frame) ? `Frame ${to_frame} is a key-frame already.` : null;
    }
    case "action_right":
    case "action_wrong": {
      const before = findBefore(key_frames.keys(), frame);
      if (before === null) return `Frame ${frame} is the first key-frame: no way leads to it.`;
      if (before !== judgement.from_frame) {
        return `The way to frame ${frame} now begins at frame ${before}, not at frame ${judgement.from_frame}.`;
      }
      return null;
    }
    default:
      return null;
  }
}

export function explainBeyond(frame: number, count: number): string {
  return `There is no frame ${frame}: this clip has the frames 0 to ${count - 1}.`;
}

function apply(state: State, { selection }: Ground, decision: Judged): void {
  const { key_frames, left_out, notes } = state;
  const { frame, decision_id, author, made_secs } = decision;
  const by: Said = { decision_id, author, made_secs };
  const isExtractors = (ordinal: number) =>
    selection.decisions.some((one) => one.kept && one.frame === ordinal);
  state.in_force.push(decision);
  switch (decision.kind) {
    case "keep": {
      const slot = key_frames.get(frame);
      key_frames.set(frame, { shifted_from: slot?.shifted_from ?? null, by, kept_by: decision });
      return;
    }
    case "add":
      key_frames.set(frame, { shifted_from: null, by, kept_by: decision });
      left_out.delete(frame);
      return;
    case "drop": {
      const origin = key_frames.get(frame)?.shifted_from ?? null;
      key_frames.delete(frame);
      if (isExtractors(frame)) left_out.set(frame, { shifted_to: null, decision });
      if (origin !== null && left_out.get(origin)?.shifted_to === frame) {
        left_out.set(origin, { shifted_to: null, decision });
      }
      return;
    }
    case "shift": {
      const { to_frame } = decision;
      const origin = key_frames.get(frame)?.shifted_from ?? frame;
      key_frames.delete(frame);
      key_frames.set(to_frame, {
        shifted_from: origin === to_frame ? null : origin,
        by,
        kept_by: decision,
      });
      if (isExtractors(frame)) left_out.set(frame, { shifted_to: to_frame, decision });
      if (left_out.get(origin)?.shifted_to === frame)
        left_out.set(origin, { shifted_to: to_frame, decision });
      left_out.delete(to_frame);
      const note = notes.get(frame);
      if (note) {
        notes.delete(frame);
        notes.set(to_frame, note);
      }
      return;
    }
    case "action_right":
    case "action_wrong": {
      const { from_frame, said_by, said_action } = decision;
      const action: PersonAction = {
        verdict: decision.kind === "action_right" ? "right" : "wrong",
        action: decision.kind === "action_right" ? decision.said_action : decision.right_action,
        said_action,
        said_by,
        from_frame,
        by,
      };
      state.actions.set(nameWay(from_frame, frame), { action, decision });
      return;
    }
    case "note":
      if (decision.note === "") notes.delete(frame);
      else notes.set(frame, { note: { text: decision.note, by }, decision });
  }
}

/**
 * The key-frames of one version of a selection.
 *
 * Pure and total: a decision that doesn't fit (any more) changes nothing and is listed under `misfits`.
 *
 * @param ground  The extractor's selection and the times of the clip's frames.
 * @param history  The selection's decisions in order of `version`, all of them.
 * @param version  Which one; by default the newest. 0 is the extractor's own.
 * @throws RangeError when there is no such version.
 */
export function foldVersion(
  ground: Ground,
  history: readonly Decision[],
  version = history.length,
): SelectionVersion {
  if (!Number.isInteger(version) || version < 0 || version > history.length) {
    throw new RangeError(`There is no version ${version}: the newest is ${history.length}.`);
  }
  const state = foldState(ground, history.slice(0, version));
  const { clip_id, settings_hash } = ground.selection;
  const extractors = new Map(ground.selection.decisions.map((one) => [one.frame, one]));
  const getTime = (frame: number) => ground.time_secs[frame] ?? extractors.get(frame)?.time_secs ?? 0;
  const frames = [...state.key_frames.keys()].sort((a, b) => a - b);
  return {
    clip_id,
    settings_hash,
    version,
    imported: state.imported && nameImport(state.imported),
    key_frames: frames.map((frame, index) => {
      const slot = state.key_frames.get(frame);
      const before = frames[index - 1];
      return {
        frame,
        time_secs: getTime(frame),
        origin: extractors.get(frame)?.kept === true ? "extractor" : "person",
        shifted_from: slot?.shifted_from ?? null,
        by: slot?.by ?? null,
        action: before === undefined ? null : (state.actions.get(nameWay(before, frame))?.action ?? null),
        note: state.notes.get(frame)?.note ?? null,
      };
    }),
    left_out: [...state.left_out]
      .sort(([a], [b]) => a - b)
      .map(([frame, { shifted_to, decision }]): LeftFrame => {
        const { decision_id, author, made_secs } = decision;
        return {
          frame,
          time_secs: getTime(frame),
          shifted_to,
          by: { decision_id, author, made_secs },
          note: state.notes.get(frame)?.note ?? null,
        };
      }),
    in_force: state.in_force,
    misfits: state.misfits,
  };
}

function nameImport({ decision_id, author, made_secs, source }: Imported): SelectionVersion["imported"] {
  return { decision_id, author, made_secs, source };
}
