import { describe, expect, it } from "vitest";
import { smooth } from "./index.ts";

describe("smoothing", () => {
  it("B36: a constant stays constant, to the bit", () => {
    const values = new Array<number>(50).fill(0.0001);
    expect([...smooth(values, 0.9)]).toEqual(values);
    expect([...smooth(values, 0.999)]).toEqual(values);
  });

  it("B36: the start does not pull (debiased)", () => {
    const [first, second] = smooth([1, 0], 0.9);
    expect(first).toBe(1);
    expect(second).toBeCloseTo(0.09 / 0.19, 12);
  });

  it("B36: a longer series has the same beginning", () => {
    const values = Float64Array.from({ length: 100_000 }, (_, i) => (Math.sin(i * 12.9898) * 43758.5453) % 1);
    expect(smooth(values, 0.97).subarray(0, 10_000)).toEqual(smooth(values.subarray(0, 10_000), 0.97));
  });

  it("a mean of many weighs as much as the many", () => {
    const whole = smooth([...new Array(16).fill(1), ...new Array(16).fill(0), 0.5], 0.9);
    const means = smooth([1, 0, 0.5], 0.9, [16, 16, 1]);
    expect(means[0]).toBeCloseTo(whole[15] ?? -1, 12);
    expect(means[1]).toBeCloseTo(whole[31] ?? -1, 12);
    expect(means[2]).toBeCloseTo(whole[32] ?? -1, 12);
  });

  it("steps over gaps and infinities", () => {
    const out = smooth([1, Number.NaN, Number.POSITIVE_INFINITY, 1], 0.9);
    expect(out[0]).toBe(1);
    expect(out[1]).toBeNaN();
    expect(out[2]).toBeNaN();
    expect(out[3]).toBe(1);
    expect([...smooth([3, 1, 2], 0)]).toEqual([3, 1, 2]);
  });
});
