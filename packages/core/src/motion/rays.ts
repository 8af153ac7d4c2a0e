/** Points of a picture as directions from the camera: x right, y down, z ahead, length 1. */
import type { Size } from "../keyframes/index.ts";
import type { PointPair } from "./types.ts";

export type Vector = readonly [x: number, y: number, z: number];
/** Row-major 3×3, orthonormal: turns directions of the later camera into the axes of the earlier one. */
export type Rotation = Float64Array;

/** Matched directions; `from` and `to` hold x, y, z of one after the other. */
export type RayPairs = {
  count: number;
  from: Float64Array;
  to: Float64Array;
  /** How many radians a pixel in the middle of the picture spans. */
  pixel: number;
};

/** Distance of the picture plane in pixels; the pixels are square and the axis goes through the middle. */
function getFocalLength({ width }: Size, field_of_view_deg: number): number {
  return width / 2 / Math.tan((field_of_view_deg * Math.PI) / 360);
}

/** Turns pixels into directions. Pairs that are not four finite numbers are left out. */
export function toRays(pairs: readonly PointPair[], size: Size, field_of_view_deg: number): RayPairs {
  const focal = getFocalLength(size, field_of_view_deg);
  const from: number[] = [];
  const to: number[] = [];
  const push = (rays: number[], [px, py]: readonly [number, number]): void => {
    const x = (px - size.width / 2) / focal;
    const y = (py - size.height / 2) / focal;
    const length = Math.hypot(x, y, 1);
    rays.push(x / length, y / length, 1 / length);
  };
  for (const pair of pairs) {
    if (![...pair.from, ...pair.to].every(Number.isFinite)) continue;
    push(from, pair.from);
    push(to, pair.to);
  }
  return {
    count: from.length / 3,
    from: Float64Array.from(from),
    to: Float64Array.from(to),
    pixel: 1 / focal,
  };
}

export function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** The direction of a vector; null when it has none. */
export function normalize(a: Vector): Vector | null {
  const length = Math.hypot(...a);
  return length > 1e-12 ? [a[0] / length, a[1] / length, a[2] / length] : null;
}

export const IDENTITY: Rotation = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);

/** One of the later camera's axes in those of the earlier one: 0 right, 1 down, 2 ahead. */
export function getColumn(r: Rotation, column: 0 | 1 | 2): Vector {
  return [r[column] as number, r[column + 3] as number, r[column + 6] as number];
}

/** First `b`, then `a`. */
export function compose(a: Rotation, b: Rotation): Rotation {
  const product = new Float64Array(9);
  for (let row = 0; row < 3; row += 1)
    for (let column = 0; column < 3; column += 1)
      for (let k = 0; k < 3; k += 1)
        (product[3 * row + column] as number) += (a[3 * row + k] as number) * (b[3 * k + column] as number);
  return product;
}

/** The turn about `w` by its length in radians (Rodrigues). */
export function turnBy([x, y, z]: Vector): Rotation {
  const angle = Math.hypot(x, y, z);
  const s = angle < 1e-9 ? 1 : Math.sin(angle) / angle;
  const c = angle < 1e-9 ? 0.5 : (1 - Math.cos(angle)) / (angle * angle);
  const cosine = Math.cos(angle);
  return Float64Array.of(
    cosine + c * x * x,
    c * x * y - s * z,
    c * x * z + s * y,
    c * x * y + s * z,
    cosine + c * y * y,
    c * y * z - s * x,
    c * x * z - s * y,
    c * y * z + s * x,
    cosine + c * z * z,
  );
}

/** How far a rotation turns, in radians. */
export function getAngle(r: Rotation): number {
  const trace = (r[0] as number) + (r[4] as number) + (r[8] as number);
  return Math.acos(Math.min(1, Math.max(-1, (trace - 1) / 2)));
}
