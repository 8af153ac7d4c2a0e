/**
 * Two growing columns, steps and values, that share storage between versions.
 *
 * `appendPoints` leaves the given version as it was and returns a longer one. Appending to the newest version of a
 * column writes behind its end and copies nothing; appending to an older one copies it first.
 */
export type Points = {
  readonly length: number;
  readonly store: PointStore;
};

type PointStore = { steps: Float64Array; values: Float64Array; used: number };

export function emptyPoints(capacity = 16): Points {
  return {
    length: 0,
    store: { steps: new Float64Array(capacity), values: new Float64Array(capacity), used: 0 },
  };
}

/** Appends rows; both arrays have the same length. */
export function appendPoints(points: Points, steps: ArrayLike<number>, values: ArrayLike<number>): Points {
  const length = points.length + steps.length;
  let { store } = points;
  if (store.used !== points.length || store.steps.length < length) {
    const capacity = Math.max(16, length, Math.min(length * 2, length + 65_536));
    const grown = {
      steps: new Float64Array(capacity),
      values: new Float64Array(capacity),
      used: points.length,
    };
    grown.steps.set(store.steps.subarray(0, points.length));
    grown.values.set(store.values.subarray(0, points.length));
    store = grown;
  }
  store.steps.set(steps, points.length);
  store.values.set(values, points.length);
  store.used = length;
  return { length, store };
}

/** Steps of all rows; a view, not to be written to. */
export function stepsOf(points: Points, from = 0, to = points.length): Float64Array {
  return points.store.steps.subarray(from, to);
}

/** Values of all rows; a view, not to be written to. */
export function valuesOf(points: Points, from = 0, to = points.length): Float64Array {
  return points.store.values.subarray(from, to);
}

export function lastStep(points: Points): number | null {
  return points.length === 0 ? null : (points.store.steps[points.length - 1] ?? null);
}

/** How many of the rows have a step ≤ `step`; steps rise. */
export function countUpTo(points: Points, step: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points.store.steps[middle] ?? 0) <= step) low = middle + 1;
    else high = middle;
  }
  return low;
}
