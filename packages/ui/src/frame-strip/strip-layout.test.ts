import { expect, test } from "vitest";
import { createTimeScale } from "../timeline/time-scale.ts";
import { layStrip, type StripFrame } from "./strip-layout.ts";

const sizes = { full_px: 80, least_px: 12, gap_px: 2 };

function frames(count: number): StripFrame[] {
  return Array.from({ length: count }, (_, i) => ({ frame: i * 30, time_secs: i, kept: i % 5 === 0 }));
}

test("pictures begin at their time and don't cover the next", () => {
  const slots = layStrip(frames(4), createTimeScale({ from_secs: 0, to_secs: 4 }, 200), sizes);
  expect(slots.map(({ x }) => x)).toEqual([0, 50, 100, 150]);
  expect(slots.map(({ width }) => width)).toEqual([48, 48, 48, 80]);
});

test("the last picture can be seen though it begins at the very end of the strip", () => {
  const sparse = layStrip(frames(3), createTimeScale({ from_secs: 0, to_secs: 2 }, 400), sizes);
  expect(sparse.map(({ x, width }) => [x, width])).toEqual([
    [0, 80],
    [200, 80],
    [320, 80],
  ]);
  const dense = layStrip(frames(9), createTimeScale({ from_secs: 0, to_secs: 8 }, 400), sizes);
  expect(dense.slice(-2).map(({ x, width }) => [x, width])).toEqual([
    [350, 23],
    [375, 80],
  ]);
});

test("with room to spare a picture keeps its full width", () => {
  const slots = layStrip(frames(2), createTimeScale({ from_secs: 0, to_secs: 2 }, 400), sizes);
  expect(slots.map(({ width }) => width)).toEqual([80, 80]);
});

test("an hour of frames takes no more pictures than fit", () => {
  const slots = layStrip(frames(3600), createTimeScale({ from_secs: 0, to_secs: 3600 }, 900), sizes);
  expect(slots.length).toBeLessThanOrEqual(Math.ceil(900 / 14) + 1);
  for (const [i, slot] of slots.entries()) {
    const next = slots[i + 1];
    if (next) expect(slot.x + slot.width).toBeLessThanOrEqual(next.x);
  }
});

test("pictures out of view are left out, but not one that reaches into it", () => {
  const slots = layStrip(frames(100), createTimeScale({ from_secs: 50.5, to_secs: 54.5 }, 400), sizes);
  expect(slots.map(({ frame }) => frame / 30)).toEqual([50, 51, 52, 53, 54]);
});
