/**
 * Pictures to features, and two frames' features to what they say about each other. The only module that calls OpenCV;
 * one object serves one thread.
 */
import { fitAffine } from "./affine.ts";
import type { Cv, CvKeyPoint, CvMat, CvMatch, CvObject, CvVector } from "./cv.ts";
import { countFeatures, DESCRIPTOR_BYTES, type FrameFeatures } from "./features.ts";
import { invert, measureOverlap, measureReleasedOverlap } from "./geometry.ts";
import { expandRange, type GreyPlane, measureNoise, turnUpright } from "./plane.ts";
import { isStill, judgeSupport, type PointPairs } from "./support.ts";
import type { Homography, KeyFrameSettings, LumaPlane, PairEvidence, PairFailure } from "./types.ts";

/** At this many matches or fewer the released extractor estimates nothing; so do we. */
const FEW_MATCHES = 10;

/** ORB looks 31 pixels around a point; in a picture with no room for that it finds none, or fails in its pyramid. */
const LEAST_SIDE = 32;

/** A caption that covers the scene's motion is set aside once; what is left decides. */
const ATTEMPTS = 2;

export interface Extractor {
  /** Features of one sampled frame, as decoded: turns it upright, scales it, finds ORB features. */
  describe(plane: LumaPlane): FrameFeatures;
  /** Compares a candidate with a key-frame. */
  compare(reference: FrameFeatures, candidate: FrameFeatures): PairEvidence;
  /** Frees what OpenCV holds. */
  delete(): void;
}

type Features = Pick<KeyFrameSettings, "preset" | "features" | "ransac_px" | "width">;

