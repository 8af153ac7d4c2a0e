import { expect, test } from "vitest";
import { drawOrdinalStrip, MAX_STRIP_ORDINAL, readOrdinalStrip } from "./ordinal-strip.ts";

const WIDTH = 320;
const HEIGHT = 240;

test("a strip reads back what was drawn", () => {
  for (const ordinal of [0, 1, 2, 5, 1234, 2047, MAX_STRIP_ORDINAL]) {
    const luma = new Uint8Array(WIDTH * HEIGHT).fill(90);
    drawOrdinalStrip(luma, WIDTH, HEIGHT, ordinal);
    expect(readOrdinalStrip(WIDTH, HEIGHT, (x, y) => luma[y * WIDTH + x] ?? 0)).toBe(ordinal);
  }
});

test("a picture without a strip, or with a turned or mirrored one, reads as nothing", () => {
  const luma = new Uint8Array(WIDTH * HEIGHT).fill(90);
  expect(readOrdinalStrip(WIDTH, HEIGHT, () => 16)).toBeNull();
  expect(readOrdinalStrip(WIDTH, HEIGHT, () => 235)).toBeNull();
  drawOrdinalStrip(luma, WIDTH, HEIGHT, 9);
  expect(readOrdinalStrip(WIDTH, HEIGHT, (x, y) => luma[(HEIGHT - 1 - y) * WIDTH + x] ?? 0)).toBeNull();
  expect(readOrdinalStrip(HEIGHT, WIDTH, (x, y) => luma[x * WIDTH + y] ?? 0)).toBeNull();
});
