import { getSegments, getSmoothed } from "./scene.ts";
import { findNearest } from "./segments.ts";
import { type CurveSeries, POINT } from "./types.ts";

/** What a series says at one place. */
export type Reading = {
  /** Place of the point that was read; it may lie a little beside the place that was asked for. */
  x: number;
  /** The value as it was logged; null where there was nothing to measure. */
  value: number | null;
  /** The smoothed value at the same point, when smoothing is on. */
  smoothed: number | null;
  low: number | null;
  high: number | null;
  n: number | null;
  sampled: boolean;
};

/**
 * Reads a series at a place: the nearest point that counts (never a rolled-back one), when it is no further away than
 * its own neighbour. Null beyond the ends and inside holes.
 *
 * @param at  Place on the x axis; null reads the last point.
 */
export function readAt(series: CurveSeries, at: number | null, smoothing: number): Reading | null {
  const { live } = getSegments(series);
  let best: { index: number; distance: number } | null = null;
  for (const indices of live) {
    if (indices.length === 0) continue;
    const position = at === null ? indices.length - 1 : findNearest(series.x, indices, at);
    const index = indices[position] as number;
    const place = series.x[index] as number;
    const distance = at === null ? 0 : Math.abs(place - at);
    const neighbour = indices[position > 0 ? position - 1 : position + 1];
    const stride = neighbour === undefined ? 0.5 : Math.abs((series.x[neighbour] as number) - place);
    if (distance > Math.max(stride, 1e-9)) continue;
    if (best === null || distance <= best.distance) best = { index, distance };
  }
  if (best === null) return null;
  const { index } = best;
  const flags = series.flags?.[index] ?? 0;
  const value = series.values[index] as number;
  const finite = (array: Float64Array | undefined) => {
    const found = array?.[index];
    return found === undefined || Number.isNaN(found) ? null : found;
  };
  return {
    x: series.x[index] as number,
    value: flags & POINT.missing ? null : value,
    smoothed: smoothing > 0 ? finite(getSmoothed(series, smoothing)) : null,
    low: finite(series.low),
    high: finite(series.high),
    n: finite(series.n),
    sampled: (flags & POINT.sampled) !== 0,
  };
}
