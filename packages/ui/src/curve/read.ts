import { getSegments, getSmoothed } from "./scene.ts";
import { findNearest } from "./segments.ts";
import { type CurveSeries, type Extent, POINT } from "./types.ts";

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

/** Distance to the farther of a point's neighbours: between two points there is always one to read. */
function getReach(x: Float64Array, indices: Int32Array, position: number, place: number): number {
  const distances = [indices[position - 1], indices[position + 1]].map((index) =>
    index === undefined ? 0 : Math.abs((x[index] as number) - place),
  );
  return Math.max(...distances, indices.length === 1 ? 0.5 : 0);
}

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
    const stride = getReach(series.x, indices, position, place);
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
    smoothed: smoothing > 0 ? readSmoothed(series, index, smoothing) : null,
    low: finite(series.low),
    high: finite(series.high),
    n: finite(series.n),
    sampled: (flags & POINT.sampled) !== 0,
  };
}

function readSmoothed(series: CurveSeries, index: number, smoothing: number): number | null {
  const { x, values } = getSmoothed(series, smoothing);
  const value = values[series.basis ? findLastUpTo(x, series.x[index] as number) : index];
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** Index of the last place that is not after `at`; 0 when all are. */
function findLastUpTo(x: Float64Array, at: number): number {
  let low = 0;
  let high = x.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((x[middle] as number) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Mean of a series over a closed stretch of the x axis.
 *
 * @returns Over how many values too, those that are not finite or were rolled back left out; null when there are none.
 */
export function meanWithin(series: CurveSeries, [from, to]: Extent): { mean: number; n: number } | null {
  const { x, values, counts } = series.basis ?? readLive(series);
  let sum = 0;
  let n = 0;
  for (const [index, value] of values.entries()) {
    const place = x[index] as number;
    if (place < from || place > to || !Number.isFinite(value)) continue;
    const count = counts?.[index] ?? 1;
    sum += value * count;
    n += count;
  }
  return n === 0 ? null : { mean: sum / n, n };
}

function readLive(series: CurveSeries): { x: Float64Array; values: Float64Array; counts?: Float64Array } {
  const live = Int32Array.from(getSegments(series).live.flatMap((indices) => [...indices]));
  const pick = (array: Float64Array) => Float64Array.from(live, (index) => array[index] as number);
  return { x: pick(series.x), values: pick(series.values) };
}

/** The lines that are named and read out, those that the chart is about first. */
export function listNamed(series: readonly CurveSeries[]): CurveSeries[] {
  const named = series.filter(({ is_quiet }) => !is_quiet);
  return [...named.filter(({ is_beside }) => !is_beside), ...named.filter(({ is_beside }) => is_beside)];
}
