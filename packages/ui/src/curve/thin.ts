import { findFirstNotBefore } from "./segments.ts";
import type { Extent } from "./types.ts";

/** An unbroken piece of a line: indices of the points to join, in order of x. */
export type Run = { indices: number[]; sampled: boolean };

/** A value that no scale can place. `count` such values lie together at this place of the picture. */
export type NonFinite = { index: number; kind: "nan" | "inf" | "-inf"; count: number };

export type Thinned = { runs: Run[]; non_finite: NonFinite[] };

/** Points of one line at most, and of one chart. */
const MOST_PER_LINE = 400;
const MOST_PER_CHART = 4000;
/** A chart of no more points than this is drawn whole: a small run keeps its every gap and lone point. */
const MOST_WHOLE = 1200;

/** How many points a line may have: when it is thinned, and when it is drawn whole. */
export type Budget = { thinned: number; whole: number };

/** The budget of a line on a plot of this width, with so many lines beside it. */
export function getPointBudget(plotWidth: number, lines: number): Budget {
  const count = Math.max(1, lines);
  const thinned = Math.max(16, Math.floor(Math.min(MOST_PER_LINE, plotWidth / 2, MOST_PER_CHART / count)));
  return { thinned, whole: Math.max(thinned, Math.floor(Math.min(MOST_PER_LINE, MOST_WHOLE / count))) };
}

/**
 * Width of a bucket, such that a line over `extent` keeps to its budget at two points a bucket.
 *
 * A power of two, and buckets begin at its multiples: while a window moves or grows, buckets stay where they are and
 * the drawn extremes do not flicker.
 */
export function getBucketWidth(extent: Extent, budget: number): number {
  const span = extent[1] - extent[0];
  if (!(span > 0)) return 1;
  return 2 ** Math.ceil(Math.log2(span / Math.max(4, budget / 2 - 3)));
}

/**
 * Picks the points of a segment that a picture needs: the lowest and highest of each bucket, and the two ends.
 * When the points within the window are no more than `budget.whole`, all of them.
 *
 * Gaps (missing and non-finite values) break the line; in a thinned line those that are wider than a bucket do.
 * One point beyond each edge of the window is kept, so that lines run out of the picture.
 */
export function thin(
  points: {
    x: Float64Array;
    y: Float64Array;
    /** What decides which points are extremes, where that is not y. */
    rank?: Float64Array;
    indices: Int32Array;
    /** No point can be drawn here. */
    isGap: (index: number) => boolean;
    /** A gap that is a value all the same, to be marked: NaN or an infinity. */
    isMark: (index: number) => boolean;
    isSampled: (index: number) => boolean;
  },
  window: Extent,
  budget: Budget,
): Thinned {
  const { x, y, indices, isGap, isMark, isSampled } = points;
  const rank = points.rank ?? y;
  const begin = Math.max(0, findFirstNotBefore(x, indices, window[0]) - 1);
  let end = findFirstNotBefore(x, indices, window[1]);
  while (end < indices.length && x[indices[end] as number] === window[1]) end += 1;
  end = Math.min(indices.length, end + 1);

  const width = end - begin > budget.whole ? getBucketWidth(window, budget.thinned) : 0;
  const runs: Run[] = [];
  const non_finite: NonFinite[] = [];
  let run: Run | null = null;
  let lastX = Number.NEGATIVE_INFINITY;
  let gapSince = false;
  let bucket = Number.NaN;
  let lowest = -1;
  let highest = -1;
  let latest = -1;
  let sampled = false;

  const add = (index: number, isSampledPoint: boolean) => {
    if (run === null) {
      run = { indices: [index], sampled: isSampledPoint };
      runs.push(run);
    } else if (run.indices.at(-1) !== index) {
      if (run.sampled !== isSampledPoint) {
        run = { indices: [run.indices.at(-1) as number], sampled: isSampledPoint };
        runs.push(run);
      }
      run.indices.push(index);
    }
  };
  const flush = () => {
    if (lowest < 0) return;
    add(Math.min(lowest, highest), sampled);
    if (lowest !== highest) add(Math.max(lowest, highest), sampled);
    lowest = -1;
    highest = -1;
  };
  const finishRun = () => {
    const tail = latest;
    const tailSampled = sampled;
    flush();
    if (run !== null && tail >= 0) add(tail, tailSampled);
    run = null;
  };

  for (let position = begin; position < end; position += 1) {
    const index = indices[position] as number;
    const place = x[index] as number;
    if (isGap(index)) {
      gapSince = true;
      if (isMark(index)) noteNonFinite(non_finite, x, index, y[index] as number, width);
      continue;
    }
    if (gapSince && place - lastX > width) finishRun();
    gapSince = false;
    lastX = place;
    if (width === 0) {
      latest = index;
      sampled = isSampled(index);
      add(index, sampled);
      continue;
    }
    const here = Math.floor(place / width);
    if (here !== bucket) {
      flush();
      bucket = here;
      sampled = false;
    }
    if (run === null && lowest < 0) add(index, isSampled(index));
    if (lowest < 0 || (rank[index] as number) < (rank[lowest] as number)) lowest = index;
    if (highest < 0 || (rank[index] as number) > (rank[highest] as number)) highest = index;
    sampled = sampled || isSampled(index);
    latest = index;
  }
  finishRun();
  return { runs, non_finite };
}

/** Adds a mark, or counts it to one of its kind in the same bucket. */
function noteNonFinite(
  into: NonFinite[],
  x: Float64Array,
  index: number,
  value: number,
  width: number,
): void {
  const kind = Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const bucket = Math.floor((x[index] as number) / width);
  for (let k = into.length - 1; width > 0 && k >= 0; k -= 1) {
    const mark = into[k] as NonFinite;
    if (Math.floor((x[mark.index] as number) / width) !== bucket) break;
    if (mark.kind === kind) {
      mark.count += 1;
      return;
    }
  }
  into.push({ index, kind, count: 1 });
}
