import { describe, expect, it } from "vitest";
import { bucketPoints, bucketRows, coarsen, mergeBucket, toColumns } from "./index.ts";

/** A small generator, so that failures can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("buckets", () => {
  it("keep the lowest and highest of every pixel, for any rows and any width", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const next = random(seed);
      const steps: number[] = [];
      const values: number[] = [];
      let step = Math.floor(next() * 40);
      for (let i = 0; i < 400; i++) {
        step += 1 + Math.floor(next() * 5);
        steps.push(step);
        const kind = next();
        values.push(kind < 0.03 ? Number.NaN : kind < 0.05 ? Number.POSITIVE_INFINITY : next() * 10 - 5);
      }
      const fine = bucketRows(steps, values, 16);
      for (const width of [16, 64, 256]) {
        const buckets = coarsen(fine, 16, width);
        expect(buckets).toEqual(
          bucketRows(steps, values, width).map((bucket) => ({
            ...bucket,
            sum: expect.closeTo(bucket.sum, 9),
          })),
        );
        const drawn = bucketPoints(toColumns(buckets, width));
        expect(drawn.steps).toEqual([...drawn.steps].sort((a, b) => a - b));
        for (const bucket of buckets) {
          const inside = values.filter(
            (value, i) => Math.floor((steps[i] ?? 0) / width) === bucket.index && Number.isFinite(value),
          );
          if (inside.length === 0) continue;
          const shown = drawn.values.filter(
            (value, i) =>
              Math.floor((drawn.steps[i] ?? 0) / width) === bucket.index && Number.isFinite(value),
          );
          expect(Math.min(...shown)).toBe(Math.min(...inside));
          expect(Math.max(...shown)).toBe(Math.max(...inside));
          expect(shown[0]).toBe(inside[0]);
          expect(shown.at(-1)).toBe(inside.at(-1));
        }
      }
    }
  });

  it("count what is not a number apart from what is", () => {
    const [bucket] = bucketRows(
      [1, 2, 3, 4],
      [Number.NaN, 2, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
      16,
    );
    expect(bucket).toMatchObject({ n: 1, sum: 2, gaps: 1, pos_inf: 1, neg_inf: 1, first: 2, last: 2 });
    const { values } = bucketPoints(toColumns(bucketRows([1], [Number.NaN], 16), 16));
    expect(values).toEqual([Number.NaN]);
  });

  it("merge with an empty one on either side", () => {
    const [empty] = bucketRows([1], [Number.NaN], 16);
    const [full] = bucketRows([2], [5], 16);
    if (!empty || !full) throw new Error("no bucket");
    const left = { ...empty };
    mergeBucket(left, full);
    expect(left).toMatchObject({ n: 1, first: 5, min_step: 2, gaps: 1 });
    mergeBucket(left, empty);
    expect(left).toMatchObject({ n: 1, last: 5, gaps: 2 });
  });
});
