import {
  appendPoints,
  bucketPoints,
  emptyPoints,
  type MetricStretch,
  type MetricWindow,
  type RunSeries,
} from "@sightline/core/runs";
import type { Extent } from "@sightline/ui/curve";

/** Part of a window's width that is asked for on either side, so that lines run out of the picture. */
const BESIDE = 0.05;

/** The window as it is asked for: whole steps, a little wider, so that a small change asks nothing new. */
export function getAskedWindow(window: Extent): { from_step: number; to_step: number } {
  const beside = Math.ceil((window[1] - window[0]) * BESIDE);
  return { from_step: Math.max(0, Math.floor(window[0]) - beside), to_step: Math.ceil(window[1]) + beside };
}

/** The metrics of which only buckets are held within a window, so that the server has more to show. */
export function getCoarse(series: RunSeries, names: readonly string[], window: Extent): string[] {
  return names.filter((name) =>
    series.metrics.get(name)?.some(({ past, past_length, points }) => {
      if (past === null || past.width === 1 || past_length === 0) return false;
      const first = points.store.steps[0] as number;
      const last = points.store.steps[past_length - 1] as number;
      return first <= window[1] && last >= window[0];
    }),
  );
}

/**
 * A run whose bucketed past is replaced, where a window was asked for, by what the server has of that window. Rows
 * that came one by one stay as they are. Pure.
 *
 * @param past  whole: the buckets of the whole past stay, for averages that must not depend on the window; window:
 *   the means are those of the window, too.
 */
export function withWindows(
  series: RunSeries,
  windows: readonly MetricWindow[],
  past: "whole" | "window",
): RunSeries {
  if (windows.length === 0) return series;
  const metrics = new Map(series.metrics);
  for (const window of windows) {
    const stretches = series.metrics.get(window.name);
    if (stretches)
      metrics.set(
        window.name,
        stretches.map((stretch) => sharpen(stretch, window, past)),
      );
  }
  return { ...series, metrics };
}

function sharpen(stretch: MetricStretch, window: MetricWindow, keep: "whole" | "window"): MetricStretch {
  const { past_length, points, past } = stretch;
  if (past === null || past_length === 0) return stretch;
  const lastPast = points.store.steps[past_length - 1] as number;
  const pieces = window.series
    .filter(({ attempt, segment }) => attempt === stretch.attempt && segment === stretch.segment)
    .map(({ buckets }) => buckets)
    .sort((a, b) => (a.index[0] ?? 0) * a.width - (b.index[0] ?? 0) * b.width);
  const [first] = pieces;
  if (first === undefined) return stretch;
  const steps: number[] = [];
  const values: number[] = [];
  for (const buckets of pieces) {
    const drawn = bucketPoints(buckets);
    drawn.steps.forEach((step, k) => {
      if (step > lastPast || step < (steps.at(-1) ?? -1)) return;
      steps.push(step);
      values.push(drawn.values[k] as number);
    });
  }
  const tail = [points.store.steps, points.store.values].map((column) =>
    column.subarray(past_length, points.length),
  );
  const sharp = appendPoints(emptyPoints(steps.length + points.length - past_length), steps, values);
  const joined = appendPoints(sharp, tail[0] ?? [], tail[1] ?? []);
  if (keep === "whole") return { ...stretch, points: joined, past_length: sharp.length };
  // Where the window holds single steps its points are the means; a coarser one is read by its own buckets.
  return pieces.every(({ width }) => width === 1)
    ? { ...stretch, points: joined, past: null, past_length: 0 }
    : { ...stretch, points: joined, past: first, past_length: sharp.length };
}
