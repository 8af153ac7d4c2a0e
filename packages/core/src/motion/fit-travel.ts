/**
 * Turn and direction of travel together, from the one thing that holds whatever the depths: what is seen, seen again and
 * the way between the two cameras lie in one plane.
 */
import { createDraw } from "./fit-rotation.ts";
import { compose, cross, normalize, type RayPairs, type Rotation, turnBy, type Vector } from "./rays.ts";
import { solveSymmetric } from "./solve.ts";

export type TravelFit = {
  rotation: Rotation;
  /** Where the later camera stands, seen from the earlier one; length 1. */
  travel: Vector;
  /** Matches that lie on their plane, in front of both cameras. */
  inliers: number;
  /** Matches that lie on their plane, but behind a camera or on its other side: no camera sees that. */
  impossible: number;
  cost: number;
  /** Length of the travel ÷ the inliers' median distance. */
  shift: number;
  /** Standard deviation of the inliers' misses, in radians, by their median. */
  sigma: number;
};

type Pose = { rotation: Rotation; travel: Vector };
type Scored = { cost: number; inliers: number; impossible: number; sign: 1 | -1 };

const GUESSES = 60;
const DRAWS = 150;
const SAMPLE = 5;
const REFITS = 15;

/**
 * The later camera has turned by R and stands at c, |c| = 1 (pictures don't tell how far). A thing in direction p of the
 * first camera is in direction v = R q of the second, in the first one's axes. p, v and c lie in a plane:
 *
 *     c · (p × v) = 0
 *
 * and the angle by which a match misses its plane is, to first order, c·(p×v) ÷ √(|v×c|² + |c×p|²). Squared, bounded by
 * `within`² and summed, it is minimised over the three parameters of R and the two of c by Gauss–Newton (v moves by ω × v,
 * c within its tangent plane). Starts: for each rotation handed in, the planes' normals p × v of two matches give c, where
 * all lines of flow meet: their cross product; and samples of five matches, brought onto their planes from there.
 *
 * A thing stands in front of both cameras: its distances are s = |c×v| ÷ |p×v| and s' = |c×p| ÷ |p×v|, both with the sign
 * that makes s p = c + s' v. Matches of the other sign don't count, and decide between c and −c.
 *
 * @param within  Radians.
 * @param canTurn  False: R stays as it starts.
 */
export function fitTravel(
  rays: RayPairs,
  starts: readonly Rotation[],
  within: number,
  canTurn = true,
): TravelFit | null {
  if (rays.count < SAMPLE) return null;
  const draw = createDraw(rays.count + 7);
  const all = Int32Array.from({ length: rays.count }, (_, i) => i);
  let best: Pose | null = null;
  let bestCost = Number.POSITIVE_INFINITY;

  const consider = (pose: Pose): void => {
    let tried = pose;
    let cost = score(rays, tried, within).cost;
    if (cost > 1.15 * bestCost) return;
    for (const reach of [4, 2, 1, 1, 1]) {
      const next = refine(rays, all, tried, reach * within, canTurn);
      if (next === null) break;
      const refined = score(rays, next, within).cost;
      if (reach === 1 && refined >= cost) break;
      [tried, cost] = [next, refined];
    }
    if (cost < bestCost) [best, bestCost] = [tried, cost];
  };

  for (const rotation of starts) {
    let guess: Pose | null = null;
    let guessCost = Number.POSITIVE_INFINITY;
    for (let i = 0; i < GUESSES; i += 1) {
      const pose = guessTravel(rays, rotation, draw(rays.count), draw(rays.count));
      if (pose === null) continue;
      const { cost } = score(rays, pose, 3 * within);
      if (cost < guessCost) [guess, guessCost] = [pose, cost];
    }
    if (guess !== null) consider(guess);
  }
  const sample = new Int32Array(SAMPLE);
  for (let i = 0; i < DRAWS && canTurn; i += 1) {
    for (let k = 0; k < SAMPLE; k += 1) sample[k] = draw(rays.count);
    const start = starts[i % starts.length] as Rotation;
    let pose = guessTravel(rays, start, sample[0] as number, sample[1] as number);
    for (let step = 0; step < 5 && pose !== null; step += 1)
      pose = refine(rays, sample, pose, Number.POSITIVE_INFINITY, canTurn);
    if (pose !== null) consider(pose);
  }
  if (best === null) return null;
  for (let i = 0; i < REFITS; i += 1) {
    const next = refine(rays, all, best, within, canTurn);
    if (next === null) break;
    const { cost } = score(rays, next, within);
    if (cost >= bestCost * (1 - 1e-6)) break;
    [best, bestCost] = [next, cost];
  }
  const { rotation, travel } = best as Pose;
  const { inliers, impossible, sign, cost } = score(rays, best, within);
  const ahead: Vector = [sign * travel[0], sign * travel[1], sign * travel[2]];
  return {
    rotation,
    travel: ahead,
    inliers,
    impossible,
    cost,
    ...measure(rays, rotation, ahead, within),
  };
}

