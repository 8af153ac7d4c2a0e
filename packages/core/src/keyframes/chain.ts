/**
 * One pass over the sampled frames: each is compared with the reference, the last key-frame, and kept or dropped.
 */
import type { KeyFrameDecision, KeyFrameSettings, PairEvidence } from "./types.ts";

/** What the chain must know of a sampled frame. */
export type SampledFrame = {
  frame: number;
  time_secs: number;
  features: number;
  noise: number;
};

/** Evidence of a pair, given by ordinals; computed or from a cache. */
export type GetPair = (reference: number, frame: number) => PairEvidence;

/** Below this share of the wanted features a picture is too poor in detail: blurred, dark, a bare wall. */
const LEAST_DETAIL = 0.1;
/** Above this noise a picture's features are no detail of the scene. */
const MOST_NOISE = 0.5;

/** Whether a picture has enough detail that failing to match it means another view, not a bad picture. */
export function isRich(frame: SampledFrame, settings: Pick<KeyFrameSettings, "features">): boolean {
  return frame.features >= LEAST_DETAIL * settings.features && frame.noise <= MOST_NOISE;
}

/** The overlap that a pair's evidence offers for comparison with the threshold; null when it offers none. */
export function getOverlap(pair: PairEvidence, settings: Pick<KeyFrameSettings, "preset">): number | null {
  if (pair.failure !== null || pair.overlap_forward === null) return null;
  if (settings.preset === "embodied-r") return pair.overlap_forward;
  return pair.overlap_backward === null ? null : Math.min(pair.overlap_forward, pair.overlap_backward);
}

/**
 * Decides on frames as they come; the last frame is kept when the caller says that there are no more.
 *
 * `sightline`: a frame that can't be compared is kept where it is rich in detail (a cut, a fast turn: another view); a poor
 * one only when `gap_secs` have passed since the last frame that was kept or could be compared, and it never becomes the
 * reference of a later frame.
 * `embodied-r`: a frame that can't be compared is kept.
 */
export function startChain(settings: KeyFrameSettings, getPair: GetPair) {
  const decisions: KeyFrameDecision[] = [];
  let reference: SampledFrame | null = null;
  /** Up to here the clip is accounted for: kept, or known to show what was kept. */
  let covered_secs = Number.NEGATIVE_INFINITY;

  function decide(frame: SampledFrame): KeyFrameDecision {
    const blank = { frame: frame.frame, time_secs: frame.time_secs, features: frame.features };
    if (reference === null) {
      reference = frame;
      return { ...blank, kept: true, rule: "first", overlap: null, evidence: null };
    }
    const evidence = getPair(reference.frame, frame.frame);
    const overlap = getOverlap(evidence, settings);
    if (overlap !== null) {
      const kept = overlap < settings.threshold;
      if (kept) reference = frame;
      return { ...blank, kept, rule: kept ? "low_overlap" : "enough_overlap", overlap, evidence };
    }
    const rule = evidence.failure ?? "no_homography";
    if (settings.preset === "embodied-r" || isRich(frame, settings)) {
      reference = frame;
      return { ...blank, kept: true, rule, overlap, evidence };
    }
    const kept = frame.time_secs - covered_secs >= settings.gap_secs;
    return { ...blank, kept, rule: kept ? "gap" : rule, overlap, evidence };
  }

  return {
    /** Decides on the next sampled frame. */
    push(frame: SampledFrame): KeyFrameDecision {
      const decision = decide(frame);
      if (decision.kept || decision.overlap !== null) covered_secs = frame.time_secs;
      decisions.push(decision);
      return decision;
    },
    /** Keeps the last frame and returns all decisions. */
    finish(): KeyFrameDecision[] {
      const last = decisions.at(-1);
      if (last !== undefined && !last.kept)
        decisions[decisions.length - 1] = { ...last, kept: true, rule: "last" };
      return decisions;
    },
  };
}
