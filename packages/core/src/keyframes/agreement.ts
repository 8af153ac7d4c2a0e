import type { KeyFrameDecision, KeyFrameSelection } from "./types.ts";

/** One frame under two settings; a side is null where that one did not sample the frame. */
export type ComparedFrame = {
  frame: number;
  time_secs: number;
  a: KeyFrameDecision | null;
  b: KeyFrameDecision | null;
  kept: "both" | "a" | "b" | "neither";
};

/** How far two selections of one clip agree. */
export type Agreement = {
  /** Key-frames of each, and frames that both keep, that one alone keeps, that neither keeps. */
  kept_a: number;
  kept_b: number;
  both: number;
  only_a: number;
  only_b: number;
  neither: number;
  /** Frames kept by both ÷ frames kept by either, in [0, 1]; 1 where nobody keeps any. */
  jaccard: number;
  /** The same where a key-frame of one also counts as the other's when it is at most one sampled frame away. */
  jaccard_near: number;
};

/** All frames that either selection sampled, in presentation order, with both verdicts. */
export function pairFrames(a: KeyFrameSelection, b: KeyFrameSelection): ComparedFrame[] {
  const ofB = new Map(b.decisions.map((decision) => [decision.frame, decision]));
  const ofA = new Set(a.decisions.map(({ frame }) => frame));
  const pairs = [
    ...a.decisions.map((decision) => pair(decision, ofB.get(decision.frame) ?? null)),
    ...b.decisions.filter(({ frame }) => !ofA.has(frame)).map((decision) => pair(null, decision)),
  ];
  return pairs.sort((one, other) => one.frame - other.frame);
}

function pair(a: KeyFrameDecision | null, b: KeyFrameDecision | null): ComparedFrame {
  const { frame, time_secs } = (a ?? b) as KeyFrameDecision;
  const byA = a?.kept === true;
  const byB = b?.kept === true;
  return { frame, time_secs, a, b, kept: byA && byB ? "both" : byA ? "a" : byB ? "b" : "neither" };
}

/** Counts what `pairFrames` lists. */
export function countAgreement(frames: readonly ComparedFrame[]): Agreement {
  const count = { both: 0, a: 0, b: 0, neither: 0 };
  for (const { kept } of frames) count[kept] += 1;
  const kept_a = count.both + count.a;
  const kept_b = count.both + count.b;
  const share = (common: number) => {
    const either = kept_a + kept_b - common;
    return either === 0 ? 1 : common / either;
  };
  return {
    kept_a,
    kept_b,
    both: count.both,
    only_a: count.a,
    only_b: count.b,
    neither: count.neither,
    jaccard: share(count.both),
    jaccard_near: share(countNear(frames)),
  };
}

/** Most pairs of key-frames, each frame in one pair at most, that lie at most one sampled frame apart. */
function countNear(frames: readonly ComparedFrame[]): number {
  const placesOf = (side: "a" | "b") =>
    frames.flatMap(({ kept }, place) => (kept === side || kept === "both" ? [place] : []));
  const ofA = placesOf("a");
  const ofB = placesOf("b");
  let pairs = 0;
  for (let i = 0, j = 0; i < ofA.length && j < ofB.length; ) {
    const apart = (ofA[i] as number) - (ofB[j] as number);
    if (Math.abs(apart) <= 1) {
      pairs += 1;
      i += 1;
      j += 1;
    } else if (apart < 0) i += 1;
    else j += 1;
  }
  return pairs;
}
