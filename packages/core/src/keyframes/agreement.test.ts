import { expect, test } from "vitest";
import { countAgreement, pairFrames } from "./agreement.ts";
import { SIGHTLINE_SETTINGS } from "./settings.ts";
import type { KeyFrameSelection } from "./types.ts";

const select = (sampled: readonly number[], kept: readonly number[]): KeyFrameSelection => ({
  clip_id: "clip",
  settings: SIGHTLINE_SETTINGS,
  settings_hash: "0",
  plane_width: 64,
  plane_height: 48,
  note: null,
  decisions: sampled.map((frame) => ({
    frame,
    time_secs: frame / 10,
    kept: kept.includes(frame),
    rule: kept.includes(frame) ? "low_overlap" : "enough_overlap",
    overlap: 0.5,
    evidence: null,
    features: 100,
  })),
});
const every10 = [0, 10, 20, 30, 40, 50];

test("frames are kept by both, by one, by neither", () => {
  const frames = pairFrames(select(every10, [0, 20, 50]), select(every10, [0, 30, 50]));
  expect(frames.map(({ kept }) => kept)).toEqual(["both", "neither", "a", "b", "neither", "both"]);
  expect(countAgreement(frames)).toEqual({
    kept_a: 3,
    kept_b: 3,
    both: 2,
    only_a: 1,
    only_b: 1,
    neither: 2,
    jaccard: 0.5,
    jaccard_near: 1,
  });
});

test("a frame pairs with one neighbour only", () => {
  const { jaccard, jaccard_near } = countAgreement(
    pairFrames(select(every10, [20]), select(every10, [10, 30])),
  );
  expect(jaccard).toBe(0);
  expect(jaccard_near).toBeCloseTo(0.5);
});

test("different sampling: a frame that one side never looked at is not kept by it", () => {
  const frames = pairFrames(select([0, 20, 40], [0, 40]), select([0, 10, 20, 30, 40], [0, 10, 40]));
  expect(frames.map(({ frame, kept }) => [frame, kept])).toEqual([
    [0, "both"],
    [10, "b"],
    [20, "neither"],
    [30, "neither"],
    [40, "both"],
  ]);
  expect(frames[1]?.a).toBeNull();
});

test("nothing agrees with nothing", () => {
  expect(countAgreement(pairFrames(select([], []), select([], [])))).toMatchObject({ jaccard: 1, both: 0 });
});
