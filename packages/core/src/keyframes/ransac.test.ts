import { expect, it } from "vitest";
import { measureOverlap, projectPoint } from "./geometry.ts";
import { estimateHomography } from "./ransac.ts";
import type { PointPairs } from "./support.ts";
import { createRandom } from "./testing.ts";
import type { Homography } from "./types.ts";

const VIEW = { width: 640, height: 360 };

/** Matches under a homography, some of them wrong, with a little noise. */
function makePairs(h: Homography, right: number, wrong: number, noise_px: number, seed = 1): PointPairs {
  const random = createRandom(seed);
  const count = right + wrong;
  const from = new Float32Array(2 * count);
  const to = new Float32Array(2 * count);
  for (let i = 0; i < count; i += 1) {
    const [x, y] = [random() * VIEW.width, random() * VIEW.height];
    const [u, v] = projectPoint(h, x, y);
    const isWrong = random() < wrong / count;
    from.set([x, y], 2 * i);
    to.set(
      isWrong
        ? [random() * VIEW.width, random() * VIEW.height]
        : [u + (random() - 0.5) * 2 * noise_px, v + (random() - 0.5) * 2 * noise_px],
      2 * i,
    );
  }
  return { count, from, to };
}

it("finds a homography again among as many wrong matches as right ones", () => {
  const truths: Homography[] = [
    [1, 0, 200, 0, 1, -40, 0, 0, 1],
    [0.7, 0, 96, 0, 0.7, 54, 0, 0, 1],
    [1.1, 0.08, -60, -0.05, 0.95, 30, 2e-4, -1e-4, 1],
    [0.9, -0.3, 120, 0.3, 0.9, -60, 0, 0, 1],
  ];
  for (const truth of truths) {
    const found = estimateHomography(makePairs(truth, 100, 100, 0.7), 5, VIEW);
    expect(found).not.toBeNull();
    if (found === null) continue;
    for (const [x, y] of [
      [0, 0],
      [640, 0],
      [640, 360],
      [0, 360],
      [320, 180],
    ] as const) {
      const [u, v] = projectPoint(found.homography, x, y);
      const [a, b] = projectPoint(truth, x, y);
      expect(Math.hypot(u - a, v - b)).toBeLessThan(2.5);
    }
    expect(found.inliers.reduce((sum, inlier) => sum + inlier, 0)).toBeGreaterThan(80);
  }
});

it("is exact without noise", () => {
  const truth: Homography = [1.05, 0.02, -30, -0.01, 0.98, 12, 1e-4, 5e-5, 1];
  const found = estimateHomography(makePairs(truth, 60, 0, 0), 5, VIEW);
  for (const [i, value] of truth.entries()) expect(found?.homography[i]).toBeCloseTo(value, 3);
});

it("never answers with a folded or mirrored view, whatever the matches", () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const found = estimateHomography(makePairs([1, 0, 0, 0, 1, 0, 0, 0, 1], 0, 120, 0, seed), 5, VIEW);
    if (found === null) continue;
    expect(measureOverlap(found.homography, VIEW)).not.toBeNull();
    expect(found.inliers.reduce((sum, inlier) => sum + inlier, 0)).toBeLessThan(16);
  }
});

it("gives the same answer to the same matches", () => {
  const pairs = makePairs([1, 0, 100, 0, 1, 0, 0, 0, 1], 40, 100, 1);
  expect(estimateHomography(pairs, 5, VIEW)).toEqual(estimateHomography(pairs, 5, VIEW));
});

it("has no answer for fewer than four matches or points on a line", () => {
  const line = {
    count: 20,
    from: Float32Array.from({ length: 40 }, (_, i) => i >> 1),
    to: new Float32Array(40),
  };
  expect(estimateHomography(line, 5, VIEW)).toBeNull();
  expect(estimateHomography({ ...line, count: 3 }, 5, VIEW)).toBeNull();
});
