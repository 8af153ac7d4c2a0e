import type { FrameFeatures, Size } from "../keyframes/index.ts";
import { fitRotation, getRotationCost, listRotationInliers } from "./fit-rotation.ts";
import { fitTravel } from "./fit-travel.ts";
import { getPointPairs } from "./pairs.ts";
import { getAngle, IDENTITY, toRays } from "./rays.ts";
import type { PointPair } from "./types.ts";

const NARROWEST_DEG = 40;
const WIDEST_DEG = 120;
const STEP_DEG = 4;
const MOST_LINKS = 16;
const LEAST_MATCHES = 25;
/** A turn of less hardly shows the perspective. */
const LEAST_TURN = 0.14;
const WITHIN_PX = 2.5;
/** A travel may explain so many times as many matches as a turn: else it was none. */
const TURN_SHARE = 0.9;
/** The picture at this many degrees more or less must fit worse by so many squared pixels a link. */
const SIDE_STEPS = 3;
const LEAST_RISE = 12;

/**
 * The horizontal field of view, where a clip shows it: while the camera turns without moving, only one field of view makes
 * the matches one turn. By θ turned, a point at x focal lengths from the middle moves by f (tan(atan x + θ) − x): its curve
 * over x gives f. The sum of the turns' costs over neighbouring frames is searched on a grid and its lowest point refined
 * by a parabola.
 *
 * @param frames  Features of sampled frames, in order.
 * @returns Degrees in [40, 120]; null where nothing turns enough, or where wide and narrow fit alike.
 */
export function findFieldOfView(frames: readonly FrameFeatures[]): number | null {
  const links: { pairs: PointPair[]; size: Size }[] = [];
  for (const [i, later] of frames.entries()) {
    const earlier = frames[i - 1];
    if (earlier === undefined) continue;
    const pairs = getPointPairs(earlier, later);
    if (pairs.length >= LEAST_MATCHES) links.push({ pairs, size: later });
  }
  const total = new Float64Array(Math.floor((WIDEST_DEG - NARROWEST_DEG) / STEP_DEG) + 1);
  let turns = 0;
  const every = Math.max(1, Math.ceil(links.length / MOST_LINKS));
  for (let i = 0; i < links.length; i += every) {
    const { pairs, size } = links[i] as (typeof links)[number];
    const costs = getTurnCosts(pairs, size, total.length);
    if (costs === null) continue;
    turns += 1;
    for (const [k, cost] of costs.entries()) (total[k] as number) += cost;
  }
  return turns === 0 ? null : findLowest(total, turns);
}

/** Squared misses of the best turn at each field of view of the grid, in pixels; null when the camera did not turn, or moved too. */
function getTurnCosts(pairs: readonly PointPair[], size: Size, count: number): number[] | null {
  const costs: number[] = [];
  let best = { cost: Number.POSITIVE_INFINITY, inliers: 0, angle: 0, deg: 0 };
  for (let k = 0; k < count; k += 1) {
    const deg = NARROWEST_DEG + k * STEP_DEG;
    const rays = toRays(pairs, size, deg);
    const within = WITHIN_PX * rays.pixel;
    const rotation = fitRotation(rays, within);
    const cost = getRotationCost(rays, rotation, within) / rays.pixel ** 2;
    costs.push(cost);
    if (cost >= best.cost) continue;
    best = {
      cost,
      inliers: listRotationInliers(rays, rotation, within).reduce((sum, inlier) => sum + inlier, 0),
      angle: getAngle(rotation),
      deg,
    };
  }
  if (best.angle < LEAST_TURN || best.inliers < LEAST_MATCHES / 2) return null;
  const rays = toRays(pairs, size, best.deg);
  const travelled = fitTravel(rays, [IDENTITY], WITHIN_PX * rays.pixel, true);
  return travelled !== null && best.inliers < TURN_SHARE * travelled.inliers ? null : costs;
}

function findLowest(costs: Float64Array, turns: number): number | null {
  let k = 0;
  for (const [i, cost] of costs.entries()) if (cost < (costs[k] as number)) k = i;
  const lowest = costs[k] as number;
  const left = costs[k - 1];
  const right = costs[k + 1];
  const narrow = costs[Math.max(0, k - SIDE_STEPS)] as number;
  const wide = costs[Math.min(costs.length - 1, k + SIDE_STEPS)] as number;
  if (left === undefined || right === undefined) return null;
  if (Math.min(narrow, wide) - lowest < LEAST_RISE * turns) return null;
  const offset = (left - right) / (2 * (left - 2 * lowest + right));
  return NARROWEST_DEG + (k + (Number.isFinite(offset) ? offset : 0)) * STEP_DEG;
}
