/**
 * Pictures to features, and features to evidence.
 */
import { compareFrames, type PairSettings } from "./compare.ts";
import type { Cv } from "./cv.ts";
import type { FrameFeatures } from "./features.ts";
import { findFeatures } from "./orb.ts";
import { expandRange, turnUpright } from "./plane.ts";
import type { KeyFrameSettings, LumaPlane, PairEvidence } from "./types.ts";

export interface Extractor {
  /** Features of one sampled frame, as decoded: turns it upright, scales it, finds ORB features. */
  describe(plane: LumaPlane): FrameFeatures;
  /** Compares a candidate with a key-frame. */
  compare(reference: FrameFeatures, candidate: FrameFeatures): PairEvidence;
}

type Settings = PairSettings & Pick<KeyFrameSettings, "features" | "width">;

/** @param cv  May be null where `needsCvToCompare` says so. */
export function createExtractor(cv: Cv | null, settings: Settings): Extractor {
  return {
    describe(plane) {
      const upright = turnUpright(plane);
      const grey = settings.preset === "embodied-r" ? expandRange(upright, plane.full_range) : upright;
      return { frame: plane.frame, time_secs: plane.time_secs, ...findFeatures(grey, settings) };
    },
    compare: (reference, candidate) => compareFrames(reference, candidate, settings, cv),
  };
}
