import { createExtractor, type FrameFeatures, type KeyFrameSettings } from "@sightline/core/keyframes";
import { readFrames } from "../../media/read-frames.ts";
import type { FrameIndex } from "../../media/scan.ts";

/** Features of a clip's frames, each part decoded by itself. */
export function describeInParts(
  file: string,
  index: FrameIndex,
  settings: KeyFrameSettings,
  parts: readonly number[][],
  threads: number,
): FrameFeatures[] {
  const extractor = createExtractor(null, settings);
  return parts
    .flatMap((ordinals) => Array.from(readFrames(file, index, ordinals, { threads }), extractor.describe))
    .sort((a, b) => a.frame - b.frame);
}
