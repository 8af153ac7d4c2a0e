import type { Size } from "../keyframes/index.ts";
import { fitPair, type PairFit } from "./fit.ts";
import { getStance, levelTravel } from "./level.ts";
import { nameMotion } from "./name.ts";
import { getAngle } from "./rays.ts";
import type { Motion, PointPair } from "./types.ts";

/** Horizontal, where neither a person nor the pictures say another: between a phone's (65°) and a drone's (84°). */
export const DEFAULT_FIELD_OF_VIEW_DEG = 75;

/**
 * What the camera did between two pictures, from places of the same things in both.
 *
 * Pixels become directions by the field of view. Four explanations compete: still, a turn R (what a homography of the form
 * K R K⁻¹ says in pixels), a move c (all flow meets in one point, the focus of expansion), both (the epipolar constraint).
 * The one that leaves least unexplained, charged for its freedom, holds; see `fitPair`, `fitRotation` and `fitTravel` for
 * the derivations. The strongest of turn, tilt and the three ways to move is the word, where it is clearly stronger than
 * the next: a turn counts by its angle, a move by the angle that it spans at the median distance of what is seen. The
 * earlier camera is taken to look at the horizon; `describeMotions`, which knows more cameras, finds out where it looks.
 *
 * @param size  Of both pictures, in pixels.
 * @param field_of_view_deg  Horizontal; null: {@link DEFAULT_FIELD_OF_VIEW_DEG}.
 * @returns "unclear" with its reason where the pictures don't decide. Pairs that are not finite are ignored.
 */
export function estimateMotion(
  pairs: readonly PointPair[],
  size: Size,
  field_of_view_deg: number | null,
): Motion {
  const fit = fitPair(pairs, size, field_of_view_deg ?? DEFAULT_FIELD_OF_VIEW_DEG);
  if (fit.failure !== null) return explainFailure(fit);
  const { heading_deg, pitch_deg, roll_deg } = getStance(fit.rotation, 0);
  const [x, y, z] = fit.travel ?? [0, 0, 0];
  const travel = levelTravel([x * fit.shift, y * fit.shift, z * fit.shift], 0);
  const { matches, inliers } = fit;
  const doubtful_deg = fit.isDoubtful ? (getAngle(fit.rotation) * 180) / Math.PI : 0;
  return nameMotion({
    yaw_deg: heading_deg,
    pitch_deg,
    roll_deg,
    ...travel,
    doubtful_deg,
    matches,
    inliers,
  });
}

const FAILURES: Record<NonNullable<PairFit["failure"]>, (fit: PairFit) => string> = {
  few_matches: ({ matches }) =>
    matches === 0
      ? "The two pictures have nothing in common."
      : `The two pictures have only ${matches} ${matches === 1 ? "match" : "matches"}.`,
  few_inliers: ({ inliers, matches }) =>
    `Only ${inliers} of ${matches} matches agree on one motion: too little of the view is common to both.`,
  one_spot: ({ inliers }) => `The ${inliers} matches that agree lie in one spot or on one line.`,
  mirrored: () => "The matches fold or mirror the view, which no camera does.",
};

export function explainFailure(fit: PairFit): Motion {
  return {
    action: "unclear",
    confidence: null,
    reason: FAILURES[fit.failure ?? "few_inliers"](fit),
    yaw_deg: null,
    pitch_deg: null,
    roll_deg: null,
    matches: fit.matches,
    inliers: fit.inliers,
  };
}