export function createExtractor(cv: Cv, settings: Features): Extractor {
  const orb = new cv.ORB(settings.features);
  const matcher = new cv.BFMatcher(cv.NORM_HAMMING, true);
  const none = new cv.Mat();

  function describe(plane: LumaPlane): FrameFeatures {
    const upright = turnUpright(plane);
    const grey = settings.preset === "embodied-r" ? expandRange(upright, plane.full_range) : upright;
    return withObjects(cv, (own) => {
      const image = scaleDown(cv, own, grey, settings.width);
      const keyPoints = own(new cv.KeyPointVector());
      const descriptors = own(new cv.Mat());
      if (Math.min(image.cols, image.rows) >= LEAST_SIDE) {
        orb.detectAndCompute(image, none, keyPoints, descriptors);
      }
      const scaled = { width: image.cols, height: image.rows, data: image.data };
      return {
        frame: plane.frame,
        time_secs: plane.time_secs,
        width: image.cols,
        height: image.rows,
        points: readPoints(keyPoints),
        descriptors: descriptors.empty() ? new Uint8Array() : descriptors.data.slice(),
        noise: measureNoise(scaled),
      };
    });
  }

  function compare(reference: FrameFeatures, candidate: FrameFeatures): PairEvidence {
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
    const matches = match(cv, matcher, reference, candidate);
    evidence.matches = matches.count;
    if (matches.count <= FEW_MATCHES) return { ...evidence, failure: "few_matches" };
    return settings.preset === "embodied-r"
      ? compareAsReleased(evidence, matches, reference, candidate)
      : compareStrictly(evidence, matches, reference, candidate);
  }

  function compareAsReleased(
    evidence: PairEvidence,
    matches: PointPairs,
    reference: FrameFeatures,
    candidate: FrameFeatures,
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
  ): PairEvidence {
    let failed: PairEvidence = { ...evidence, failure: "no_homography" };
    let left = matches;
    for (let attempt = 1; attempt <= ATTEMPTS && left.count > FEW_MATCHES; attempt += 1) {
      const found = findHomography(cv, left, settings.ransac_px);
      if (found === null) break;
      const judged = judge(evidence, left, found, reference, candidate);
      if (judged.pair.failure === null) return judged.pair;
      if (judged.pair.failure === "degenerate_homography") {
        const flat = fitAffine(left, found.inliers, settings.ransac_px);
        const rejudged = flat && judge(evidence, left, flat, reference, candidate);
        if (rejudged?.pair.failure === null) return rejudged.pair;
      }
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
    const isSound = forward !== null && backward !== null;
    let failure: PairFailure | null = null;
    if (!isSound) failure = "degenerate_homography";
    else if (!support.isEnough) failure = "few_inliers";
    const pair = {
      ...evidence,
      inliers: support.inliers,
      homography,
      overlap_forward: isSound ? forward : null,
      overlap_backward: isSound ? backward : null,
      spread: support.spread,
      extent: support.extent,
      failure,
    };
    return { pair, isStill: support.isStill };
  }

  return {
    describe,
    compare,
    delete() {
      for (const object of [orb, matcher, none]) object.delete();
    },
  };
}

/** Runs with objects that are freed at its end, whatever happens; what OpenCV throws, a bare pointer, becomes an Error. */
function withObjects<T>(cv: Cv, run: (own: <O extends CvObject>(object: O) => O) => T): T {
  const objects: CvObject[] = [];
  try {
    return run((object) => {
      objects.push(object);
      return object;
    });
  } catch (error) {
    if (typeof error !== "number") throw error;
    throw new Error(`OpenCV: ${cv.exceptionFromPtr?.(error).msg ?? `exception ${error}`}`);
  } finally {
    for (const object of objects) object.delete();
  }
}

function scaleDown(cv: Cv, own: <O extends CvObject>(object: O) => O, grey: GreyPlane, width: number): CvMat {
  const image = own(new cv.Mat(grey.height, grey.width, cv.CV_8UC1));
  image.data.set(grey.data);
  if (width === 0 || grey.width <= width) return image;
  const height = Math.max(1, Math.round((grey.height * width) / grey.width));
  const scaled = own(new cv.Mat());
  cv.resize(image, scaled, new cv.Size(width, height), 0, 0, cv.INTER_AREA);
  return scaled;
}

function readPoints(keyPoints: CvVector<CvKeyPoint>): Float32Array {
  const points = new Float32Array(keyPoints.size() * 2);
  for (let i = 0; i < keyPoints.size(); i += 1) {
    const { pt } = keyPoints.get(i);
    points[2 * i] = pt.x;
    points[2 * i + 1] = pt.y;
  }
  return points;
}

function match(
  cv: Cv,
  matcher: { match(query: CvMat, train: CvMat, matches: CvVector<CvMatch>): void },
  reference: FrameFeatures,
  candidate: FrameFeatures,
): PointPairs {
  return withObjects(cv, (own) => {
    const load = (frame: FrameFeatures): CvMat => {
      const mat = own(new cv.Mat(countFeatures(frame), DESCRIPTOR_BYTES, cv.CV_8UC1));
      mat.data.set(frame.descriptors);
      return mat;
    };
    const vector = own(new cv.DMatchVector());
    matcher.match(load(reference), load(candidate), vector);
    const matches = Array.from({ length: vector.size() }, (_, i) => vector.get(i));
    // RANSAC draws by position: the order is part of the result, and is the released one.
    matches.sort((a, b) => a.distance - b.distance);
    const from = new Float32Array(matches.length * 2);
    const to = new Float32Array(matches.length * 2);
    for (const [i, { queryIdx, trainIdx }] of matches.entries()) {
      for (const axis of [0, 1]) {
        from[2 * i + axis] = candidate.points[2 * trainIdx + axis] as number;
        to[2 * i + axis] = reference.points[2 * queryIdx + axis] as number;
      }
    }
    return { count: matches.length, from, to };
  });
}

type Found = { homography: Homography; inliers: Uint8Array };

function findHomography(cv: Cv, pairs: PointPairs, ransac_px: number): Found | null {
  return withObjects(cv, (own) => {
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
