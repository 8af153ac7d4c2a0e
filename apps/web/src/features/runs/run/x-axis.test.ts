import { describe, expect, it } from "vitest";
import { cutToNewest, describeX, moveExtent, moveSeries } from "./x-axis.ts";

const line = {
  id: "a",
  label: "a",
  color: "accent" as const,
  x: Float64Array.from([0, 1, 2, 0, 1]),
  values: Float64Array.from([1, 2, 3, 4, 5]),
  n: Float64Array.from([8, 8, 8, 9, 9]),
};
const map = {
  kind: "epoch" as const,
  toX: (step: number) => step / 10,
  toStep: (x: number) => Math.round(x * 10),
};

describe("curves over another axis", () => {
  it("move with their points, and windows with them", () => {
    expect([...moveSeries(line, map).x]).toEqual([0, 0.1, 0.2, 0, 0.1]);
    expect(moveExtent([0, 20], map)).toEqual([0, 2]);
    expect(moveExtent([0, 20], { ...map, kind: "stage" })).toBeNull();
  });

  it("are cut to the newest stage where stacks would hide each other", () => {
    const cut = cutToNewest(line);
    expect([[...cut.x], [...cut.values], [...(cut.n ?? [])]]).toEqual([
      [0, 1],
      [4, 5],
      [9, 9],
    ]);
  });

  it("write time as a clock does", () => {
    const { format } = describeX("time");
    const axis = { scale: "linear" as const, from: 0, to: 1, ticks: [] };
    expect([5, 65, 3725].map((secs) => format?.(secs, axis))).toEqual(["0:05", "1:05", "1:02:05"]);
  });
});
