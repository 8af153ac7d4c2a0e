/** What the camera did between a clip's key-frames, as it runs in a decoder process. */
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import { describeMotions, type Motion } from "@sightline/core/motion";
import { readFeatures } from "./keyframe-files.ts";

export type MotionArgs = {
  /** The cached features behind the selection. */
  features: string;
  decisions: KeyFrameSelection["decisions"];
};

/** @returns One per key-frame, null for the first; null when the cached features are gone. */
export async function lookAtMotions({ features, decisions }: MotionArgs): Promise<(Motion | null)[] | null> {
  const frames = await readFeatures(features);
  return frames === null ? null : describeMotions({ decisions }, frames, null);
}
