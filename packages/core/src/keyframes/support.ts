/**
 * Do the inliers of a homography carry the overlap that it claims?
 *
 * RANSAC finds some homography for any two pictures. Signs of one that means nothing: it explains no more of the
 * matches inside the claimed overlap than chance does (the form of Brown and Lowe's test, 2007); its inliers leave most
 * of the textured part of the claimed overlap bare, or lie on a line; or they stand still in one part of a picture of
 * which the rest does not: a caption, a watermark, the bonnet of a car.
 */
import { countFeatures, type FrameFeatures } from "./features.ts";
import { clipToView, getArea, getHull, invert, type Point, projectPoint, projectView } from "./geometry.ts";
import type { Homography } from "./types.ts";

/** Matched points: `from` in the candidate, `to` in the key-frame; x0, y0, x1, y1, … */
export type PointPairs = { count: number; from: Float32Array; to: Float32Array };

export type Support = {
  inliers: number;
  spread: number;
  extent: number;
  /** The inliers did not move at all. */
  isStill: boolean;
  isEnough: boolean;
};

/**
 * Inliers wanted: this many and this share of the matches inside the claimed overlap. Of 96 pairs of pictures of different
 * places none gathered more than 8 inliers, of about 120 matches; 216 of 230 pairs of neighbouring ones gathered 20 and more.
 */
export const INLIERS_AT_LEAST = 9;
export const INLIERS_SHARE = 0.05;
/** Least share of the textured cells of the claimed overlap that hold an inlier. */
export const LEAST_SPREAD = 0.15;
/** Least area of the inliers' hull ÷ area of the claimed overlap. */
export const LEAST_EXTENT = 0.02;
/** A matched point that moved less than this stands still, in pixels. */
const STILL_PX = 1;
/** Inliers of which this share stands still, and that cover less than these, are burnt into the picture. */
const STILL_SHARE = 0.8;
const BURNT_IN_SPREAD = 0.5;
const BURNT_IN_EXTENT = 0.25;
/** Cells along each side of the candidate. */
const GRID = 8;

export function judgeSupport(
  h: Homography,
  pairs: PointPairs,
  mask: Uint8Array,
  reference: FrameFeatures,
  candidate: FrameFeatures,
): Support {
  const isShared = (x: number, y: number): boolean => {
    const [u, v] = projectPoint(h, x, y);
    return u >= 0 && v >= 0 && u <= reference.width && v <= reference.height;
  };
  const cellOf = (x: number, y: number): number =>
    Math.min(GRID - 1, Math.floor((y / candidate.height) * GRID)) * GRID +
    Math.min(GRID - 1, Math.floor((x / candidate.width) * GRID));

  const textured = new Set<number>();
  for (let i = 0; i < countFeatures(candidate); i += 1) {
    const x = candidate.points[2 * i] as number;
    const y = candidate.points[2 * i + 1] as number;
    if (isShared(x, y)) textured.add(cellOf(x, y));
  }

  const supported = new Set<number>();
  const points: Point[] = [];
  let shared = 0;
  let still = 0;
  for (let i = 0; i < pairs.count; i += 1) {
    const x = pairs.from[2 * i] as number;
    const y = pairs.from[2 * i + 1] as number;
    if (isShared(x, y)) shared += 1;
    if (mask[i] === 0) continue;
    points.push([x, y]);
    if (isStill(pairs, i)) still += 1;
    supported.add(cellOf(x, y));
  }

  const spread = textured.size === 0 ? 0 : Math.min(1, supported.size / textured.size);
  const extent = measureExtent(h, points, reference, candidate);
  const inliers = points.length;
  const stands = still >= STILL_SHARE * inliers;
  const isBurntIn = stands && spread < BURNT_IN_SPREAD && extent < BURNT_IN_EXTENT;
  const isCarried = spread >= LEAST_SPREAD && extent >= LEAST_EXTENT && !isBurntIn;
  return {
    inliers,
    spread,
    extent,
    isStill: stands,
    isEnough: isCarried && inliers >= INLIERS_AT_LEAST + INLIERS_SHARE * shared,
  };
}

/** Whether a matched point has not moved. */
export function isStill({ from, to }: PointPairs, i: number): boolean {
  const x = (to[2 * i] as number) - (from[2 * i] as number);
  const y = (to[2 * i + 1] as number) - (from[2 * i + 1] as number);
  return Math.hypot(x, y) < STILL_PX;
}

function measureExtent(
  h: Homography,
  inliers: readonly Point[],
  reference: FrameFeatures,
  candidate: FrameFeatures,
): number {
  const back = invert(h);
  const quad = back === null ? null : projectView(back, reference);
  const claimed = quad === null ? 0 : getArea(clipToView(quad, candidate));
  return claimed === 0 ? 0 : Math.min(1, getArea(getHull(inliers)) / claimed);
}
