/** Key-frame work on one clip, as it runs in a decoder process. */
import { mkdir } from "node:fs/promises";
import {
  createExtractor,
  createPairSource,
  type Extractor,
  encodeFeatures,
  type FrameFeatures,
  getEvidenceHash,
  type KeyFrameSelection,
  type KeyFrameSettings,
  needsCvToCompare,
  noteMissing,
  PairCache,
  sampleFrames,
  selectKeyFrames,
} from "@sightline/core/keyframes";
import { readFrames } from "../media/read-frames.ts";
import type { FrameIndex } from "../media/scan.ts";
import { getEvidenceFiles, readFeatures, readPairs, replaceFile } from "./keyframe-files.ts";

export type SelectArgs = {
  clip_id: string;
  file: string;
  index: FrameIndex;
  settings: KeyFrameSettings;
  /** Where the clip's features and pairs are kept. */
  cache_dir: string;
};

/**
 * Selects a clip's key-frames. Decodes and looks for features only where these are not cached; compares only pairs that
 * nobody compared before; leaves both in the cache.
 *
 * @param report  Sampled frames done; called again with all of them while they are compared.
 */
export async function select(args: SelectArgs, report: (done: number) => void): Promise<KeyFrameSelection> {
  const { clip_id, settings, cache_dir } = args;
  const files = getEvidenceFiles(cache_dir, getEvidenceHash(settings));
  await mkdir(cache_dir, { recursive: true });
  const extractor = await openExtractor(settings);
  let frames = await readFeatures(files.features);
  if (frames === null) {
    frames = describeFrames(args, extractor, report);
    await replaceFile(files.features, encodeFeatures(frames));
  }
  const count = frames.length;
  const pairs = new PairCache(await readPairs(files.pairs));
  const known = pairs.size;
  const comparer: Pick<Extractor, "compare"> = {
    compare(a, b) {
      // Of a long clip, comparing takes longer than silence is borne with.
      report(count);
      return extractor.compare(a, b);
    },
  };
  const selection = selectKeyFrames(clip_id, frames, settings, createPairSource(frames, pairs, comparer));
  if (pairs.size > known) await replaceFile(files.pairs, JSON.stringify(pairs.list()));
  return noteMissing(selection, sampleFrames([...args.index.time_secs], settings).length);
}

async function openExtractor(settings: KeyFrameSettings): Promise<Extractor> {
  if (!needsCvToCompare(settings)) return createExtractor(null, settings);
  const { loadOpenCv } = await import("./opencv.ts");
  const { cv } = await loadOpenCv();
  return createExtractor(cv, settings);
}

function describeFrames(
  { file, index, settings }: SelectArgs,
  extractor: Extractor,
  report: (done: number) => void,
): FrameFeatures[] {
  const ordinals = sampleFrames([...index.time_secs], settings);
  const frames: FrameFeatures[] = [];
  for (const plane of readFrames(file, index, ordinals)) {
    frames.push(extractor.describe(plane));
    report(frames.length);
  }
  // Frames that a jump could not reach come last, from a second pass over the file.
  return frames.sort((a, b) => a.frame - b.frame);
}