/** Sum over the matches of the squared miss, each at most `within`². */
export function getTravelCost(
  rays: RayPairs,
  fit: Pick<TravelFit, "rotation" | "travel">,
  within: number,
): number {
  return score(rays, fit, within).cost;
}

/** Per match 1 where it lies on its plane in front of both cameras, else 0. */
export function listTravelInliers(
  rays: RayPairs,
  fit: Pick<TravelFit, "rotation" | "travel">,
  within: number,
): Uint8Array {
  const one = (i: number): RayPairs => ({
    ...rays,
    count: 1,
    from: rays.from.subarray(3 * i, 3 * i + 3),
    to: rays.to.subarray(3 * i, 3 * i + 3),
  });
  return Uint8Array.from({ length: rays.count }, (_, i) => {
    const { inliers, sign } = score(one(i), fit, within);
    return inliers === 1 && sign === 1 ? 1 : 0;
  });
}

function seenAgain(r: Rotation, q: Float64Array, i: number): Vector {
  const x = q[i] as number;
  const y = q[i + 1] as number;
  const z = q[i + 2] as number;
  return [
    (r[0] as number) * x + (r[1] as number) * y + (r[2] as number) * z,
    (r[3] as number) * x + (r[4] as number) * y + (r[5] as number) * z,
    (r[6] as number) * x + (r[7] as number) * y + (r[8] as number) * z,
  ];
}

function rayAt(rays: Float64Array, i: number): Vector {
  return [rays[i] as number, rays[i + 1] as number, rays[i + 2] as number];
}

function guessTravel(rays: RayPairs, rotation: Rotation, i: number, j: number): Pose | null {
  const normalOf = (k: number): Vector => cross(rayAt(rays.from, 3 * k), seenAgain(rotation, rays.to, 3 * k));
  const travel = normalize(cross(normalOf(i), normalOf(j)));
  return travel === null ? null : { rotation, travel };
}

/** Below this many times `within` a parallax has no side. */
const NO_SIDE = 1.5;

function score(rays: RayPairs, { rotation: r, travel: c }: Pose, within: number): Scored {
  const limit = within * within;
  const noSide = (NO_SIDE * within) ** 2;
  let [either, plus, minus] = [0, 0, 0];
  let [costEither, costPlus, costMinus] = [0, 0, 0];
  let mixed = 0;
  for (let i = 0; i < 3 * rays.count; i += 3) {
    const px = rays.from[i] as number;
    const py = rays.from[i + 1] as number;
    const pz = rays.from[i + 2] as number;
    const qx = rays.to[i] as number;
    const qy = rays.to[i + 1] as number;
    const qz = rays.to[i + 2] as number;
    const vx = (r[0] as number) * qx + (r[1] as number) * qy + (r[2] as number) * qz;
    const vy = (r[3] as number) * qx + (r[4] as number) * qy + (r[5] as number) * qz;
    const vz = (r[6] as number) * qx + (r[7] as number) * qy + (r[8] as number) * qz;
    const nx = py * vz - pz * vy;
    const ny = pz * vx - px * vz;
    const nz = px * vy - py * vx;
    const ax = c[1] * vz - c[2] * vy;
    const ay = c[2] * vx - c[0] * vz;
    const az = c[0] * vy - c[1] * vx;
    const bx = c[1] * pz - c[2] * py;
    const by = c[2] * px - c[0] * pz;
    const bz = c[0] * py - c[1] * px;
    const spread = ax * ax + ay * ay + az * az + bx * bx + by * by + bz * bz;
    const off = c[0] * nx + c[1] * ny + c[2] * nz;
    const miss = spread > 1e-12 ? (off * off) / spread : nx * nx + ny * ny + nz * nz;
    if (miss >= limit) {
      costEither += limit;
      continue;
    }
    if (nx * nx + ny * ny + nz * nz < noSide) {
      either += 1;
      costEither += miss;
      continue;
    }
    const near = nx * ax + ny * ay + nz * az;
    const far = nx * bx + ny * by + nz * bz;
    if (near > 0 && far > 0) {
      plus += 1;
      costPlus += miss - limit;
    } else if (near < 0 && far < 0) {
      minus += 1;
      costMinus += miss - limit;
    } else mixed += 1;
    costEither += limit;
  }
  const isPlus = costPlus <= costMinus;
  return {
    cost: costEither + Math.min(costPlus, costMinus),
    inliers: either + (isPlus ? plus : minus),
    impossible: mixed + (isPlus ? minus : plus),
    sign: isPlus ? 1 : -1,
  };
}

