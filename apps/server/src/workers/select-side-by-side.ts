/** Key-frames of one clip by several decoder processes. Runs in the process that owns the pool. */
import { existsSync } from "node:fs";
import { getEvidenceHash, type KeyFrameSelection, sampleFrames } from "@sightline/core/keyframes";
import type { DecoderPool, RunOptions } from "../media/decoder-pool.ts";
import { getEvidenceFiles, getPartFile } from "./keyframe-files.ts";
import type { SelectArgs } from "./keyframes.ts";
import { planParts } from "./plan-parts.ts";

/**
 * Selects a clip's key-frames; parts of a long one are decoded side by side, as many as the pool's background lane has
 * processes. What one process would find is found, bit for bit: each part begins where a decoder may begin.
 *
 * A part that is done is kept in a file of its own, so that work that was cut short goes on from there.
 *
 * @param options.onProgress  Sampled frames done, of all parts together.
 * @throws What the pool throws; when one part fails, the others are ended.
 */
export async function selectSideBySide(
  pool: DecoderPool,
  args: SelectArgs,
  { signal, onBegin, onProgress }: Omit<RunOptions, "lane" | "silenceMs">,
): Promise<KeyFrameSelection> {
  const { file, index, settings, cache_dir } = args;
  const evidence_hash = getEvidenceHash(settings);
  const isCached = existsSync(getEvidenceFiles(cache_dir, evidence_hash).features);
  const parts = isCached
    ? []
    : planParts(sampleFrames([...index.time_secs], settings), index, pool.background);
  const part_files = parts.map((ordinals) => getPartFile(cache_dir, evidence_hash, ordinals));
  if (parts.length > 1) {
    const failed = new AbortController();
    const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
    const done = parts.map(() => 0);
    const runPart = (ordinals: number[], n: number) =>
      pool.run(
        "features",
        { file, index, settings, ordinals, out: part_files[n] as string },
        {
          lane: "background",
          signal: either,
          ...(n === 0 && onBegin && { onBegin }),
          onProgress(count) {
            done[n] = count;
            onProgress?.(done.reduce((sum, one) => sum + one, 0));
          },
        },
      );
    const begun = parts.map(runPart);
    try {
      await Promise.all(begun);
    } catch (error) {
      failed.abort();
      await Promise.allSettled(begun);
      throw error;
    }
  }
  return pool.run(
    "keyframes",
    { ...args, part_files: parts.length > 1 ? part_files : [] },
    {
      lane: "background",
      ...(signal && { signal }),
      ...(parts.length <= 1 && onBegin && { onBegin }),
      ...(onProgress && { onProgress }),
    },
  );
}
