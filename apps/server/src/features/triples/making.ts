import type { Job } from "@sightline/core/clips";
import type { Motion } from "@sightline/core/motion";
import type { Bell } from "../../live/follow.ts";
import type { SetRow } from "./store.ts";
import type { TripleParts } from "./types.ts";

/** A set that is being filled. */
export type Making = {
  job: Job;
  /** Settles once the set's last word is written down. */
  ended: Promise<Job>;
};

/** Fills sets of triples, each in a job of its own. */
export type Makers = {
  /** Begins the job that fills a set, or goes on with it: what it holds already stays. */
  run(row: SetRow): void;
  /** Null when nobody works on the set. */
  get(triple_set_id: string): Making | null;
};

export function createMakers(parts: TripleParts, bell: Bell): Makers {
  const { store, jobs, log, perceivers } = parts;
  const working = new Map<string, Making>();

  /** Geometry's word, kept with the set. Where it can't look, the triples stand without it. */
  const lookAtMotions = async (
    { triple_set_id, clip_id, settings_hash, key_frames }: SetRow,
    signal: AbortSignal,
  ): Promise<(Motion | null)[]> => {
    try {
      const frames = key_frames.map(({ frame }) => frame);
      const motions = await parts.lookAtMotions(clip_id, settings_hash, frames, signal);
      if (motions !== null) store.updateSet(triple_set_id, { motions });
      return motions ?? [];
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, triple_set_id }, "looking at the camera's motion");
      return [];
    }
  };

  const run = (row: SetRow): void => {
    const { triple_set_id, clip_id, settings_hash, perceiver, key_frames, question } = row;
    const title = `Triples of ${parts.getClipName(clip_id)} by ${row.label}`;
    const { job, ended } = jobs.start(
      { kind: "perceive", title, clip_id },
      async ({ signal, begin, progress }) => {
        begin();
        const began = performance.now();
        const known = new Set(store.listTriples(triple_set_id).map(({ key_frame }) => key_frame));
        const missing = key_frames.flatMap((_, index) => (known.has(index) ? [] : [index]));
        progress(known.size, key_frames.length);
        try {
          const selection = parts.getSelection(clip_id, settings_hash);
          let looking: Promise<(Motion | null)[]> | null = row.motions && Promise.resolve(row.motions);
          const motions = () => {
            looking ??= lookAtMotions(row, signal);
            return looking;
          };
          const perceive = perceivers[perceiver.kind];
          if (!perceive) throw new Error(`Sets that were ${perceiver.kind} are not made anew.`);
          await perceive({
            clip_id,
            perceiver,
            selection,
            key_frames,
            missing,
            question,
            motions,
            signal,
            report: (done) => progress(known.size + done, key_frames.length),
            put(index, triple, cost = {}) {
              store.insertTriples([{ triple_set_id, key_frame: index, ...triple }]);
              store.addCost(triple_set_id, cost);
              known.add(index);
              progress(known.size, key_frames.length);
              bell.ring();
            },
          });
          signal.throwIfAborted();
          // Last, so that it takes no time from those who only ask.
          await motions();
          signal.throwIfAborted();
        } finally {
          store.addCost(triple_set_id, { secs: (performance.now() - began) / 1000 });
        }
      },
    );
    const settled = ended.then((last) => {
      working.delete(triple_set_id);
      // What a closing server cut short is gone on with by the next one.
      if (jobs.isClosing && last.state === "cancelled") return last;
      const state = last.state === "done" || last.state === "cancelled" ? last.state : "failed";
      store.updateSet(triple_set_id, { state, problem: last.problem });
      bell.ring();
      return last;
    });
    settled.catch((error: unknown) => log.error({ err: error, triple_set_id }, "ending a set of triples"));
    working.set(triple_set_id, { job, ended: settled });
  };

  return { run, get: (triple_set_id) => working.get(triple_set_id) ?? null };
}
