import type { FrameFeatures, PairEvidence } from "@sightline/core/keyframes";
import { expect, test } from "vitest";
import { drawMatches, matchFeatures } from "./match-features.ts";

/** Features at given points whose descriptors are random but for a seed. */
function makeFeatures(frame: number, points: [number, number][], seeds: number[]): FrameFeatures {
  const descriptors = new Uint8Array(seeds.length * 32);
  for (const [i, seed] of seeds.entries()) {
    let state = seed * 2654435761;
    for (let byte = 0; byte < 32; byte += 1) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      descriptors[i * 32 + byte] = state >>> 24;
    }
  }
  return {
    frame,
    time_secs: frame,
    width: 100,
    height: 60,
    points: Float32Array.from(points.flat()),
    descriptors,
    noise: 0,
  };
}

const reference = makeFeatures(
  0,
  [
    [10, 10],
    [50, 20],
    [80, 40],
    [30, 50],
  ],
  [1, 2, 3, 4],
);
// The picture moved 5 to the right; one feature is new, one is gone, one is where it should not be.
const candidate = makeFeatures(
  1,
  [
    [55, 20],
    [15, 10],
    [20, 55],
    [90, 5],
  ],
  [2, 1, 3, 9],
);
const evidence: PairEvidence = {
  reference: 0,
  frame: 1,
  matches: 3,
  inliers: 2,
  homography: [1, 0, -5, 0, 1, 0, 0, 0, 1],
  overlap_forward: 0.95,
  overlap_backward: 0.95,
  spread: 1,
  extent: 1,
  failure: null,
};

test("features match where each is the other's nearest", () => {
  const pairs = matchFeatures(reference, candidate);
  expect(pairs).toContainEqual([0, 1]);
  expect(pairs).toContainEqual([1, 0]);
  expect(pairs).toContainEqual([2, 2]);
});

test("what moved as the homography says is an inlier, in display pixels", () => {
  const { matches, quad } = drawMatches(reference, candidate, evidence, 5, 2);
  const inliers = matches.filter(({ is_inlier }) => is_inlier);
  expect(inliers).toHaveLength(2);
  expect(inliers).toContainEqual({ at: [30, 20], was: [20, 20], is_inlier: true });
  expect(quad?.map(([x, y]) => [Math.round(x), Math.round(y)])).toEqual([
    [10, 0],
    [210, 0],
    [210, 120],
    [10, 120],
  ]);
});

test("a pair that failed has no quad", () => {
  const failed = { ...evidence, failure: "few_inliers" as const };
  expect(drawMatches(reference, candidate, failed, 5, 1).quad).toBeNull();
});
