import { expect, test } from "vitest";
import { getFrameAt, getSampledFrames } from "./index.ts";

test("B41: the frame at a moment comes from the sample table", () => {
  const times = [0, 0.033, 0.067, 0.4, 0.433];
  expect(getFrameAt(times, 0.4)).toBe(3);
  expect(getFrameAt(times, 0.399)).toBe(2);
  expect(getFrameAt(times, -1)).toBe(0);
  expect(getFrameAt(times, 9)).toBe(4);
});

test("sampled frames are those on screen at multiples of the interval, and the last", () => {
  const thirty = Array.from({ length: 100 }, (_, frame) => frame / 30);
  expect(getSampledFrames(thirty, 1)).toEqual([0, 30, 60, 90, 99]);
  expect(getSampledFrames([], 1)).toEqual([]);
  expect(getSampledFrames([0], 1)).toEqual([0]);
  expect(getSampledFrames([0, 0.1], 1)).toEqual([0, 1]);
});

test("S03: sampling goes by time at 29.97, below 1 and at uneven rates", () => {
  const ntsc = Array.from({ length: 91 }, (_, frame) => (frame * 1001) / 30000);
  expect(getSampledFrames(ntsc, 1)).toEqual([0, 29, 59, 89, 90]);
  const slow = Array.from({ length: 4 }, (_, frame) => frame * 2);
  expect(getSampledFrames(slow, 1)).toEqual([0, 1, 2, 3]);
  expect(getSampledFrames([0, 0.033, 0.067, 3.4, 3.433], 1)).toEqual([0, 2, 4]);
});

test("an interval that is not exact in binary still meets its frames", () => {
  const times = Array.from({ length: 400 }, (_, frame) => frame / 100);
  expect(getSampledFrames(times, 0.29).slice(0, 11)).toEqual([
    0, 29, 58, 87, 116, 145, 174, 203, 232, 261, 290,
  ]);
});
