import { type CurveSeries, POINT } from "./types.ts";

/** The points of a series in stretches over which x rises; each stretch lists indices into the series. */
export type Segments = {
  /** What counts now. More than one stretch when the recorded steps went back without a restart. */
  live: Int32Array[];
  /** What a later attempt went over again; each begins at the point from which it forked. */
  rolled_back: Int32Array[];
};

/** Cuts a series into what counts and what was rolled back. Nothing is dropped. */
export function splitSegments({ x, flags }: Pick<CurveSeries, "x" | "flags">): Segments {
  const live: Int32Array[] = [];
  const rolled_back: Int32Array[] = [];
  let current: number[] = [];
  let old: number[] = [];
  const close = (points: number[], into: Int32Array[]) => {
    if (points.length > 0) into.push(Int32Array.from(points));
    return [];
  };
  for (let index = 0; index < x.length; index += 1) {
    const place = x[index] as number;
    if (Number.isNaN(place)) continue;
    if ((flags?.[index] ?? 0) & POINT.rolled_back) {
      const previous = old.at(-1);
      if (previous !== undefined && place < (x[previous] as number)) old = close(old, rolled_back);
      if (old.length === 0) {
        const fork = current.at(-1);
        if (fork !== undefined && (x[fork] as number) <= place) old.push(fork);
      }
      old.push(index);
      continue;
    }
    old = close(old, rolled_back);
    const previous = current.at(-1);
    if (previous !== undefined && place < (x[previous] as number)) current = close(current, live);
    current.push(index);
  }
  close(old, rolled_back);
  close(current, live);
  return { live, rolled_back };
}

/**
 * The point of a segment whose x is nearest.
 *
 * @returns Its position within `indices`; -1 when there is none.
 */
export function findNearest(x: Float64Array, indices: Int32Array, at: number): number {
  const position = findFirstNotBefore(x, indices, at);
  if (position >= indices.length) return indices.length - 1;
  if (position === 0) return 0;
  const after = x[indices[position] as number] as number;
  const before = x[indices[position - 1] as number] as number;
  return at - before <= after - at ? position - 1 : position;
}

/** Position of the first point of a segment that is not before `at`; the segment's length when all are. */
export function findFirstNotBefore(x: Float64Array, indices: Int32Array, at: number): number {
  let low = 0;
  let high = indices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[indices[middle] as number] as number) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
