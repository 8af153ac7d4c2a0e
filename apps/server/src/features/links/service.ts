import { setTimeout as sleep } from "node:timers/promises";
import type { Job } from "@sightline/core/clips";
import { type CheckedLinks, checkLinks, type LinkCounts } from "@sightline/core/links";
import type { Trace } from "@sightline/core/traces";
import { getFilmSecs, type World } from "@sightline/core/worlds";
import { TRPCError } from "@trpc/server";
import type { Logger } from "pino";
import type { Jobs } from "../jobs/tray.ts";
import { createGatherer, type Gathered, type LinkSources } from "./evidence.ts";
import type { LinkStore, Stored } from "./store.ts";

/** Names a line of a run for good. */
export type LineName = { run_id: string; attempt: number; seq: number };

/** Which link broke: of one output, and counted over a run. */
export type Links = {
  /** Looked at anew, since clips and triples may have come meanwhile. */
  check(name: LineName): CheckedLinks;
  checkTrace(trace_id: string): CheckedLinks;
  /** Counts what is known by now, and goes on looking at the rest unless a person stopped it. */
  count(run_id: string): LinkCounts;
  /** Goes on where a person stopped; `again`: looks at all of them anew. */
  goOn(run_id: string, again: boolean): void;
  stop(run_id: string): void;
  /** The same as `count` without counting. */
  catchUp(run_id: string): void;
  /** Makes what the way from a completion to a frame lacks: the clip of its world, key-frames, triples. */
  prepare(name: LineName): Job;
  close(): Promise<void>;
};

/** So many at a time keep the server free for others: about 20 ms. */
const SLICE = 20;
const BREATH_MS = 10;
/** With fewer to do, nobody needs to see it in the tray. */
const SHOWN_FROM = 1000;

export function createLinkService({
  store,
  sources,
  jobs,
  log,
  getTrace,
  render,
  extractAndWait,
  makeTriples,
}: {
  store: LinkStore;
  sources: LinkSources;
  jobs: Jobs;
  log: Logger;
  getTrace(trace_id: string): Trace;
  /** Renders a world's clip and waits until it was read. */
  render(
    world: World,
    signal: AbortSignal,
    onProgress: (done: number, total: number) => void,
  ): Promise<string>;
  extractAndWait(clip_id: string, signal: AbortSignal): Promise<void>;
  makeTriples(clip_id: string, signal: AbortSignal): Promise<void>;
}): Links {
  const gatherer = createGatherer(sources);
  const closing = new AbortController();
  const checking = new Map<string, { work: Promise<void>; stop: AbortController }>();
  const stopped = new Set<string>();
  const preparing = new Map<string, Job>();

  const find = ({ run_id, attempt, seq }: LineName): Stored => {
    const stored = store.find(run_id, attempt, seq);
    if (!stored) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such completion." });
    return stored;
  };

  const show = ({ evidence, clip, triple_set_id }: Gathered, completion_id: number | null): CheckedLinks => {
    const { world, key_frames } = evidence;
    const lacks =
      clip === null
        ? world && ("clip" as const)
        : clip.state !== "ready"
          ? null
          : key_frames === null
            ? ("key_frames" as const)
            : triple_set_id === null
              ? ("triples" as const)
              : null;
    return {
      ...checkLinks(evidence),
      completion_id,
      clip: clip && { clip_id: clip.clip_id, name: clip.name },
      triple_set_id,
      lacks,
      film_secs: lacks === "clip" && world !== null ? getFilmSecs(world) : null,
    };
  };

  const gather = ({ line }: Stored, memory?: Parameters<typeof gatherer.ofCompletion>[2]) =>
    gatherer.ofCompletion(line, store.getPrompt(line), memory);

  const checkAll = async (run_id: string, signal: AbortSignal, onProgress: (at: LinkCounts) => void) => {
    const memory: Parameters<typeof gatherer.ofCompletion>[2] = new Map();
    let last = 0;
    for (let slices = 0; !signal.aborted; slices++) {
      const batch = store.listUnchecked(run_id, last, SLICE);
      last = batch.at(-1)?.completion_id ?? last;
      store.put(
        batch.map((stored) => ({
          completion_id: stored.completion_id,
          report: checkLinks(gather(stored, memory).evidence),
        })),
      );
      if (batch.length < SLICE) return;
      if (slices % 10 === 0) onProgress({ ...store.count(run_id), is_checking: true });
      await sleep(BREATH_MS);
    }
  };

  const catchUp = (run_id: string) => {
    if (checking.has(run_id) || stopped.has(run_id) || closing.signal.aborted) return;
    const { wrong, checked } = store.progress(run_id);
    if (checked >= wrong) return;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, closing.signal]);
    const work =
      wrong - checked < SHOWN_FROM
        ? checkAll(run_id, signal, () => {})
        : jobs
            .start(
              { kind: "links", title: "Looking which links broke", clip_id: null },
              async ({ signal: cancelled, begin, progress }) => {
                begin();
                // Cancelled in the tray, it is not begun again by who still looks at the count.
                cancelled.addEventListener("abort", () => stopped.add(run_id), { once: true });
                await checkAll(run_id, AbortSignal.any([cancelled, signal]), (at) =>
                  progress(at.checked, at.wrong),
                );
                cancelled.throwIfAborted();
              },
            )
            .ended.then(() => undefined);
    const ended = work
      .catch((error: unknown) => {
        stopped.add(run_id);
        log.error({ err: error, run_id }, "looking which links broke");
      })
      .finally(() => checking.delete(run_id));
    checking.set(run_id, { work: ended, stop });
  };

  const getMissing = (stored: Stored): { world: World | null; clip_id: string | null } => {
    const { evidence, clip } = gather(stored);
    return { world: evidence.world, clip_id: clip?.clip_id ?? null };
  };

  return {
    check(name) {
      const stored = find(name);
      const found = show(gather(stored), stored.completion_id);
      if (Number(stored.line.rewards.accuracy?.raw ?? 1) < 1)
        store.put([{ completion_id: stored.completion_id, report: found }]);
      return found;
    },
    checkTrace: (trace_id) => show(gatherer.ofTrace(getTrace(trace_id)), null),
    count(run_id) {
      catchUp(run_id);
      return { ...store.count(run_id), is_checking: checking.has(run_id) };
    },
    goOn(run_id, again) {
      stopped.delete(run_id);
      if (again) store.clear(run_id);
      catchUp(run_id);
    },
    stop(run_id) {
      stopped.add(run_id);
      checking.get(run_id)?.stop.abort();
    },
    catchUp,
    prepare(name) {
      const stored = find(name);
      const { world, clip_id } = getMissing(stored);
      if (world === null && clip_id === null)
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: "The question is of no world of ours, so no clip of it can be rendered.",
        });
      const key = clip_id ?? world?.world_id ?? "";
      const underWay = preparing.get(key);
      if (underWay) return underWay;
      const title = clip_id === null ? `Rendering ${world?.world_id}` : "Key-frames and triples of a clip";
      const { job, ended } = jobs.start(
        { kind: "render", title, clip_id },
        async ({ signal, begin, progress }) => {
          begin();
          const rendered = clip_id ?? (await render(world as World, signal, progress));
          await extractAndWait(rendered, signal);
          await makeTriples(rendered, signal);
        },
      );
      preparing.set(key, job);
      void ended.then(() => preparing.delete(key));
      return job;
    },
    async close() {
      closing.abort();
      await Promise.all([...checking.values()].map(({ work }) => work));
    },
  };
}
