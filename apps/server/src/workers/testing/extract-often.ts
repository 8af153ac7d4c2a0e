import { rmSync } from "node:fs";
import { join } from "node:path";
import { EMBODIED_R_SETTINGS, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { createDecoderPool } from "../../media/decoder-pool.ts";
import { type FrameIndex, scan } from "../../media/scan.ts";
import { listChildren } from "../../media/testing/children.ts";
import { getFixture } from "../../media/testing/fixtures.ts";

const CLIPS = ["cfr-30.mp4", "open-gop.mp4", "full-range.mp4", "vp9.webm", "hevc.mp4", "rotated-90.mp4"];

/**
 * Extracts key-frames over and over in one decoder process, of clips of several codings, under both presets, nothing cached.
 *
 * @param scratch  A folder for what is cached in between.
 * @returns The process's resident memory after each extraction, in megabytes.
 * @throws Error when it was not one and the same process throughout.
 */
export async function extractOften(
  count: number,
  scratch: string,
  onDone?: (done: number, rss_mb: number) => void,
): Promise<number[]> {
  const indexes = new Map<string, FrameIndex>();
  for (const name of CLIPS) indexes.set(name, (await scan(getFixture(name), { interval_secs: 1 })).index);
  const others = new Set(listChildren().map(({ pid }) => pid));
  const pool = createDecoderPool(1);
  const seen: number[] = [];
  let pid: number | null = null;
  try {
    for (let i = 0; i < count; i += 1) {
      const name = CLIPS[i % CLIPS.length] ?? "";
      const index = indexes.get(name);
      if (index === undefined) throw new Error("unreachable: every clip was scanned");
      const preset = Math.floor(i / CLIPS.length) % 2 === 0 ? SIGHTLINE_SETTINGS : EMBODIED_R_SETTINGS;
      const settings = { ...preset, sampling: "time" as const, interval_secs: 0.2 };
      const cache_dir = join(scratch, String(i));
      const args = { clip_id: name, file: getFixture(name), index, settings, cache_dir };
      await pool.run("keyframes", args, { lane: "background" });
      rmSync(cache_dir, { recursive: true });
      const [child] = listChildren().filter((one) => !others.has(one.pid));
      if (child === undefined) throw new Error("the decoder process is gone");
      pid ??= child.pid;
      if (child.pid !== pid) throw new Error("the decoder process was started anew");
      seen.push(child.rss_mb);
      onDone?.(i + 1, child.rss_mb);
    }
  } finally {
    pool.close();
  }
  return seen;
}
