import { isDeepStrictEqual } from "node:util";
import {
  checkDecided,
  type Decided,
  type Decision,
  foldVersion,
  type Ground,
  type SelectionVersion,
} from "@sightline/core/decisions";
import type { KeyFrameSelection, KeyFrameSettings } from "@sightline/core/keyframes";
import type { Motion } from "@sightline/core/motion";
import { TRPCError } from "@trpc/server";
import { type Bell, createBell } from "../../live/follow.ts";
import type { DecisionStore } from "./store.ts";

/** Who signs while nobody gave a name. */
export const NAMELESS = "owner";

/** What a browser sends: an id that it made, and what is said of which selection. */
export type Sent = { decision_id: string; clip_id: string; settings_hash: string; decided: Decided };

/** All that people decided of a clip's key-frames. */
export type ClipDecisions = {
  /** Of all selections, each one's in order of `version`. */
  decisions: Decision[];
  /** The selections that were decided of; `settings` null where the selection itself is not stored any more. */
  selections: { settings_hash: string; settings: KeyFrameSettings | null }[];
};

/** What people say of key-frames: a history of each selection that only grows. */
export type Decisions = {
  /**
   * Appends what a person says of the newest version, and signs it. Two tabs that speak at once are heard one after the
   * other; the second one's word is looked at anew, after the first one's.
   *
   * @returns The decision; where the same was sent or said before, that one, and nothing is appended.
   * @throws TRPCError NOT_FOUND without such a clip, PRECONDITION_FAILED without such a selection, CONFLICT where it
   *   doesn't fit the newest version, with the reason.
   */
  decide(sent: Sent): Decision;
  /** The same of several selections: all of it is said, or none. */
  decideAll(all: readonly Sent[]): Decision[];
  listOfClip(clip_id: string): ClipDecisions;
  /** The history of one selection, in order of version; empty where nobody decided anything. */
  list(clip_id: string, settings_hash: string): Decision[];
  /** @throws TRPCError PRECONDITION_FAILED without such a selection, NOT_FOUND without such a version. */
  getVersion(clip_id: string, settings_hash: string, version?: number): SelectionVersion;
  /**
   * What geometry says of the way to each key-frame of a version, in order; null for the first, and where the pictures
   * can't be compared. Null as a whole when what was seen of the clip is gone.
   */
  lookAtMotions(
    clip_id: string,
    settings_hash: string,
    frames: readonly number[],
    signal: AbortSignal,
  ): Promise<(Motion | null)[] | null>;
  /** The name that is signed with, and whether a person gave it. */
  getSignature(): { name: string; is_given: boolean };
  setSignature(name: string): void;
  /** Rings at every decision. */
  bell: Bell;
};

export type DecisionParts = {
  store: DecisionStore;
  /** Throws without such a clip. */
  listTimes(clip_id: string): ArrayLike<number>;
  /** Null where it is not stored; throws without such a clip. */
  getSelection(clip_id: string, settings_hash: string): KeyFrameSelection | null;
  /** Geometry's word on the ways between the kept ones of these frames. */
  lookAtMotions(selection: KeyFrameSelection, signal: AbortSignal): Promise<(Motion | null)[] | null>;
};

const UNSEEN: Motion = {
  action: "unclear",
  confidence: null,
  reason: "Geometry looks at sampled frames only, and one end of this way was not sampled.",
  yaw_deg: null,
  pitch_deg: null,
  roll_deg: null,
  matches: 0,
  inliers: 0,
};

export function createDecisionService(parts: DecisionParts): Decisions {
  const { store, listTimes, getSelection } = parts;
  const bell = createBell();

  const getGround = (clip_id: string, settings_hash: string) => {
    const selection = getSelection(clip_id, settings_hash);
    if (selection === null) {
      throw new TRPCError({
        code: "PRECONDITION_FAILED",
        message: "This clip has no stored key-frames under these settings. Save them first.",
      });
    }
    return { selection, time_secs: listTimes(clip_id) } satisfies Ground;
  };

  const getSignature: Decisions["getSignature"] = () => {
    const name = store.getSignature();
    return { name: name ?? NAMELESS, is_given: name !== null };
  };

  const append = ({ decision_id, clip_id, settings_hash, decided }: Sent) => {
    const ground = getGround(clip_id, settings_hash);
    const before = store.get(decision_id);
    if (before !== null)
      return { decision: expectSame(before, { clip_id, settings_hash, decided }), is_new: false };
    const history = store.list(clip_id, settings_hash);
    const check = checkDecided(ground, history, decided);
    if (check.outcome === "refused") throw new TRPCError({ code: "CONFLICT", message: check.reason });
    const same = check.outcome === "already" && history.find((one) => one.decision_id === check.decision_id);
    if (same) return { decision: same, is_new: false };
    const made: Decision = {
      ...decided,
      decision_id,
      clip_id,
      settings_hash,
      version: history.length + 1,
      author: getSignature().name,
      made_secs: Date.now() / 1000,
    };
    store.append(made);
    return { decision: made, is_new: true };
  };

  const decideAll: Decisions["decideAll"] = (all) => {
    const made = store.durably(() => all.map(append));
    if (made.some(({ is_new }) => is_new)) bell.ring();
    return made.map(({ decision }) => decision);
  };

  return {
    decide: (sent) => decideAll([sent])[0] as Decision,
    decideAll,
    listOfClip(clip_id) {
      const decisions = store.listOfClip(clip_id);
      const hashes = [...new Set(decisions.map(({ settings_hash }) => settings_hash))];
      const selections = hashes.map((settings_hash) => ({
        settings_hash,
        settings: getSelection(clip_id, settings_hash)?.settings ?? null,
      }));
      return { decisions, selections };
    },
    list: store.list,
    getVersion(clip_id, settings_hash, version) {
      const ground = getGround(clip_id, settings_hash);
      try {
        return foldVersion(ground, store.list(clip_id, settings_hash), version);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        throw new TRPCError({ code: "NOT_FOUND", message: error.message });
      }
    },
    async lookAtMotions(clip_id, settings_hash, frames, signal) {
      const { selection } = getGround(clip_id, settings_hash);
      const sampled = new Map(selection.decisions.map((one) => [one.frame, one]));
      const known = frames.filter((frame) => sampled.has(frame));
      const kept = new Set(known);
      const motions = await parts.lookAtMotions(
        {
          ...selection,
          decisions: selection.decisions.map((one) => ({ ...one, kept: kept.has(one.frame) })),
        },
        signal,
      );
      if (motions === null) return null;
      const motionOf = new Map(known.map((frame, i) => [frame, motions[i] ?? null]));
      return frames.map((frame, i) => {
        const before = frames[i - 1];
        if (before === undefined) return null;
        return sampled.has(frame) && sampled.has(before) ? (motionOf.get(frame) ?? null) : UNSEEN;
      });
    },
    getSignature,
    setSignature: store.putSignature,
    bell,
  };
}

/** An id stands for one decision; under the same one nothing else can be said. */
function expectSame(
  before: Decision,
  { clip_id, settings_hash, decided }: Omit<Sent, "decision_id">,
): Decision {
  const { decision_id: _d, version: _v, author: _a, made_secs: _m, ...said } = before;
  if (isDeepStrictEqual(said, { ...decided, clip_id, settings_hash })) return before;
  throw new TRPCError({
    code: "CONFLICT",
    message: "Another decision was sent under this id before. Reload the page and decide again.",
  });
}
