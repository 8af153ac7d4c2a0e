import {
  describeDecision,
  type KeyFrameDecision,
  type KeyFrameSettings,
  type PairFailure,
} from "@sightline/core/keyframes";
import type { OverlapPoint } from "@sightline/ui/overlap-plot";
import type { ShownFrame } from "./decisions/shown-frames.ts";

/** A failure's name on the plot. */
const FAILURES: Record<PairFailure, string> = {
  no_descriptors: "no features",
  few_matches: "few matches",
  no_homography: "no homography",
  degenerate_homography: "folded",
  few_inliers: "few inliers",
};

/** A sampled frame as the plot shows it. */
export function toPoint({ frame, time_secs, kept, overlap, evidence }: KeyFrameDecision): OverlapPoint {
  const failure = evidence?.failure ?? null;
  return {
    frame,
    time_secs,
    kept,
    overlap,
    forward: failure === null ? (evidence?.overlap_forward ?? null) : null,
    backward: failure === null ? (evidence?.overlap_backward ?? null) : null,
    failure: failure === null ? null : FAILURES[failure],
  };
}

/** "Kept" or "Dropped" as the extractor decided, and the reason as the rest of the sentence. */
export function explain(
  decision: KeyFrameDecision,
  settings: KeyFrameSettings,
): { verdict: "Kept" | "Dropped"; reason: string } {
  const sentence = describeDecision(decision, settings);
  return {
    verdict: decision.kept ? "Kept" : "Dropped",
    reason: sentence.slice(sentence.indexOf(": ") + 2),
  };
}

/** "9 key-frames of 61 sampled frames". */
export function countKept(shown: readonly ShownFrame[]): { kept: number; sampled: number } {
  return {
    kept: shown.filter(({ kept }) => kept).length,
    sampled: shown.filter(({ decision }) => decision !== null).length,
  };
}

/**
 * The sampled frame to go to from a frame that may lie between two.
 *
 * @param frames  Ordinals, ascending.
 * @param direction  1: the next one after `frame`; −1: the one before it.
 * @returns Null when there is none.
 */
export function findNeighbour(frames: readonly number[], frame: number, direction: 1 | -1): number | null {
  const found =
    direction === 1 ? frames.find((other) => other > frame) : frames.findLast((other) => other < frame);
  return found ?? null;
}