const NONE: Vector = [0, 0, 0];

/** One step of Gauss–Newton over the given matches that miss their plane by less than `within`. */
function refine(
  rays: RayPairs,
  matches: Int32Array,
  { rotation, travel: c }: Pose,
  within: number,
  canTurn: boolean,
): Pose | null {
  const matrix = new Float64Array(25);
  const right = new Float64Array(5);
  const row = new Float64Array(5);
  const across = normalize(Math.abs(c[2]) < 0.9 ? cross(c, [0, 0, 1]) : cross(c, [1, 0, 0]));
  if (across === null) return null;
  const along = cross(c, across);
  for (const match of matches) {
    const p = rayAt(rays.from, 3 * match);
    const v = seenAgain(rotation, rays.to, 3 * match);
    const n = cross(p, v);
    const a = cross(c, p);
    const b = cross(v, c);
    const spread = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    if (spread < 1e-12) continue;
    const off = c[0] * n[0] + c[1] * n[1] + c[2] * n[2];
    if (off * off >= within * within * spread) continue;
    const turn = canTurn ? cross(v, a) : NONE;
    const weight = 1 / spread;
    row[0] = turn[0];
    row[1] = turn[1];
    row[2] = turn[2];
    row[3] = across[0] * n[0] + across[1] * n[1] + across[2] * n[2];
    row[4] = along[0] * n[0] + along[1] * n[1] + along[2] * n[2];
    for (let i = 0; i < 5; i += 1) {
      (right[i] as number) -= weight * (row[i] as number) * off;
      for (let j = 0; j < 5; j += 1)
        (matrix[5 * i + j] as number) += weight * (row[i] as number) * (row[j] as number);
    }
  }
  if (!solveSymmetric(matrix, right, 1e-4)) return null;
  const turn: Vector = [right[0] as number, right[1] as number, right[2] as number];
  if (Math.hypot(...turn) > 1) return null;
  const moved = normalize([
    c[0] + across[0] * (right[3] as number) + along[0] * (right[4] as number),
    c[1] + across[1] * (right[3] as number) + along[1] * (right[4] as number),
    c[2] + across[2] * (right[3] as number) + along[2] * (right[4] as number),
  ]);
  return moved === null ? null : { rotation: compose(turnBy(turn), rotation), travel: moved };
}

/** Median of |c| ÷ distance over the inliers, leaving out the neighbourhood of the meeting point, where depth does not show. */
function measure(
  rays: RayPairs,
  rotation: Rotation,
  c: Vector,
  within: number,
): Pick<TravelFit, "shift" | "sigma"> {
  const shifts: number[] = [];
  const misses: number[] = [];
  for (let i = 0; i < 3 * rays.count; i += 3) {
    const p = rayAt(rays.from, i);
    const v = seenAgain(rotation, rays.to, i);
    const n = cross(p, v);
    const a = cross(c, v);
    const b = cross(c, p);
    const reach = Math.hypot(...a);
    const miss = Math.abs(c[0] * n[0] + c[1] * n[1] + c[2] * n[2]) / Math.hypot(reach, ...b);
    if (miss >= within) continue;
    misses.push(miss);
    const side = n[0] * a[0] + n[1] * a[1] + n[2] * a[2];
    if (reach >= 0.1) shifts.push((Math.sign(side) * Math.hypot(...n)) / reach);
  }
  return { shift: Math.max(0, getMedian(shifts)), sigma: 1.4826 * getMedian(misses) };
}

function getMedian(values: number[]): number {
  values.sort((a, b) => a - b);
  return values[values.length >> 1] ?? 0;
}
