import { expect, test } from "vitest";
import { getFrameAt } from "./index.ts";

test("B41: the frame at a moment comes from the sample table", () => {
  const times = [0, 0.033, 0.067, 0.4, 0.433];
  expect(getFrameAt(times, 0.4)).toBe(3);
  expect(getFrameAt(times, 0.399)).toBe(2);
  expect(getFrameAt(times, -1)).toBe(0);
  expect(getFrameAt(times, 9)).toBe(4);
});
