/** What two pictures say of the camera between them, before anybody names it. */
import type { Size } from "../keyframes/index.ts";
import { countRotationInliers, fitRotation, getRotationCost } from "./fit-rotation.ts";
import { fitTravel, getTravelCost, type TravelFit } from "./fit-travel.ts";
import { IDENTITY, type Rotation, toRays, type Vector } from "./rays.ts";
import type { PointPair } from "./types.ts";

export type PairFit = {
  /** Pairs that were four finite numbers. */
  matches: number;
  /** Pairs that agree with what follows. */
  inliers: number;
  /** Why nothing is said of the camera; null when something is. */
  failure: "few_matches" | "few_inliers" | "one_spot" | "mirrored" | null;
  /** Directions of the later camera in the axes of the earlier one. */
  rotation: Rotation;
  /** Where the later camera stands, as direction in the earlier one's axes; null where it has not moved. */
  travel: Vector | null;
  /** Length of the travel ÷ median distance of what is seen; 0 where it has not moved. */
  shift: number;
};

/** A match may be off by this share of the picture's width, or by so many pixels if that is more. */
const WITHIN_SHARE = 0.006;
const WITHIN_PX = 2;
/** Standard deviation of a feature's place, likewise. */
const SIGMA_SHARE = 0.002;
const SIGMA_PX = 0.8;
const LEAST_MATCHES = 8;
const LEAST_INLIERS = 12;
/** Least share of the matches that agree. */
const LEAST_SHARE = 0.15;
/** Least standard deviation of the inliers' places, as share of the picture's width. */
const LEAST_SPREAD = 0.04;
/** Agreeing matches that no camera could see, per agreeing one that it could. */
const MOST_IMPOSSIBLE = 0.4;
/** What a free parameter costs, and a match's unknown depth; in squared standard deviations. */
const PARAMETER_COST = 6;
const DEPTH_COST = Math.log(4);

/**
 * Which of four explanations the matches support: the camera stood still, it turned, it moved, it did both. Each is charged
 * for what it leaves unexplained, for its free parameters (0, 3, 2, 5) and, where the camera moves, for every match's depth:
 * Torr's geometric information criterion. A turn that looks like a sideways move, or the other way round, is told by the
 * perspective terms: a turn by θ shifts the middle by f θ, but the edge, at x focal lengths, by f θ (1 + x²); a move over a
 * frontal plane shifts both alike, and over anything else leaves parallax.
 */
export function fitPair(pairs: readonly PointPair[], size: Size, field_of_view_deg: number): PairFit {
  const rays = toRays(pairs, size, field_of_view_deg);
  const fit: PairFit = {
    matches: rays.count,
    inliers: 0,
    failure: null,
    rotation: IDENTITY,
    travel: null,
    shift: 0,
  };
  if (rays.count < LEAST_MATCHES) return { ...fit, failure: "few_matches" };
  const within = Math.max(WITHIN_PX, WITHIN_SHARE * size.width) * rays.pixel;
  const sigma = Math.max(SIGMA_PX, SIGMA_SHARE * size.width) * rays.pixel;

  // Orthogonal distances in four dimensions: a turn leaves two of them, a travel one, and at most two deviations of each count.
  const costOfTurn = (rotation: Rotation) =>
    getRotationCost(rays, rotation, Math.sqrt(8) * sigma) / (2 * sigma * sigma);
  const costOfTravel = (travelled: TravelFit) =>
    getTravelCost(rays, travelled, Math.SQRT2 * sigma) / (sigma * sigma) + DEPTH_COST * rays.count;
  const turned = fitRotation(rays, within).rotation;
  const moved = fitTravel(rays, [IDENTITY], within, false);
  const both = fitTravel(rays, [turned, IDENTITY], within);
  const explanations: { cost: number; rotation: Rotation; travelled: TravelFit | null }[] = [
    { cost: costOfTurn(IDENTITY), rotation: IDENTITY, travelled: null },
    { cost: costOfTurn(turned) + 3 * PARAMETER_COST, rotation: turned, travelled: null },
  ];
  for (const [travelled, parameters] of [
    [moved, 2],
    [both, 5],
  ] as const) {
    if (travelled === null) continue;
    const cost = costOfTravel(travelled) + parameters * PARAMETER_COST;
    explanations.push({ cost, rotation: travelled.rotation, travelled });
  }
  explanations.sort((a, b) => a.cost - b.cost);
  const [best] = explanations;
  if (best === undefined) return { ...fit, failure: "few_inliers" };
  fit.rotation = best.rotation;
  fit.inliers = best.travelled?.inliers ?? countRotationInliers(rays, best.rotation, within);
  if (best.travelled !== null) {
    fit.travel = best.travelled.travel;
    fit.shift = best.travelled.shift;
  }
  if (fit.inliers < LEAST_INLIERS || fit.inliers < LEAST_SHARE * rays.count)
    return { ...fit, failure: "few_inliers" };
  if (best.travelled !== null && best.travelled.impossible > MOST_IMPOSSIBLE * fit.inliers)
    return { ...fit, failure: "mirrored" };
  if (getSpread(pairs) < LEAST_SPREAD * size.width) return { ...fit, failure: "one_spot" };
  return fit;
}

/** Standard deviation of the matches' places in the earlier picture, in pixels, along the axis where it is less. */
function getSpread(pairs: readonly PointPair[]): number {
  const deviation = (axis: 0 | 1): number => {
    const values = pairs.map(({ from }) => from[axis]).filter(Number.isFinite);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  };
  return Math.min(deviation(0), deviation(1));
}
