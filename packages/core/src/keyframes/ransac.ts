/**
 * A homography from matched points of which many are wrong, by RANSAC: samples of four matches propose, all matches vote.
 *
 * OpenCV's own takes whatever gathers most votes, and among matches of unrelated pictures that is mostly a folded or
 * collapsed plane. Here a sample is refused at once when no camera could have made it (its corners turn the other way, or
 * it folds the view), which also saves the vote. Better matches are drawn first; a better proposal is refitted to all who
 * voted for it. The draw is seeded: the same matches give the same answer.
 */
import type { Size } from "./geometry.ts";
import type { PointPairs } from "./support.ts";
import type { Homography } from "./types.ts";

export type Found = { homography: Homography; inliers: Uint8Array };

const MOST_DRAWS = 2000;
const CONFIDENCE = 0.995;
/** Matches drawn from at first, by rank; all of them after this many draws. */
const FIRST_RANKS = 40;
const DRAWS_TO_ALL_RANKS = 600;
const REFITS = 4;
/** A view that comes out larger or smaller than this many times its size (in area) is no view. */
const MOST_SCALE = 100;
/** Least depth of a corner ÷ that of the deepest one. */
const LEAST_DEPTH = 1e-3;

/**
 * @param pairs  Best match first.
 * @param within_px  A match votes for a homography that takes its point this near to the other.
 * @param candidate  Size of the candidate, which must not fold on the way to the key-frame.
 * @param reference  Size of the key-frame, which must not fold on the way back.
 * @returns Null when no sample of four makes sense.
 */
export function estimateHomography(
  pairs: PointPairs,
  within_px: number,
  candidate: Size,
  reference: Size = candidate,
): Found | null {
  const { count } = pairs;
  if (count < 4) return null;
  const random = createRandom(count);
  const within = within_px * within_px;
  const sample = new Int32Array(4);
  const h = new Float64Array(9);
  const best = new Float64Array(9);
  let bestCost = Number.POSITIVE_INFINITY;
  let draws = MOST_DRAWS;

  const adopt = (cost: number): void => {
    best.set(h);
    bestCost = cost;
  };
  for (let i = 0; i < draws; i += 1) {
    const ranks = Math.min(count, FIRST_RANKS + Math.floor(((count - FIRST_RANKS) * i) / DRAWS_TO_ALL_RANKS));
    draw(random, Math.max(4, ranks), sample);
    if (!solveFour(pairs, sample, h) || !isSound(h, candidate, reference)) continue;
    const cost = getCost(pairs, h, within, bestCost);
    if (cost >= bestCost) continue;
    adopt(cost);
    for (let refit = 0; refit < REFITS; refit += 1) {
      if (!solveAll(pairs, best, within, h) || !isSound(h, candidate, reference)) break;
      const refitted = getCost(pairs, h, within, bestCost);
      if (refitted >= bestCost) break;
      adopt(refitted);
    }
    draws = Math.min(draws, countDraws(listInliers(pairs, best, within), count, i));
  }
  if (bestCost === Number.POSITIVE_INFINITY) return null;
  const scale = best[8] as number;
  return {
    homography: Array.from(best, (value) => value / scale) as unknown as Homography,
    inliers: listInliers(pairs, best, within),
  };
}

