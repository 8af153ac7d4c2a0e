/**
 * At least `min_frames` and at most `max_frames` key-frames, in the manner of each preset.
 */
import type { KeyFrameDecision, KeyFrameRule, KeyFrameSettings } from "./types.ts";

export function clampSelection(
  decisions: readonly KeyFrameDecision[],
  settings: KeyFrameSettings,
): KeyFrameDecision[] {
  return settings.preset === "embodied-r"
    ? clampAsReleased(decisions, settings)
    : clampByEvidence(decisions, settings);
}

/**
 * As released: a selection that is too small is thrown away and replaced by frames evenly apart among all sampled ones;
 * one that is too large by its first, its last and frames evenly apart (in count) between.
 */
function clampAsReleased(
  decisions: readonly KeyFrameDecision[],
  settings: KeyFrameSettings,
): KeyFrameDecision[] {
  const kept = decisions.flatMap((decision, i) => (decision.kept ? [i] : []));
  if (kept.length < settings.min_frames) {
    const all = decisions.map((_, i) => i);
    return keepOnly(decisions, new Set(sampleEvenly(all, settings.min_frames)), "uniform_minimum");
  }
  if (kept.length > settings.max_frames) {
    return keepOnly(decisions, new Set(sampleEvenly(kept, settings.max_frames)), "uniform_maximum");
  }
  return [...decisions];
}

function keepOnly(
  decisions: readonly KeyFrameDecision[],
  chosen: ReadonlySet<number>,
  rule: KeyFrameRule,
): KeyFrameDecision[] {
  return decisions.map((decision, i) => {
    const kept = chosen.has(i);
    return kept === decision.kept ? decision : { ...decision, kept, rule };
  });
}

/** The first, the last, and `count − 2` between, as the released `constrained_sampling` picks them. */
function sampleEvenly(items: readonly number[], count: number): number[] {
  if (items.length <= count) return [...items];
  const between = Math.max(0, count - 2);
  const step = (items.length - 2) / between;
  const picked = Array.from({ length: between }, (_, i) => items[roundHalfEven(i * step) + 1] as number);
  return [items[0] as number, ...picked, items.at(-1) as number];
}

/** Python's `round`. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** At this overlap or above two pictures show the same for every purpose. */
export const SAME_VIEW = 0.95;

/**
 * Too few: adds the dropped frames that show most that is new, or, where none shows anything new, the middle of the widest
 * gap. Too many: takes away the frames that show least that is new for the least time.
 */
function clampByEvidence(
  decisions: readonly KeyFrameDecision[],
  settings: KeyFrameSettings,
): KeyFrameDecision[] {
  const clamped = [...decisions];
  const least = Math.min(settings.min_frames, clamped.length);
  for (let count = countKept(clamped); count < least; count += 1) {
    const i = findMostTelling(clamped) ?? findMiddleOfWidestGap(clamped);
    if (i === null) break;
    clamped[i] = { ...(clamped[i] as KeyFrameDecision), kept: true, rule: "filled" };
  }
  for (let count = countKept(clamped); count > Math.max(2, settings.max_frames); count -= 1) {
    const i = findLeastTelling(clamped);
    if (i === null) break;
    clamped[i] = { ...(clamped[i] as KeyFrameDecision), kept: false, rule: "thinned" };
  }
  return clamped;
}

function countKept(decisions: readonly KeyFrameDecision[]): number {
  return decisions.reduce((count, { kept }) => count + Number(kept), 0);
}

function findMostTelling(decisions: readonly KeyFrameDecision[]): number | null {
  let best: number | null = null;
  let lowest = SAME_VIEW;
  for (const [i, { kept, overlap }] of decisions.entries()) {
    if (kept || overlap === null || overlap >= lowest) continue;
    best = i;
    lowest = overlap;
  }
  return best;
}

function findMiddleOfWidestGap(decisions: readonly KeyFrameDecision[]): number | null {
  const time = (i: number): number => (decisions[i] as KeyFrameDecision).time_secs;
  const kept = decisions.flatMap((decision, i) => (decision.kept ? [i] : []));
  let best: number | null = null;
  let widest = 0;
  for (const [k, from] of kept.entries()) {
    const to = kept[k + 1];
    if (to === undefined || to - from < 2 || time(to) - time(from) <= widest) continue;
    widest = time(to) - time(from);
    const middle = (time(from) + time(to)) / 2;
    best = from + 1;
    for (let i = from + 2; i < to; i += 1) {
      if (Math.abs(time(i) - middle) < Math.abs(time(best) - middle)) best = i;
    }
  }
  return best;
}

/** What a key-frame shows that is new, in [0, 1]: the part of the view that its reference lacked. */
function getNovelty({ rule, overlap }: KeyFrameDecision): number {
  if (overlap !== null) return 1 - overlap;
  // A picture too poor to be compared was kept for its time, not for what it shows.
  return rule === "gap" ? 0.25 : 1;
}

function findLeastTelling(decisions: readonly KeyFrameDecision[]): number | null {
  const kept = decisions.filter((decision) => decision.kept);
  let least: KeyFrameDecision | null = null;
  let lowest = Number.POSITIVE_INFINITY;
  for (let k = 1; k + 1 < kept.length; k += 1) {
    const decision = kept[k] as KeyFrameDecision;
    const covers_secs =
      (kept[k + 1] as KeyFrameDecision).time_secs - (kept[k - 1] as KeyFrameDecision).time_secs;
    const cost = getNovelty(decision) * covers_secs;
    if (cost < lowest) [least, lowest] = [decision, cost];
  }
  return least === null ? null : decisions.indexOf(least);
}
