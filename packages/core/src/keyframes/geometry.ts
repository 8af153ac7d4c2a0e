/**
 * What a homography says of two views: the quad that one view fills in the other, and exact areas of it.
 * A homography is row-major 3×3; a view is the rectangle [0, width] × [0, height].
 */
import type { Homography } from "./types.ts";

export type Point = readonly [x: number, y: number];
export type Size = { width: number; height: number };

/** Where a point lands; [NaN, NaN] on the horizon. */
export function projectPoint(h: Homography, x: number, y: number): Point {
  const w = h[6] * x + h[7] * y + h[8];
  if (w === 0) return [Number.NaN, Number.NaN];
  return [(h[0] * x + h[1] * y + h[2]) / w, (h[3] * x + h[4] * y + h[5]) / w];
}

/** Corners of a view, clockwise on the screen from the top left. */
export function getCorners({ width, height }: Size): Point[] {
  return [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
  ];
}

/**
 * The quad that a view fills in another one.
 *
 * @returns Null when the view is folded (the horizon crosses it), mirrored, or squeezed to nothing: such a homography
 *   cannot come from a camera.
 * @throws RangeError when `h` is not nine finite numbers.
 */
export function projectView(h: Homography, view: Size): Point[] | null {
  if (h.length !== 9 || !h.every(Number.isFinite))
    throw new RangeError("a homography is nine finite numbers");
  const corners = getCorners(view);
  let front = 0;
  let nearest = Number.POSITIVE_INFINITY;
  let farthest = 0;
  for (const [x, y] of corners) {
    const w = h[6] * x + h[7] * y + h[8];
    front += Math.sign(w);
    nearest = Math.min(nearest, Math.abs(w));
    farthest = Math.max(farthest, Math.abs(w));
  }
  if (Math.abs(front) !== 4 || nearest < farthest * 1e-6) return null;
  const quad = corners.map(([x, y]) => projectPoint(h, x, y));
  if (!quad.every(([x, y]) => Number.isFinite(x) && Number.isFinite(y))) return null;
  for (let i = 0; i < 4; i += 1) {
    if (!(cross(at(quad, i), at(quad, i + 1), at(quad, i + 2)) > 0)) return null;
  }
  const area = getArea(quad);
  return Number.isFinite(area) && area > 1e-6 * view.width * view.height ? quad : null;
}

/** Twice the signed area of the triangle; positive when it turns clockwise on the screen. */
function cross(a: Point, b: Point, c: Point): number {
  return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
}

function at(points: readonly Point[], index: number): Point {
  return points[index % points.length] as Point;
}

/** Area of a simple polygon, whichever way round it goes. */
export function getArea(polygon: readonly Point[]): number {
  const [origin] = polygon;
  if (origin === undefined) return 0;
  let twice = 0;
  for (let i = 1; i + 1 < polygon.length; i += 1) {
    const [ax, ay] = at(polygon, i);
    const [bx, by] = at(polygon, i + 1);
    twice += (ax - origin[0]) * (by - origin[1]) - (ay - origin[1]) * (bx - origin[0]);
  }
  return Math.abs(twice) / 2;
}

/**
 * The part of a polygon inside a view, by Sutherland and Hodgman.
 *
 * The polygon may be concave; parts that fall apart stay joined by edges of no width, which leaves the area exact.
 */
export function clipToView(polygon: readonly Point[], { width, height }: Size): Point[] {
  let points = [...polygon];
  points = clipToHalf(points, 0, 0, 1);
  points = clipToHalf(points, 0, width, -1);
  points = clipToHalf(points, 1, 0, 1);
  return clipToHalf(points, 1, height, -1);
}

function clipToHalf(points: readonly Point[], axis: 0 | 1, limit: number, side: 1 | -1): Point[] {
  const kept: Point[] = [];
  for (let i = 0; i < points.length; i += 1) {
    const from = at(points, i);
    const to = at(points, i + 1);
    const before = (from[axis] - limit) * side;
    const after = (to[axis] - limit) * side;
    if (before >= 0) kept.push(from);
    if ((before < 0 && after > 0) || (before > 0 && after < 0)) {
      const share = before / (before - after);
      const other = axis === 0 ? 1 : 0;
      const crossing = from[other] + share * (to[other] - from[other]);
      kept.push(axis === 0 ? [limit, crossing] : [crossing, limit]);
    }
  }
  return kept;
}