/** xorshift32, seeded by what is drawn from. */
function createRandom(seed: number): (below: number) => number {
  let state = (seed * 2654435761) | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function draw(random: (below: number) => number, below: number, sample: Int32Array): void {
  for (let k = 0; k < 4; k += 1) {
    let pick = random(below);
    while (sample.indexOf(pick) >= 0 && sample.indexOf(pick) < k) pick = random(below);
    sample[k] = pick;
  }
}

/** Draws after which a sample of four true matches was among them with the wanted confidence. */
function countDraws(inliers: Uint8Array, count: number, drawn: number): number {
  const share = inliers.reduce((sum, inlier) => sum + inlier, 0) / count;
  const miss = 1 - share ** 4;
  if (miss <= 0) return drawn;
  return Math.ceil(Math.log(1 - CONFIDENCE) / Math.log(miss));
}

/** Sum over the matches of the squared distance, each at most `within`; gives up above `limit`. */
function getCost({ count, from, to }: PointPairs, h: Float64Array, within: number, limit: number): number {
  const [a, b, c, d, e, f, g, k, s] = h as unknown as Homography;
  let cost = 0;
  for (let i = 0; i < 2 * count; i += 2) {
    const x = from[i] as number;
    const y = from[i + 1] as number;
    const w = 1 / (g * x + k * y + s);
    const dx = (a * x + b * y + c) * w - (to[i] as number);
    const dy = (d * x + e * y + f) * w - (to[i + 1] as number);
    const distance = dx * dx + dy * dy;
    if (distance < within) cost += distance;
    else cost += within;
    if (cost >= limit) return cost;
  }
  return cost;
}

function listInliers({ count, from, to }: PointPairs, h: Float64Array, within: number): Uint8Array {
  const [a, b, c, d, e, f, g, k, s] = h as unknown as Homography;
  const inliers = new Uint8Array(count);
  for (let i = 0; i < count; i += 1) {
    const x = from[2 * i] as number;
    const y = from[2 * i + 1] as number;
    const w = 1 / (g * x + k * y + s);
    const dx = (a * x + b * y + c) * w - (to[2 * i] as number);
    const dy = (d * x + e * y + f) * w - (to[2 * i + 1] as number);
    inliers[i] = dx * dx + dy * dy < within ? 1 : 0;
  }
  return inliers;
}

/** Whether either view stays whole and unmirrored in the other, and of a sensible size. */
function isSound(h: Float64Array, candidate: Size, reference: Size): boolean {
  const [a, b, c, d, e, f, g, k, s] = h as unknown as Homography;
  if (!isWhole(g, k, s, candidate)) return false;
  if (!isWhole(d * k - e * g, b * g - a * k, a * e - b * d, reference)) return false;
  const { width, height } = candidate;
  const right = g * width + s;
  const low = k * height + s;
  const far = right + low - s;
  const x0 = c / s;
  const y0 = f / s;
  const x1 = (a * width + c) / right;
  const y1 = (d * width + f) / right;
  const x2 = (a * width + b * height + c) / far;
  const y2 = (d * width + e * height + f) / far;
  const x3 = (b * height + c) / low;
  const y3 = (e * height + f) / low;
  const scale = ((x2 - x0) * (y3 - y1) - (x3 - x1) * (y2 - y0)) / (2 * width * height);
  return scale > 1 / MOST_SCALE && scale < MOST_SCALE;
}

/** Whether the depth g·x + k·y + s has one sign over a view: the horizon does not cross it. */
function isWhole(g: number, k: number, s: number, { width, height }: Size): boolean {
  const right = g * width + s;
  const low = k * height + s;
  const far = right + low - s;
  const least = LEAST_DEPTH * Math.max(Math.abs(s), Math.abs(right), Math.abs(low), Math.abs(far));
  const sign = Math.sign(s);
  return s * sign > least && right * sign > least && low * sign > least && far * sign > least;
}

/** Twice the signed area of a triangle of points. */
function turn(points: Float32Array, i: number, j: number, k: number): number {
  const x = points[2 * i] as number;
  const y = points[2 * i + 1] as number;
  return (
    ((points[2 * j] as number) - x) * ((points[2 * k + 1] as number) - y) -
    ((points[2 * j + 1] as number) - y) * ((points[2 * k] as number) - x)
  );
}

const squareFrom = new Float64Array(9);
const squareTo = new Float64Array(9);

/**
 * The homography through four matches; false when three lie on a line, or turn one way here and the other there.
 * By way of the unit square, onto which and from which the map has a closed form (Heckbert, 1989).
 */
function solveFour({ from, to }: PointPairs, sample: Int32Array, h: Float64Array): boolean {
  const [i, j, k, l] = sample as unknown as [number, number, number, number];
  const corners: [number, number, number][] = [
    [i, j, k],
    [i, j, l],
    [i, k, l],
    [j, k, l],
  ];
  for (const [p, q, r] of corners) {
    const here = turn(from, p, q, r);
    const there = turn(to, p, q, r);
    if (here * there <= 0 || Math.abs(here) < 1 || Math.abs(there) < 1) return false;
  }
  if (!mapSquare(from, sample, squareFrom) || !mapSquare(to, sample, squareTo)) return false;
  multiplyByAdjugate(squareTo, squareFrom, h);
  return h.every(Number.isFinite);
}

/** The homography from the unit square's corners, in the order of the sample, to the sample's points. */
function mapSquare(points: Float32Array, sample: Int32Array, m: Float64Array): boolean {
  const [i, j, k, l] = sample as unknown as [number, number, number, number];
  const x0 = points[2 * i] as number;
  const y0 = points[2 * i + 1] as number;
  const x1 = points[2 * j] as number;
  const y1 = points[2 * j + 1] as number;
  const x2 = points[2 * k] as number;
  const y2 = points[2 * k + 1] as number;
  const x3 = points[2 * l] as number;
  const y3 = points[2 * l + 1] as number;
  const dx1 = x1 - x2;
  const dy1 = y1 - y2;
  const dx2 = x3 - x2;
  const dy2 = y3 - y2;
  const sx = x0 - x1 + x2 - x3;
  const sy = y0 - y1 + y2 - y3;
  const scale = dx1 * dy2 - dx2 * dy1;
  if (scale === 0) return false;
  const g = (sx * dy2 - dx2 * sy) / scale;
  const h = (dx1 * sy - sx * dy1) / scale;
  m[0] = x1 - x0 + g * x1;
  m[1] = x3 - x0 + h * x3;
  m[2] = x0;
  m[3] = y1 - y0 + g * y1;
  m[4] = y3 - y0 + h * y3;
  m[5] = y0;
  m[6] = g;
  m[7] = h;
  m[8] = 1;
  return true;
}

/** a · adj(b): the inverse up to a factor, which a homography does not mind. */
function multiplyByAdjugate(a: Float64Array, b: Float64Array, out: Float64Array): void {
  const [b0, b1, b2, b3, b4, b5, b6, b7, b8] = b as unknown as Homography;
  const adjugate = [
    b4 * b8 - b5 * b7,
    b2 * b7 - b1 * b8,
    b1 * b5 - b2 * b4,
    b5 * b6 - b3 * b8,
    b0 * b8 - b2 * b6,
    b2 * b3 - b0 * b5,
    b3 * b7 - b4 * b6,
    b1 * b6 - b0 * b7,
    b0 * b4 - b1 * b3,
  ];
  for (let row = 0; row < 3; row += 1) {
    for (let column = 0; column < 3; column += 1) {
      let sum = 0;
      for (let k = 0; k < 3; k += 1) sum += (a[3 * row + k] as number) * (adjugate[3 * k + column] as number);
      out[3 * row + column] = sum;
    }
  }
}

const normal = new Float64Array(8 * 9);

/**
 * The least-squares homography of those who vote for another one. Algebraic, with each equation divided by the other's
 * depth so that what is squared is close to a distance; in coordinates about the middle, which keeps it well conditioned.
 */
function solveAll(pairs: PointPairs, voted: Float64Array, within: number, out: Float64Array): boolean {
  const { count, from, to } = pairs;
  const inliers = listInliers(pairs, voted, within);
  let n = 0;
  const mean = [0, 0, 0, 0] as [number, number, number, number];
  for (let i = 0; i < count; i += 1) {
    if (inliers[i] === 0) continue;
    n += 1;
    mean[0] += from[2 * i] as number;
    mean[1] += from[2 * i + 1] as number;
    mean[2] += to[2 * i] as number;
    mean[3] += to[2 * i + 1] as number;
  }
  if (n < 5) return false;
  const [mx, my, mu, mv] = mean.map((sum) => sum / n) as [number, number, number, number];
  const unit = 1 / 100;
  const g = voted[6] as number;
  const k = voted[7] as number;
  const s = voted[8] as number;
  const middle = g * mx + k * my + s;
  normal.fill(0);
  for (let i = 0; i < count; i += 1) {
    if (inliers[i] === 0) continue;
    const px = from[2 * i] as number;
    const py = from[2 * i + 1] as number;
    const x = (px - mx) * unit;
    const y = (py - my) * unit;
    const u = ((to[2 * i] as number) - mu) * unit;
    const v = ((to[2 * i + 1] as number) - mv) * unit;
    const weight = middle / (g * px + k * py + s);
    addRow(x, y, 1, 0, 0, 0, -u * x, -u * y, u, weight * weight);
    addRow(0, 0, 0, x, y, 1, -v * x, -v * y, v, weight * weight);
  }
  const m = eliminate();
  if (m === null) return false;
  // Back from the middle: T(to)⁻¹ · M · T(from), with T the shift to the middle and the change of unit.
  const [a, b, c, d, e, f, p, q] = m as unknown as readonly number[] as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const w = [p * unit, q * unit, 1 - (p * mx + q * my) * unit] as const;
  const rows = [
    [a, b, c / unit - a * mx - b * my, mu],
    [d, e, f / unit - d * mx - e * my, mv],
  ] as const;
  for (const [row, [r0, r1, r2, centre]] of rows.entries()) {
    out[3 * row] = r0 + centre * w[0];
    out[3 * row + 1] = r1 + centre * w[1];
    out[3 * row + 2] = r2 + centre * w[2];
  }
  out.set(w, 6);
  return out.every(Number.isFinite);
}

const equation = new Float64Array(9);

function addRow(
  a: number,
  b: number,
  c: number,
  d: number,
  e: number,
  f: number,
  g: number,
  h: number,
  right: number,
  weight: number,
): void {
  equation[0] = a;
  equation[1] = b;
  equation[2] = c;
  equation[3] = d;
  equation[4] = e;
  equation[5] = f;
  equation[6] = g;
  equation[7] = h;
  equation[8] = right;
  for (let i = 0; i < 8; i += 1) {
    const scaled = (equation[i] as number) * weight;
    if (scaled === 0) continue;
    for (let j = 0; j < 9; j += 1)
      normal[9 * i + j] = (normal[9 * i + j] as number) + scaled * (equation[j] as number);
  }
}

/** Solves the normal equations by Gaussian elimination with pivots; null when they are singular. */
function eliminate(): number[] | null {
  for (let column = 0; column < 8; column += 1) {
    let pivot = column;
    for (let row = column + 1; row < 8; row += 1) {
      if (Math.abs(normal[9 * row + column] as number) > Math.abs(normal[9 * pivot + column] as number))
        pivot = row;
    }
    const value = normal[9 * pivot + column] as number;
    if (!(Math.abs(value) > 1e-12)) return null;
    if (pivot !== column) {
      for (let j = column; j < 9; j += 1) {
        const swapped = normal[9 * column + j] as number;
        normal[9 * column + j] = normal[9 * pivot + j] as number;
        normal[9 * pivot + j] = swapped;
      }
    }
    for (let row = column + 1; row < 8; row += 1) {
      const factor = (normal[9 * row + column] as number) / value;
      if (factor === 0) continue;
      for (let j = column; j < 9; j += 1) {
        normal[9 * row + j] = (normal[9 * row + j] as number) - factor * (normal[9 * column + j] as number);
      }
    }
  }
  const solution = new Array<number>(8).fill(0);
  for (let row = 7; row >= 0; row -= 1) {
    let sum = normal[9 * row + 8] as number;
    for (let j = row + 1; j < 8; j += 1) sum -= (normal[9 * row + j] as number) * (solution[j] as number);
    solution[row] = sum / (normal[9 * row + row] as number);
  }
  return solution;
}
