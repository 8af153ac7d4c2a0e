/**
 * Pictures to features. One object serves one thread.
 */
import { compareFrames, type PairSettings } from "./compare.ts";
import { type Cv, type CvKeyPoint, type CvMat, type CvObject, type CvVector, withCvObjects } from "./cv.ts";
import type { FrameFeatures } from "./features.ts";
import { expandRange, type GreyPlane, measureNoise, turnUpright } from "./plane.ts";
import type { KeyFrameSettings, LumaPlane, PairEvidence } from "./types.ts";

/** ORB looks 31 pixels around a point; in a picture with no room for that it finds none, or fails in its pyramid. */
const LEAST_SIDE = 32;

export interface Extractor {
  /** Features of one sampled frame, as decoded: turns it upright, scales it, finds ORB features. */
  describe(plane: LumaPlane): FrameFeatures;
  /** Compares a candidate with a key-frame. */
  compare(reference: FrameFeatures, candidate: FrameFeatures): PairEvidence;
  /** Frees what OpenCV holds. */
  delete(): void;
}

type Settings = PairSettings & Pick<KeyFrameSettings, "features" | "width">;

export function createExtractor(cv: Cv, settings: Settings): Extractor {
  const orb = new cv.ORB(settings.features);
  const none = new cv.Mat();

  function describe(plane: LumaPlane): FrameFeatures {
    const upright = turnUpright(plane);
    const grey = settings.preset === "embodied-r" ? expandRange(upright, plane.full_range) : upright;
    return withCvObjects(cv, (own) => {
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

  return {
    describe,
    compare: (reference, candidate) => compareFrames(reference, candidate, settings, cv),
    delete() {
      for (const object of [orb, none]) object.delete();
    },
  };
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
