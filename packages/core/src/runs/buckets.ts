import type { BucketColumns } from "./types.ts";

/**
 * Step widths for which buckets are kept as lines come in. Borders are absolute (multiples of the width), so a bucket
 * never changes its place as a window moves; each width is four of the one before it.
 */
export const BUCKET_WIDTHS = [16, 64, 256, 1024, 4096, 16384] as const;

/** What is known of one metric over a stretch of steps. Non-finite values are counted apart. */
export type Bucket = {
  index: number;
  n: number;
  sum: number;
  first: number;
  first_step: number;
  last: number;
  last_step: number;
  min: number;
  min_step: number;
  max: number;
  max_step: number;
  gaps: number;
  pos_inf: number;
  neg_inf: number;
};

/** A bucket with nothing in it; its steps are those of the first row that comes. */
export function emptyBucket(index: number): Bucket {
  return {
    index,
    n: 0,
    sum: 0,
    first: 0,
    first_step: 0,
    last: 0,
    last_step: 0,
    min: 0,
    min_step: 0,
    max: 0,
    max_step: 0,
    gaps: 0,
    pos_inf: 0,
    neg_inf: 0,
  };
}

/** Which bucket of a width a step falls in. */
export function bucketIndex(step: number, width: number): number {
  return Math.floor(step / width);
}

/** Adds one row in place; rows come in rising order of steps. NaN stands for a gap. */
export function addToBucket(bucket: Bucket, step: number, value: number): void {
  if (!Number.isFinite(value)) {
    if (value === Number.POSITIVE_INFINITY) bucket.pos_inf += 1;
    else if (value === Number.NEGATIVE_INFINITY) bucket.neg_inf += 1;
    else bucket.gaps += 1;
    return;
  }
  if (bucket.n === 0) {
    bucket.first = value;
    bucket.first_step = step;
    bucket.min = value;
    bucket.min_step = step;
    bucket.max = value;
    bucket.max_step = step;
  }
  bucket.n += 1;
  bucket.sum += value;
  bucket.last = value;
  bucket.last_step = step;
  if (value < bucket.min) {
    bucket.min = value;
    bucket.min_step = step;
  }
  if (value > bucket.max) {
    bucket.max = value;
    bucket.max_step = step;
  }
}

/** Adds all that `later` holds to `earlier` in place; every step of `later` is behind those of `earlier`. */
export function mergeBucket(earlier: Bucket, later: Bucket): void {
  earlier.gaps += later.gaps;
  earlier.pos_inf += later.pos_inf;
  earlier.neg_inf += later.neg_inf;
  if (later.n === 0) return;
  if (earlier.n === 0) {
    earlier.first = later.first;
    earlier.first_step = later.first_step;
    earlier.min = later.min;
    earlier.min_step = later.min_step;
    earlier.max = later.max;
    earlier.max_step = later.max_step;
  } else {
    if (later.min < earlier.min) {
      earlier.min = later.min;
      earlier.min_step = later.min_step;
    }
    if (later.max > earlier.max) {
      earlier.max = later.max;
      earlier.max_step = later.max_step;
    }
  }
  earlier.n += later.n;
  earlier.sum += later.sum;
  earlier.last = later.last;
  earlier.last_step = later.last_step;
}

/** Joins buckets of one width into those of a multiple of it. */
export function coarsen(buckets: readonly Bucket[], width: number, to_width: number): Bucket[] {
  const out: Bucket[] = [];
  for (const bucket of buckets) {
    const index = bucketIndex(bucket.index * width, to_width);
    const last = out.at(-1);
    if (last && last.index === index) mergeBucket(last, bucket);
    else out.push({ ...bucket, index });
  }
  return out;
}

/** Buckets of a width from rows in rising order of steps. */
export function bucketRows(steps: ArrayLike<number>, values: ArrayLike<number>, width: number): Bucket[] {
  const out: Bucket[] = [];
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] ?? 0;
    const index = bucketIndex(step, width);
    let last = out.at(-1);
    if (!last || last.index !== index) {
      last = emptyBucket(index);
      out.push(last);
    }
    addToBucket(last, step, values[i] ?? Number.NaN);
  }
  return out;
}

const FIELDS = [
  "index",
  "n",
  "sum",
  "first",
  "first_step",
  "last",
  "last_step",
  "min",
  "min_step",
  "max",
  "max_step",
  "gaps",
  "pos_inf",
  "neg_inf",
] as const;

/** Buckets by column, as they travel. */
export function toColumns(buckets: readonly Bucket[], width: number): BucketColumns {
  const columns: BucketColumns = { width, ...emptyColumns() };
  for (const bucket of buckets) for (const field of FIELDS) columns[field].push(bucket[field]);
  return columns;
}

function emptyColumns(): Omit<BucketColumns, "width"> {
  return {
    index: [],
    n: [],
    sum: [],
    first: [],
    first_step: [],
    last: [],
    last_step: [],
    min: [],
    min_step: [],
    max: [],
    max_step: [],
    gaps: [],
    pos_inf: [],
    neg_inf: [],
  };
}

/**
 * The points that draw a bucketed stretch: first, lowest, highest and last of each bucket in the order of their steps,
 * a NaN where a bucket holds only gaps, an infinity where it holds one (at the bucket's first step).
 */
export function bucketPoints(columns: BucketColumns): { steps: number[]; values: number[] } {
  const steps: number[] = [];
  const values: number[] = [];
  const push = (step: number, value: number) => {
    if (steps.at(-1) === step && values.at(-1) === value) return;
    steps.push(step);
    values.push(value);
  };
  columns.index.forEach((index, i) => {
    const at = (field: (typeof FIELDS)[number]) => columns[field][i] ?? 0;
    const start = index * columns.width;
    if (at("pos_inf") > 0) push(start, Number.POSITIVE_INFINITY);
    if (at("neg_inf") > 0) push(start, Number.NEGATIVE_INFINITY);
    if (at("n") === 0) {
      if (at("gaps") > 0) push(start, Number.NaN);
      return;
    }
    const inner: [number, number][] =
      at("min_step") <= at("max_step")
        ? [
            [at("min_step"), at("min")],
            [at("max_step"), at("max")],
          ]
        : [
            [at("max_step"), at("max")],
            [at("min_step"), at("min")],
          ];
    push(at("first_step"), at("first"));
    for (const [step, value] of inner) push(step, value);
    push(at("last_step"), at("last"));
  });
  return { steps, values };
}
