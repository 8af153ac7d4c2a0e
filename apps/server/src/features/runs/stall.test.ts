import { expect, it } from "vitest";
import { addStep, type StepTimes, stalledSecs } from "./stall.ts";

function steps(every_secs: number, n: number): StepTimes | undefined {
  let known: StepTimes | undefined;
  for (let step = 1; step <= n; step++) known = addStep(known, step, step * every_secs);
  return known;
}

it("calls an attempt stalled after ten times its median step, and never before the floor", () => {
  expect(stalledSecs(steps(1, 20), 20 + 599, 600)).toBeNull();
  expect(stalledSecs(steps(1, 20), 20 + 601, 600)).toBe(601);
  expect(stalledSecs(steps(100, 20), 2000 + 999, 600)).toBeNull();
  expect(stalledSecs(steps(100, 20), 2000 + 1001, 600)).toBe(1001);
});

it("says nothing while too few steps were seen, and takes a repeated step for none", () => {
  expect(stalledSecs(undefined, 1e6, 600)).toBeNull();
  expect(stalledSecs(steps(1, 2), 1e6, 600)).toBeNull();
  const known = steps(1, 5);
  expect(addStep(known, 5, 99)).toBe(known);
});
