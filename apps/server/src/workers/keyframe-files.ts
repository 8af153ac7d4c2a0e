/** The cache of what the extractor saw of a clip: features and compared pairs, under the hash of what they depend on. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeFeatures, type FrameFeatures, type PairEvidence } from "@sightline/core/keyframes";

/** Where the features and the compared pairs of a clip lie under some settings. */
export function getEvidenceFiles(
  cache_dir: string,
  evidence_hash: string,
): { features: string; pairs: string } {
  return {
    features: join(cache_dir, `${evidence_hash}.features`),
    pairs: join(cache_dir, `${evidence_hash}.pairs.json`),
  };
}

/** Where the features of some of a clip's sampled frames lie until all are there. `ordinals` may not be empty. */
export function getPartFile(cache_dir: string, evidence_hash: string, ordinals: readonly number[]): string {
  return join(cache_dir, `${evidence_hash}.features.${ordinals[0]}-${ordinals.at(-1)}`);
}

/** @returns Null when there are none, or none that can be read: they are then made again. */
export async function readFeatures(file: string): Promise<FrameFeatures[] | null> {
  try {
    return decodeFeatures(await readFile(file));
  } catch {
    return null;
  }
}

/** @returns No pairs when there are none that can be read: they are then compared again. */
export async function readPairs(file: string): Promise<PairEvidence[]> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as PairEvidence[];
  } catch {
    return [];
  }
}

/** Whole or not at all: another process may read the file at any moment. */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, content);
  await rename(draft, file);
}
