import { findBlocks, findCompletionStart, findContentEnd } from "../traces/index.ts";

/** Thresholds of VSI-Bench's mean relative accuracy. */
export const MRA_THRESHOLDS = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95] as const;

/**
 * Mean relative accuracy: the share of thresholds θ for which |answer − gold| / |gold| ≤ 1 − θ.
 *
 * @param gold  Not zero; at zero only an exact answer scores.
 * @returns In [0, 1].
 * @see VSI-Bench (thinking-in-space), mean_relative_accuracy
 */
export function meanRelativeAccuracy(answer: number, gold: number): number {
  if (gold === 0) return answer === 0 ? 1 : 0;
  const error = Math.abs(answer - gold) / Math.abs(gold);
  return MRA_THRESHOLDS.filter((threshold) => error <= 1 - threshold).length / MRA_THRESHOLDS.length;
}

/** The first number inside the last answer block; null with the reason otherwise. Prose and list numbers don't count. */
export function readNumber(text: string): { value: number; reason: null } | { value: null; reason: string } {
  const block = findBlocks(text, findCompletionStart(text), findContentEnd(text)).findLast(
    (one) => one.tag === "answer",
  );
  if (!block) return { value: null, reason: "no answer tag" };
  const inner = text.slice(...block.inner);
  if (inner.trim() === "") return { value: null, reason: "empty answer" };
  const match = /[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?\.\d+/.exec(inner);
  if (!match) return { value: null, reason: "no number in the answer" };
  return { value: Number(match[0].replaceAll(",", "")), reason: null };
}
