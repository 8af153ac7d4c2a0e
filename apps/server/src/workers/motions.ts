/** What the camera did between a clip's key-frames, as it runs in a decoder process. */
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import { describeMotions, findFieldOfView, type Motion } from "@sightline/core/motion";
import { readFeatures } from "./keyframe-files.ts";

export type MotionArgs = {
  /** The cached features behind the selection. */
  features: string;
  decisions: KeyFrameSelection["decisions"];
  /** As a person set it; null: as the pictures say, or as is assumed. */
  field_of_view_deg: number | null;
};

/** @returns One per key-frame, null for the first; null when the cached features are gone. */
export async function lookAtMotions({
  features,
  decisions,
  field_of_view_deg,
}: MotionArgs): Promise<(Motion | null)[] | null> {
  const frames = await readFeatures(features);
  return frames === null ? null : describeMotions({ decisions }, frames, field_of_view_deg);
}

/** @returns Horizontal, in degrees, null where the pictures don't show it; nothing when the cached features are gone. */
export async function lookAtView({
  features,
}: Pick<MotionArgs, "features">): Promise<{ found_deg: number | null } | null> {
  const frames = await readFeatures(features);
  return frames && { found_deg: findFieldOfView(frames) };
}
