import { readOrdinalStrip } from "@sightline/core/testing";
import { expect, test } from "vitest";
import { drawJpeg } from "./jpeg.ts";
import { scan } from "./scan.ts";
import { decodeJpeg } from "./testing/decode-jpeg.ts";
import { getFixture } from "./testing/fixtures.ts";

async function drawAll(name: string, width: number) {
  const drawn: { ordinal: number; jpeg: Buffer }[] = [];
  await scan(getFixture(name), {
    interval_secs: 0.5,
    onSampled: ({ ordinal, frame, facts }) =>
      void drawn.push({ ordinal, jpeg: drawJpeg(frame, facts, width) }),
  });
  return drawn;
}

test.each([
  ["cfr-30.mp4", 320, "320x240"],
  ["cfr-30.mp4", 1000, "320x240"],
  ["rotated-90.mp4", 256, "256x320"],
  ["rotated-180.mp4", 320, "320x240"],
  ["rotated-270.mov", 256, "256x320"],
  ["pixel-aspect-2-1.mp4", 640, "640x240"],
  ["pixel-aspect-2-1.mp4", 320, "320x120"],
  ["h264-10-bit.mp4", 320, "320x240"],
  ["full-range.mp4", 320, "320x240"],
  ["gif.gif", 320, "320x240"],
  ["odd-size.gif", 320, "320x180"],
  ["hevc.mp4", 320, "320x240"],
] as const)("B45: pictures of %s at %i are upright with square pixels, %s", async (name, width, size) => {
  const drawn = await drawAll(name, width);
  expect(drawn.length).toBeGreaterThan(0);
  for (const { ordinal, jpeg } of drawn) {
    const { width: wide, height, luma } = decodeJpeg(jpeg);
    expect(`${wide}x${height}`).toBe(size);
    expect(readOrdinalStrip(wide, height, (x, y) => luma[y * wide + x] ?? 0)).toBe(ordinal);
  }
});

test("black stays black and white stays white", async () => {
  for (const name of ["cfr-30.mp4", "full-range.mp4"]) {
    const [first] = await drawAll(name, 320);
    const { luma } = decodeJpeg(first?.jpeg ?? new Uint8Array());
    expect(Math.max(...luma.subarray(320 * 10, 320 * 20))).toBeGreaterThan(248);
    expect(Math.min(...luma.subarray(320 * 10, 320 * 20))).toBeLessThan(8);
  }
});