/**
 * How much of a key-frame's view a candidate still shows.
 *
 * @param h  Candidate pixels → key-frame pixels.
 * @param candidate  Size of the candidate.
 * @param reference  Size of the key-frame.
 * @returns Share of the key-frame's view in [0, 1]; null when the projected quad is folded, mirrored or squeezed to nothing.
 * @throws RangeError when `h` is not nine finite numbers.
 * @see Embodied-R, section 3.2.1; released `utils.py`, calculate_overlap_ratio, which counts pixels where this is exact.
 */
export function measureOverlap(h: Homography, candidate: Size, reference: Size = candidate): number | null {
  const quad = projectView(h, candidate);
  if (quad === null) return null;
  return Math.min(1, getArea(clipToView(quad, reference)) / (reference.width * reference.height));
}

/**
 * The overlap that the released extractor computes, which refuses no homography: the quad is filled by the even-odd rule,
 * so a folded one counts as its lobes.
 *
 * @returns Share of the view in [0, 1].
 */
export function measureReleasedOverlap(h: Homography, size: Size): number {
  const quad = getCorners(size).map(([x, y]) => projectPoint(h, x, y));
  if (!quad.every(([x, y]) => Number.isFinite(x) && Number.isFinite(y))) return 0;
  const lobes = splitAtCrossing(quad);
  const area = lobes.reduce((sum, lobe) => sum + getArea(clipToView(lobe, size)), 0);
  return Math.min(1, area / (size.width * size.height));
}

/** A quad whose opposite edges cross is two triangles that share the crossing. */
function splitAtCrossing(quad: readonly Point[]): Point[][] {
  for (const i of [0, 1]) {
    const a = at(quad, i);
    const b = at(quad, i + 1);
    const c = at(quad, i + 2);
    const d = at(quad, i + 3);
    const crossing = intersect(a, b, c, d);
    if (crossing !== null) {
      return [
        [crossing, b, c],
        [crossing, d, a],
      ];
    }
  }
  return [[...quad]];
}

/** Where the segments a–b and c–d cross; null when they don't. */
function intersect(a: Point, b: Point, c: Point, d: Point): Point | null {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  const ex = d[0] - c[0];
  const ey = d[1] - c[1];
  const scale = dx * ey - dy * ex;
  if (scale === 0) return null;
  const alongFirst = ((c[0] - a[0]) * ey - (c[1] - a[1]) * ex) / scale;
  const alongSecond = ((c[0] - a[0]) * dy - (c[1] - a[1]) * dx) / scale;
  if (alongFirst <= 0 || alongFirst >= 1 || alongSecond <= 0 || alongSecond >= 1) return null;
  return [a[0] + alongFirst * dx, a[1] + alongFirst * dy];
}

/** The way back; null when there is none. */
export function invert(h: Homography): Homography | null {
  const [a, b, c, d, e, f, g, i, j] = h;
  const inverse = [
    e * j - f * i,
    c * i - b * j,
    b * f - c * e,
    f * g - d * j,
    a * j - c * g,
    c * d - a * f,
    d * i - e * g,
    b * g - a * i,
    a * e - b * d,
  ] as const;
  const determinant = a * inverse[0] + b * inverse[3] + c * inverse[6];
  const scaled = inverse.map((value) => value / determinant);
  return scaled.every(Number.isFinite) ? (scaled as unknown as Homography) : null;
}

/** Convex hull of points, by Andrew's monotone chain; clockwise on the screen. */
export function getHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  const half = (ordered: readonly Point[]): Point[] => {
    const hull: Point[] = [];
    for (const point of ordered) {
      while (hull.length > 1 && cross(hull.at(-2) as Point, hull.at(-1) as Point, point) <= 0) hull.pop();
      hull.push(point);
    }
    hull.pop();
    return hull;
  };
  return [...half(sorted), ...half([...sorted].reverse())];
}
