/**
 * The best affine map between matched points, for pairs whose homography is no camera's: over a ground plane whose horizon lies
 * in the picture the plane's own homography folds the view, though the pictures do share it.
 */
import { projectPoint } from "./geometry.ts";
import type { PointPairs } from "./support.ts";
import type { Homography } from "./types.ts";

/** Each refit drops the points that the last fit left far off. */
const REFITS = 3;

/**
 * Fits candidate → key-frame by least squares, from the marked pairs, then from those that agree with the fit.
 *
 * @param mask  1 for a pair to begin with.
 * @returns The map as a homography, and the pairs within `within_px` of it; null where the points lie on a line.
 */
export function fitAffine(
  pairs: PointPairs,
  mask: Uint8Array,
  within_px: number,
): { homography: Homography; inliers: Uint8Array } | null {
  let inliers = mask;
  let homography: Homography | null = null;
  for (let i = 0; i < REFITS; i += 1) {
    homography = solve(pairs, inliers);
    if (homography === null) return null;
    inliers = listWithin(pairs, homography, within_px);
  }
  return homography === null ? null : { homography, inliers };
}

function listWithin({ count, from, to }: PointPairs, homography: Homography, within_px: number): Uint8Array {
  return Uint8Array.from({ length: count }, (_, i) => {
    const [x, y] = projectPoint(homography, from[2 * i] as number, from[2 * i + 1] as number);
    const distance = Math.hypot(x - (to[2 * i] as number), y - (to[2 * i + 1] as number));
    return distance <= within_px ? 1 : 0;
  });
}

/** Normal equations about the mean, which keeps them well conditioned. */
function solve({ count, from, to }: PointPairs, mask: Uint8Array): Homography | null {
  let n = 0;
  const mean = [0, 0, 0, 0];
  for (let i = 0; i < count; i += 1) {
    if (mask[i] === 0) continue;
    n += 1;
    for (const axis of [0, 1]) {
      mean[axis] = (mean[axis] as number) + (from[2 * i + axis] as number);
      mean[2 + axis] = (mean[2 + axis] as number) + (to[2 * i + axis] as number);
    }
  }
  if (n < 3) return null;
  const [mx, my, mu, mv] = mean.map((sum) => sum / n) as [number, number, number, number];
  let [xx, xy, yy, xu, yu, xv, yv] = [0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < count; i += 1) {
    if (mask[i] === 0) continue;
    const x = (from[2 * i] as number) - mx;
    const y = (from[2 * i + 1] as number) - my;
    const u = (to[2 * i] as number) - mu;
    const v = (to[2 * i + 1] as number) - mv;
    xx += x * x;
    xy += x * y;
    yy += y * y;
    xu += x * u;
    yu += y * u;
    xv += x * v;
    yv += y * v;
  }
  const determinant = xx * yy - xy * xy;
  if (!(determinant > 1e-6 * xx * yy)) return null;
  const a = (xu * yy - yu * xy) / determinant;
  const b = (yu * xx - xu * xy) / determinant;
  const d = (xv * yy - yv * xy) / determinant;
  const e = (yv * xx - xv * xy) / determinant;
  return [a, b, mu - a * mx - b * my, d, e, mv - d * mx - e * my, 0, 0, 1];
}
