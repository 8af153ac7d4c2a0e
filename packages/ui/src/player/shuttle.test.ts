import { expect, test } from "vitest";
import { pressShuttle, type ShuttleRate } from "./shuttle.ts";

function press(keys: string): ShuttleRate {
  let rate: ShuttleRate = 0;
  for (const key of keys) rate = pressShuttle(rate, key as "j" | "k" | "l");
  return rate;
}

test("L plays, and doubles up to four times", () => {
  expect(["l", "ll", "lll", "llll"].map(press)).toEqual([1, 2, 4, 4]);
});

test("J plays backwards, and doubles up to four times", () => {
  expect(["j", "jj", "jjj", "jjjj"].map(press)).toEqual([-1, -2, -4, -4]);
});

test("K stops, and the other key turns round at normal speed", () => {
  expect(press("llk")).toBe(0);
  expect(press("llj")).toBe(-1);
  expect(press("jjl")).toBe(1);
});
