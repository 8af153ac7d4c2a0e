import { describe, expect, it } from "vitest";
import { makeRandom } from "../../gallery/random.ts";
import { getBucketWidth, getPointBudget, thin } from "./thin.ts";
import type { Extent } from "./types.ts";

const whole = (length: number) => Int32Array.from({ length }, (_, k) => k);
const pick = (
  x: Float64Array,
  y: Float64Array,
  window: Extent,
  budget: number,
  isGap = (k: number) => !Number.isFinite(y[k]),
) =>
  thin(
    { x, y, indices: whole(x.length), isGap, isMark: (k) => !Number.isFinite(y[k]), isSampled: () => false },
    window,
    { thinned: budget, whole: budget },
  );

describe("thin", () => {
  it("keeps every point while they are few", () => {
    const x = Float64Array.from([1, 2, 3, 4]);
    const y = Float64Array.from([4, 1, 3, 2]);
    expect(pick(x, y, [0, 10], 16).runs.map((run) => run.indices)).toEqual([[0, 1, 2, 3]]);
  });

  it("shows the minimum and the maximum of every bucket, whatever the data and the window", () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = makeRandom(seed);
      const length = 500 + Math.floor(random() * 5000);
      let at = 0;
      const x = Float64Array.from({ length }, () => (at += random() < 0.1 ? 7 : 1));
      const y = Float64Array.from({ length }, () => (random() < 0.01 ? 50 * random() : random()));
      const from = random() * at * 0.5;
      const window: Extent = [from, from + random() * (at - from)];
      const budget = 40 + Math.floor(random() * 360);
      const { runs } = pick(x, y, window, budget);
      const kept = new Set(runs.flatMap((run) => run.indices));
      const inside = [...whole(length)].filter((k) => (x[k] ?? 0) >= window[0] && (x[k] ?? 0) <= window[1]);
      expect(kept.size).toBeLessThanOrEqual(budget + 2);
      if (inside.length <= budget - 2) {
        for (const k of inside) expect(kept.has(k)).toBe(true);
        continue;
      }
      const width = getBucketWidth(window, budget);
      const buckets = new Map<number, number[]>();
      for (const k of inside) {
        const bucket = Math.floor((x[k] ?? 0) / width);
        buckets.set(bucket, [...(buckets.get(bucket) ?? []), k]);
      }
      const borders = [Math.floor(window[0] / width), Math.floor(window[1] / width)];
      for (const [bucket, members] of buckets) {
        if (borders.includes(bucket)) continue;
        const values = members.map((k) => y[k] ?? 0);
        const shown = members.filter((k) => kept.has(k)).map((k) => y[k] ?? 0);
        expect(Math.min(...shown)).toBe(Math.min(...values));
        expect(Math.max(...shown)).toBe(Math.max(...values));
      }
    }
  });

  it("leaves the drawn past alone while points are added", () => {
    const random = makeRandom(3);
    const x = Float64Array.from({ length: 4000 }, (_, k) => k);
    const y = Float64Array.from({ length: 4000 }, () => random());
    const drawn = (length: number) =>
      pick(x.subarray(0, length), y.subarray(0, length), [0, 4000], 300).runs.flatMap((run) => run.indices);
    const before = drawn(3000);
    const after = drawn(3100);
    const width = getBucketWidth([0, 4000], 300);
    const settled = before.filter((k) => k < Math.floor(2999 / width) * width);
    expect(after.slice(0, settled.length)).toEqual(settled);
  });

  it("breaks at a gap, marks what is not finite and leaves a lone point alone", () => {
    const x = Float64Array.from([1, 2, 3, 4, 5, 6]);
    const y = Float64Array.from([1, Number.NaN, 2, Number.POSITIVE_INFINITY, 3, 4]);
    const { runs, non_finite } = pick(x, y, [0, 10], 16);
    expect(runs.map((run) => run.indices)).toEqual([[0], [2], [4, 5]]);
    expect(non_finite).toEqual([
      { index: 1, kind: "nan", count: 1 },
      { index: 3, kind: "inf", count: 1 },
    ]);
  });

  it("keeps a wide gap and every kind of odd number in a thinned line", () => {
    const length = 5000;
    const x = Float64Array.from({ length }, (_, k) => k);
    const y = Float64Array.from({ length }, (_, k) =>
      k >= 2000 && k < 2500 ? Number.NaN : k === 4000 ? Number.NEGATIVE_INFINITY : 1,
    );
    const { runs, non_finite } = pick(x, y, [0, length], 200);
    expect(runs).toHaveLength(2);
    expect(runs[0]?.indices.at(-1)).toBe(1999);
    expect(runs[1]?.indices[0]).toBe(2500);
    expect(non_finite.reduce((sum, mark) => sum + (mark.kind === "nan" ? mark.count : 0), 0)).toBe(500);
    expect(non_finite.at(-1)).toEqual({ index: 4000, kind: "-inf", count: 1 });
  });

  it("keeps a chart to 4,000 points", () => {
    expect(getPointBudget(1000, 1)).toEqual({ thinned: 400, whole: 400 });
    expect(getPointBudget(300, 3)).toEqual({ thinned: 150, whole: 400 });
    expect(getPointBudget(300, 10)).toEqual({ thinned: 150, whole: 150 });
    expect(getPointBudget(1000, 20).whole * 20).toBeLessThanOrEqual(4000);
  });
});
