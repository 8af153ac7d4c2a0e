/** Key-frame work on one clip, as it runs in a decoder process. */
import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
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

export type FeaturesArgs = Pick<SelectArgs, "file" | "index" | "settings"> & {
  /** The sampled frames to describe, ascending. */
  ordinals: number[];
  /** The file that is to hold their features. */
  out: string;
};

/**
 * Describes some of a clip's sampled frames, one decoding thread at work, and leaves their features in a file; nothing
 * is to be done where it is there.
 *
 * @param report  Frames done.
 */
export async function describePart(args: FeaturesArgs, report: (done: number) => void): Promise<void> {
  if ((await readFeatures(args.out)) !== null) return;
  await mkdir(dirname(args.out), { recursive: true });
  const frames = describeFrames(args, args.ordinals, createExtractor(null, args.settings), 1, report);
  await replaceFile(args.out, encodeFeatures(frames));
}

/**
 * Selects a clip's key-frames. Decodes and looks for features only where these are not cached; compares only pairs that
 * nobody compared before; leaves both in the cache.
 *
 * @param args.part_files  Files with the features of all sampled frames, part by part; they are taken away afterwards.
 *   None: the frames are decoded here.
 * @param report  Sampled frames done; called again with all of them while they are compared.
 */
export async function select(
  args: SelectArgs & { part_files?: string[] },
  report: (done: number) => void,
): Promise<KeyFrameSelection> {
  const { clip_id, settings, cache_dir, part_files = [] } = args;
  const files = getEvidenceFiles(cache_dir, getEvidenceHash(settings));
  await mkdir(cache_dir, { recursive: true });
  const extractor = await openExtractor(settings);
  const ordinals = sampleFrames([...args.index.time_secs], settings);
  let frames = await readFeatures(files.features);
  if (frames === null) {
    frames = (await joinParts(part_files)) ?? describeFrames(args, ordinals, extractor, 2, report);
    await replaceFile(files.features, encodeFeatures(frames));
  }
  for (const file of part_files) await rm(file, { force: true });
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
  return noteMissing(selection, ordinals.length);
}

async function openExtractor(settings: KeyFrameSettings): Promise<Extractor> {
  if (!needsCvToCompare(settings)) return createExtractor(null, settings);
  const { loadOpenCv } = await import("./opencv.ts");
  const { cv } = await loadOpenCv();
  return createExtractor(cv, settings);
}

/** @returns Null when there are no parts, or one of them can't be read. */
async function joinParts(files: readonly string[]): Promise<FrameFeatures[] | null> {
  if (files.length === 0) return null;
  const parts = await Promise.all(files.map(readFeatures));
  return parts.includes(null) ? null : parts.flatMap((frames) => frames ?? []);
}

function describeFrames(
  { file, index }: Pick<SelectArgs, "file" | "index">,
  ordinals: readonly number[],
  extractor: Extractor,
  threads: number,
  report: (done: number) => void,
): FrameFeatures[] {
  const frames: FrameFeatures[] = [];
  for (const plane of readFrames(file, index, ordinals, { threads })) {
    frames.push(extractor.describe(plane));
    report(frames.length);
  }
  // Frames that a jump could not reach come last, from a second pass over the file.
  return frames.sort((a, b) => a.frame - b.frame);
}
