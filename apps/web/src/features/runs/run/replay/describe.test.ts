import { describe, expect, it } from "vitest";
import { describePlan, formatChange, formatPart } from "./describe.ts";

describe("replays in words", () => {
  it("says what a plan changes", () => {
    expect(describePlan({ rules: "as_run", weights: null, formula: null })).toBe(
      "parts as the run scored them · weights as run",
    );
    const weights = [
      { format: 7, accuracy: 3, consistency: 0 },
      { format: 1, accuracy: 7, consistency: 2 },
    ];
    expect(describePlan({ rules: "embodied-r", weights, formula: "accuracy" })).toBe(
      "rules embodied-r · 7:3:0 → 1:7:2 · reward = accuracy",
    );
  });

  it("shows a change with its sign, and none where a side is not known", () => {
    expect([formatChange(0.5, 0.25), formatChange(0, 1), formatChange(0.5, 0.5001)]).toEqual([
      "−0.250",
      "+1.000",
      "0",
    ]);
    expect([formatPart(8.648e299), formatChange(0, -2e7)]).toEqual(["8.648e299", "−2.000e7"]);
    expect([formatChange(null, 1), formatPart(null), formatPart(0.5)]).toEqual(["", "–", "0.500"]);
  });
});
