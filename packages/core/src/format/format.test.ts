import { describe, expect, test } from "vitest";
import {
  formatAgo,
  formatBytes,
  formatClock,
  formatCodec,
  formatCount,
  formatFrame,
  formatLasting,
  formatNumberOf,
} from "./index.ts";

describe("formatClock", () => {
  test.each([
    [0, "0:00.0"],
    [7.13, "0:07.1"],
    [67.44, "1:07.4"],
    [59.96, "1:00.0"],
    [3599.97, "1:00:00.0"],
    [3725.5, "1:02:05.5"],
    [-0.013, "0:00.0"],
    [-1.5, "−0:01.5"],
    [null, "–"],
    [Number.NaN, "–"],
  ])("%s is %s", (secs, text) => {
    expect(formatClock(secs)).toBe(text);
  });
});

test("a frame is named by ordinal and time", () => {
  expect(formatFrame(214, 7.1333)).toBe("frame 214 · 7.13 s");
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.00 kB"],
  [4_062_000, "4.06 MB"],
  [999_999, "1.00 MB"],
  [188_400_000, "188 MB"],
  [12_300_000_000, "12.3 GB"],
])("%s bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test("counts are grouped and nouns agree", () => {
  expect(formatCount(1_234_567)).toBe("1\u202f234\u202f567");
  expect(formatNumberOf(1, "clip")).toBe("1 clip");
  expect(formatNumberOf(0, "clip")).toBe("0 clips");
});

test("codecs are named as people write them", () => {
  expect(["h264", "vp9", "dirac", null].map(formatCodec)).toEqual(["H.264", "VP9", "dirac", "–"]);
});

test("stretches are short", () => {
  expect([5, 130, 7300, 3 * 86_400].map(formatLasting)).toEqual(["a moment", "2 min", "2 h", "3 days"]);
});

test("ages are short", () => {
  expect(formatAgo(100, 130)).toBe("just now");
  expect(formatAgo(0, 3599)).toBe("59 min ago");
  expect(formatAgo(0, 7300)).toBe("2 h ago");
  expect(formatAgo(0, 86_400)).toBe("1 day ago");
  expect(formatAgo(0, 90 * 86_400)).toBe("1970-01-01");
});
