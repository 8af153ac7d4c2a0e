import { expect, it } from "vitest";
import { PAPER_CURVES, placePaperStep } from "./index.ts";

it("lays the paper's steps at the same place within their stage", () => {
  const borders = [0, 64, 128, 192];
  expect([0, 2540, 5080, 15_240].map((step) => placePaperStep(step, borders))).toEqual(borders);
  expect(placePaperStep(1270, borders)).toBe(32);
  expect(placePaperStep(10_160, borders)).toBe(160);
});

it("lays them at the same share of a run that has not three stages", () => {
  expect([0, 7620, 15_240].map((step) => placePaperStep(step, [0, 100]))).toEqual([0, 50, 100]);
  expect(placePaperStep(7620, [0, 10, 20, 30, 40])).toBe(20);
});

it("has points whose steps rise and whose values are in order", () => {
  for (const { points } of Object.values(PAPER_CURVES)) {
    expect(points.every(({ low, high }) => low <= high)).toBe(true);
    expect(points.slice(1).every(({ step }, k) => step > (points[k]?.step ?? 0))).toBe(true);
  }
});
