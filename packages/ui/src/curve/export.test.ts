import { describe, expect, it } from "vitest";
import { toCsv } from "./export.ts";
import { POINT } from "./types.ts";

describe("toCsv", () => {
  it("holds every point with its state, and quotes what must be", () => {
    const line = {
      id: "a",
      label: 'loss, "smooth"',
      color: "accent" as const,
      x: Float64Array.from([1, 2, 3]),
      values: Float64Array.from([0.25, Number.NaN, Number.POSITIVE_INFINITY]),
      n: Float64Array.from([8, 8, Number.NaN]),
      flags: Uint8Array.from([POINT.sampled, POINT.missing, POINT.rolled_back]),
    };
    expect(toCsv([line], "step").split("\n")).toEqual([
      "series,step,value,low,high,n,state",
      '"loss, ""smooth""",1,0.25,,,8,sampled',
      '"loss, ""smooth""",2,,,,8,missing',
      '"loss, ""smooth""",3,Infinity,,,,rolled back',
      "",
    ]);
  });
});
