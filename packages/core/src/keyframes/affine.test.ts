import { expect, it } from "vitest";
import { fitAffine } from "./affine.ts";
import { createRandom } from "./testing.ts";
import type { Homography } from "./types.ts";

const TRUE: Homography = [0.8, 0.1, 30, -0.05, 0.9, -12, 0, 0, 1];

function makePairs(count: number, outliers: number) {
  const random = createRandom(3);
  const from = new Float32Array(2 * count);
  const to = new Float32Array(2 * count);
  for (let i = 0; i < count; i += 1) {
    const [x, y] = [random() * 640, random() * 360];
    from.set([x, y], 2 * i);
    const isOut = i < outliers;
    to.set(
      isOut
        ? [random() * 640, random() * 360]
        : [TRUE[0] * x + TRUE[1] * y + TRUE[2], TRUE[3] * x + TRUE[4] * y + TRUE[5]],
      2 * i,
    );
  }
  return { count, from, to };
}

it("finds the map again, and leaves out what does not agree", () => {
  const pairs = makePairs(100, 4);
  const fit = fitAffine(pairs, new Uint8Array(100).fill(1), 60);
  const again = fit && fitAffine(pairs, fit.inliers, 5);
  expect(again).not.toBeNull();
  for (const [i, value] of TRUE.entries()) expect(again?.homography[i]).toBeCloseTo(value, 2);
  expect(again?.inliers.slice(0, 4).reduce((sum, inlier) => sum + inlier, 0)).toBeLessThan(2);
  expect(again?.inliers.slice(4).every((inlier) => inlier === 1)).toBe(true);
});

it("has no answer for points on a line or too few of them", () => {
  const line = { count: 5, from: Float32Array.of(0, 0, 1, 1, 2, 2, 3, 3, 4, 4), to: new Float32Array(10) };
  expect(fitAffine(line, new Uint8Array(5).fill(1), 5)).toBeNull();
  const two = makePairs(2, 0);
  expect(fitAffine(two, new Uint8Array(2).fill(1), 5)).toBeNull();
});
