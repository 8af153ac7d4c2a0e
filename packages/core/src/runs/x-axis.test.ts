import { describe, expect, it } from "vitest";
import { asRows, metricsLine, stageLine } from "../testing/index.ts";
import { appendRows, emptySeries } from "./fold.ts";
import { makeXMap } from "./x-axis.ts";

const series = appendRows(
  emptySeries("run-a"),
  asRows([
    stageLine({}, 0, 1, { format: 7, accuracy: 3, consistency: 0 }),
    ...[1, 2, 3, 4].map((step) =>
      metricsLine({ time_secs: 1000 + step * step }, step, { num_tokens: step * 50 }),
    ),
    stageLine({}, 1, 5, { format: 3, accuracy: 7, consistency: 0 }),
    ...[5, 6].map((step) => metricsLine({ time_secs: 1000 + step * step }, step, { num_tokens: step * 50 })),
  ]),
);

describe("makeXMap", () => {
  it("counts steps, epochs, tokens, seconds since the first step, and steps since the stage began", () => {
    expect([1, 6].map((step) => makeXMap(series, "step")?.toX(step))).toEqual([1, 6]);
    expect(makeXMap(series, "epoch")?.toX(6)).toBeCloseTo(0.06);
    expect(makeXMap(series, "tokens")?.toX(3)).toBe(150);
    expect([1, 2, 6].map((step) => makeXMap(series, "time")?.toX(step))).toEqual([0, 3, 35]);
    expect([1, 4, 5, 6].map((step) => makeXMap(series, "stage")?.toX(step))).toEqual([0, 3, 0, 1]);
  });

  it("leads back to the step, also between and beyond", () => {
    for (const kind of ["step", "epoch", "tokens", "time"] as const) {
      const map = makeXMap(series, kind);
      for (const step of [1, 2, 4, 6, 7]) expect(map?.toStep(map.toX(step))).toBe(step);
    }
    expect(makeXMap(series, "stage")?.toStep(1)).toBe(6);
  });

  it("is null where the run did not log what the axis counts", () => {
    expect(makeXMap(emptySeries("run-a"), "tokens")).toBeNull();
    expect(makeXMap(emptySeries("run-a"), "stage")).toBeNull();
  });
});
