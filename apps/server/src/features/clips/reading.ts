import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import type { DecoderPool } from "../../media/decoder-pool.ts";
import { readClip } from "../../media/read-clip.ts";
import type { Jobs } from "../jobs/tray.ts";
import type { Library } from "./library.ts";

/** Seconds between the frames of which the filmstrip shows a picture. */
const FILMSTRIP_INTERVAL_SECS = 1;

type Parts = { library: Library; jobs: Jobs; pool: DecoderPool; log: Logger };

/** Where the pictures of the sampled frames lie: `<ordinal>.jpg` and `poster.jpg`. */
export const getThumbsDir = (folder: string) => join(folder, "thumbs");

/**
 * Reads clips that have come in: one decode that makes the sample table and the filmstrip.
 *
 * A clip's row stays at "reading" until it is done, so a server that starts again goes on with it.
 */
export function createReader({ library, jobs, pool, log }: Parts) {
  const running = new Set<string>();

  const read = (clip_id: string) => {
    if (running.has(clip_id)) return;
    running.add(clip_id);
    const { name, bytes } = library.get(clip_id);
    const { ended } = jobs.start({ kind: "read", title: `Reading ${name}`, clip_id }, async (control) => {
      const folder = library.getFolder(clip_id);
      const thumbs_dir = getThumbsDir(folder);
      await rm(thumbs_dir, { recursive: true, force: true });
      await mkdir(thumbs_dir, { recursive: true });
      const { facts, index, problem, browser_start_secs } = await readClip(
        pool,
        { file: library.getFile(clip_id), thumbs_dir, interval_secs: FILMSTRIP_INTERVAL_SECS },
        {
          lane: "background",
          signal: control.signal,
          onBegin: control.begin,
          onProgress: (done) => control.progress(Math.min(done, bytes), bytes),
        },
      );
      library.setFrames(clip_id, index);
      library.update(clip_id, {
        ...facts,
        frame_count: index.time_secs.length,
        duration_secs: index.duration_secs,
        state: problem === null ? "ready" : "partial",
        problem,
        plays: browser_start_secs === null ? "proxy" : "original",
        original_start_secs: browser_start_secs,
      });
      if (browser_start_secs === null) library.wantProxy(clip_id);
      control.progress(bytes, bytes);
    });
    ended
      .then((job) => {
        running.delete(clip_id);
        if (jobs.isClosing) return;
        if (job.state === "cancelled") {
          library.update(clip_id, {
            state: "refused",
            problem: "Reading was cancelled. Add the file again to read it.",
          });
        }
        if (job.state === "failed") library.update(clip_id, { state: "refused", problem: job.problem });
      })
      .catch((error: unknown) => log.error({ err: error, clip_id }, "reading a clip"));
  };

  return { read };
}
