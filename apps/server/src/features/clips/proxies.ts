import { join } from "node:path";
import type { Logger } from "pino";
import type { DecoderPool } from "../../media/decoder-pool.ts";
import type { Jobs } from "../jobs/tray.ts";
import type { Library } from "./library.ts";

type Parts = { library: Library; jobs: Jobs; pool: DecoderPool; log: Logger };

/** Where a clip's copy for browsers lies. */
export const getProxyFile = (folder: string) => join(folder, "proxy.mp4");

/** Makes the copies that browsers play where they can't play the original. What is not finished is begun anew at start. */
export function createProxies({ library, jobs, pool, log }: Parts) {
  const running = new Set<string>();

  const make = (clip_id: string) => {
    if (running.has(clip_id)) return;
    running.add(clip_id);
    const { name, frame_count } = library.get(clip_id);
    const about = { kind: "proxy", title: `Preparing ${name} for the browser`, clip_id } as const;
    const { ended } = jobs.start(about, async (control) => {
      await pool.run(
        "proxy",
        {
          file: library.getFile(clip_id),
          index: library.getFrames(clip_id),
          out: getProxyFile(library.getFolder(clip_id)),
        },
        {
          lane: "background",
          signal: control.signal,
          onBegin: control.begin,
          onProgress: (done) => control.progress(done, frame_count),
        },
      );
      library.update(clip_id, { proxy: "ready", proxy_problem: null });
      control.progress(frame_count ?? 0, frame_count);
    });
    ended
      .then((job) => {
        running.delete(clip_id);
        if (jobs.isClosing || job.state === "done") return;
        const proxy_problem =
          job.state === "cancelled"
            ? "Making the copy for the browser was cancelled."
            : `The copy for the browser could not be made: ${job.problem}`;
        library.update(clip_id, { proxy: "failed", proxy_problem });
      })
      .catch((error: unknown) => log.error({ err: error, clip_id }, "making a proxy"));
  };

  return { make };
}
