/**
 * What two frames' features say about each other.
 */
import { type Cv, type CvMat, withCvObjects } from "./cv.ts";
import { countFeatures, type FrameFeatures } from "./features.ts";
import { invert, measureOverlap, measureReleasedOverlap } from "./geometry.ts";
import { matchDescriptors } from "./hamming.ts";
import { estimateHomography, type Found } from "./ransac.ts";
import { isStill, judgeSupport, type PointPairs } from "./support.ts";
import type { Homography, KeyFrameSettings, PairEvidence, PairFailure } from "./types.ts";

export type PairSettings = Pick<KeyFrameSettings, "preset" | "ransac_px">;

/** At this many matches or fewer the released extractor estimates nothing; so do we. */
const FEW_MATCHES = 10;

/** A caption that covers the scene's motion is set aside once; what is left decides. */
const ATTEMPTS = 2;

/** Whether comparing frames takes OpenCV, whose RANSAC is the released one. */
export function needsCvToCompare(settings: Pick<KeyFrameSettings, "preset">): boolean {
  return settings.preset === "embodied-r";
}

/**
 * Compares a candidate with a key-frame.
 *
 * @param cv  May be null where `needsCvToCompare` says so.
 */
export function compareFrames(
  reference: FrameFeatures,
  candidate: FrameFeatures,
  settings: PairSettings,
  cv: Cv | null,
): PairEvidence {
  const evidence: PairEvidence = {
    reference: reference.frame,
    frame: candidate.frame,
    matches: 0,
    inliers: 0,
    homography: null,
    overlap_forward: null,
    overlap_backward: null,
    spread: null,
    extent: null,
    failure: null,
  };
  if (countFeatures(reference) === 0 || countFeatures(candidate) === 0) {
    return { ...evidence, failure: "no_descriptors" };
  }
  const matches = matchFeatures(reference, candidate);
  evidence.matches = matches.count;
  if (matches.count <= FEW_MATCHES) return { ...evidence, failure: "few_matches" };
  if (!needsCvToCompare(settings)) return compareStrictly(evidence, matches, reference, candidate, settings);
  if (cv === null)
    throw new Error("the preset embodied-r compares frames with OpenCV, which was not handed in");
  return compareAsReleased(cv, evidence, matches, reference, candidate, settings);
}

function compareAsReleased(
  cv: Cv,
  evidence: PairEvidence,
  matches: PointPairs,
  reference: FrameFeatures,
  candidate: FrameFeatures,
  settings: PairSettings,
): PairEvidence {
  const found = findHomography(cv, matches, settings.ransac_px);
  if (found === null) return { ...evidence, failure: "no_homography" };
  const back = invert(found.homography);
  return {
    ...evidence,
    inliers: found.inliers.reduce((sum, inlier) => sum + inlier, 0),
    homography: found.homography,
    overlap_forward: measureReleasedOverlap(found.homography, reference),
    overlap_backward: back === null ? null : measureOverlap(back, reference, candidate),
  };
}

function compareStrictly(
  evidence: PairEvidence,
  matches: PointPairs,
  reference: FrameFeatures,
  candidate: FrameFeatures,
  settings: PairSettings,
): PairEvidence {
  let failed: PairEvidence = { ...evidence, failure: "no_homography" };
  let left = matches;
  for (let attempt = 1; attempt <= ATTEMPTS && left.count > FEW_MATCHES; attempt += 1) {
    const found = estimateHomography(left, settings.ransac_px, candidate, reference);
    if (found === null) break;
    const judged = judge(evidence, left, found, reference, candidate);
    if (judged.pair.failure === null) return judged.pair;
    if (attempt === 1) failed = judged.pair;
    left = setAside(left, found.inliers, judged.isStill);
  }
  return failed;
}

function judge(
  evidence: PairEvidence,
  matches: PointPairs,
  found: Found,
  reference: FrameFeatures,
  candidate: FrameFeatures,
): { pair: PairEvidence; isStill: boolean } {
  const { homography, inliers } = found;
  const back = invert(homography);
  const support = judgeSupport(homography, matches, inliers, reference, candidate);
  const forward = measureOverlap(homography, candidate, reference);
  const backward = back === null ? null : measureOverlap(back, reference, candidate);
  let failure: PairFailure | null = null;
  if (forward === null || backward === null) failure = "degenerate_homography";
  else if (!support.isEnough) failure = "few_inliers";
  const pair = {
    ...evidence,
    inliers: support.inliers,
    homography,
    overlap_forward: failure === null ? forward : null,
    overlap_backward: failure === null ? backward : null,
    spread: support.spread,
    extent: support.extent,
    failure,
  };
  return { pair, isStill: support.isStill };
}

/** Matched points, the nearest descriptors first. */
function matchFeatures(reference: FrameFeatures, candidate: FrameFeatures): PointPairs {
  const matches = matchDescriptors(reference.descriptors, candidate.descriptors);
  // RANSAC draws by position: the order is part of the result, and is the released one.
  matches.sort((a, b) => a.distance - b.distance);
  const from = new Float32Array(matches.length * 2);
  const to = new Float32Array(matches.length * 2);
  for (const [i, { query, train }] of matches.entries()) {
    for (const axis of [0, 1]) {
      from[2 * i + axis] = candidate.points[2 * train + axis] as number;
      to[2 * i + axis] = reference.points[2 * query + axis] as number;
    }
  }
  return { count: matches.length, from, to };
}

function findHomography(cv: Cv, pairs: PointPairs, ransac_px: number): Found | null {
  return withCvObjects(cv, (own) => {
    const load = (points: Float32Array): CvMat => {
      const mat = own(new cv.Mat(pairs.count, 1, cv.CV_32FC2));
      mat.data32F.set(points);
      return mat;
    };
    const mask = own(new cv.Mat());
    const found = own(cv.findHomography(load(pairs.from), load(pairs.to), cv.RANSAC, ransac_px, mask));
    if (found.empty()) return null;
    const homography = Array.from(found.data64F);
    if (!homography.every(Number.isFinite)) return null;
    return { homography: homography as unknown as Homography, inliers: mask.data.slice() };
  });
}

/** The pairs that did not agree; without those that stand still as well, where those that agreed did. */
function setAside(pairs: PointPairs, inliers: Uint8Array, withStill: boolean): PointPairs {
  const from: number[] = [];
  const to: number[] = [];
  for (let i = 0; i < pairs.count; i += 1) {
    if (inliers[i] !== 0 || (withStill && isStill(pairs, i))) continue;
    from.push(pairs.from[2 * i] as number, pairs.from[2 * i + 1] as number);
    to.push(pairs.to[2 * i] as number, pairs.to[2 * i + 1] as number);
  }
  return { count: from.length / 2, from: Float32Array.from(from), to: Float32Array.from(to) };
}
