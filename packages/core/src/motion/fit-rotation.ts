/** The turn that explains most matches, if the camera stayed where it was. */
import {
  compose,
  cross,
  IDENTITY,
  normalize,
  type RayPairs,
  type Rotation,
  turnBy,
  type Vector,
} from "./rays.ts";
import { solveSymmetric } from "./solve.ts";

const DRAWS = 300;
const REFITS = 12;

/** xorshift32: the same matches give the same answer. */
export function createDraw(seed: number): (below: number) => number {
  let state = (seed * 2654435761) | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/**
 * Without a move every direction turns alike: p = R q. Two matches fix R (their directions and the normal of the plane
 * through them go over into each other); the proposal with the smallest sum of squared angles, each at most `within`²,
 * is refined by Gauss–Newton with the same bound.
 *
 * @param within  Radians; a match that is further off does not count.
 */
export function fitRotation(rays: RayPairs, within: number): Rotation {
  const draw = createDraw(rays.count);
  let rotation = IDENTITY;
  let cost = getRotationCost(rays, rotation, within);
  for (let i = 0; i < DRAWS && rays.count >= 2; i += 1) {
    const a = draw(rays.count);
    const b = draw(rays.count);
    const proposed = a === b ? null : turnTwo(rays, a, b, within);
    if (proposed === null) continue;
    const proposedCost = getRotationCost(rays, proposed, within);
    if (proposedCost < cost) [rotation, cost] = [proposed, proposedCost];
  }
  for (let i = 0; i < REFITS; i += 1) {
    const refined = refine(rays, rotation, within);
    if (refined === null) break;
    const refinedCost = getRotationCost(rays, refined, within);
    if (refinedCost >= cost) break;
    [rotation, cost] = [refined, refinedCost];
  }
  return rotation;
}

function rayAt(rays: Float64Array, i: number): Vector {
  return [rays[3 * i] as number, rays[3 * i + 1] as number, rays[3 * i + 2] as number];
}

function turnTwo({ from, to }: RayPairs, i: number, j: number, within: number): Rotation | null {
  const before = getTriad(rayAt(from, i), rayAt(from, j));
  const after = getTriad(rayAt(to, i), rayAt(to, j));
  if (before === null || after === null || Math.abs(before.angle - after.angle) > 3 * within) return null;
  const rotation = new Float64Array(9);
  for (let row = 0; row < 3; row += 1)
    for (let column = 0; column < 3; column += 1)
      for (let k = 0; k < 3; k += 1)
        (rotation[3 * row + column] as number) +=
          (before.axes[k]?.[row] as number) * (after.axes[k]?.[column] as number);
  return rotation;
}

/** Three axes that belong to two directions, and the angle between these; null when they are too close. */
function getTriad(a: Vector, b: Vector): { axes: readonly Vector[]; angle: number } | null {
  const middle = normalize([a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
  const across = normalize([a[0] - b[0], a[1] - b[1], a[2] - b[2]]);
  if (middle === null || across === null) return null;
  const angle = 2 * Math.asin(Math.min(1, Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / 2));
  return angle < 0.02 ? null : { axes: [middle, across, cross(middle, across)], angle };
}

/** Squared angle between a match's directions after the turn. */
function getMiss({ from, to }: RayPairs, r: Rotation, i: number): number {
  const x = to[i] as number;
  const y = to[i + 1] as number;
  const z = to[i + 2] as number;
  const dx = (r[0] as number) * x + (r[1] as number) * y + (r[2] as number) * z - (from[i] as number);
  const dy = (r[3] as number) * x + (r[4] as number) * y + (r[5] as number) * z - (from[i + 1] as number);
  const dz = (r[6] as number) * x + (r[7] as number) * y + (r[8] as number) * z - (from[i + 2] as number);
  return dx * dx + dy * dy + dz * dz;
}

/** Sum over the matches of the squared angle, each at most `within`². */
export function getRotationCost(rays: RayPairs, rotation: Rotation, within: number): number {
  const limit = within * within;
  let cost = 0;
  for (let i = 0; i < 3 * rays.count; i += 3) cost += Math.min(limit, getMiss(rays, rotation, i));
  return cost;
}

/** Per match 1 where it agrees with the turn, else 0. */
export function listRotationInliers(rays: RayPairs, rotation: Rotation, within: number): Uint8Array {
  return Uint8Array.from({ length: rays.count }, (_, i) =>
    getMiss(rays, rotation, 3 * i) < within * within ? 1 : 0,
  );
}

/** One step of Gauss–Newton: Σ (1 − v vᵀ) ω = Σ v × p over the matches within reach, v = R q. */
function refine(rays: RayPairs, r: Rotation, within: number): Rotation | null {
  const matrix = new Float64Array(9);
  const right = new Float64Array(3);
  for (let i = 0; i < rays.count; i += 1) {
    if (getMiss(rays, r, 3 * i) >= within * within) continue;
    const q = rayAt(rays.to, i);
    const p = rayAt(rays.from, i);
    const v: Vector = [
      (r[0] as number) * q[0] + (r[1] as number) * q[1] + (r[2] as number) * q[2],
      (r[3] as number) * q[0] + (r[4] as number) * q[1] + (r[5] as number) * q[2],
      (r[6] as number) * q[0] + (r[7] as number) * q[1] + (r[8] as number) * q[2],
    ];
    const turn = cross(v, p);
    for (let row = 0; row < 3; row += 1) {
      (right[row] as number) += turn[row] as number;
      for (let column = 0; column < 3; column += 1)
        (matrix[3 * row + column] as number) +=
          (row === column ? 1 : 0) - (v[row] as number) * (v[column] as number);
    }
  }
  if (!solveSymmetric(matrix, right, 1e-9)) return null;
  return compose(turnBy([right[0] as number, right[1] as number, right[2] as number]), r);
}
