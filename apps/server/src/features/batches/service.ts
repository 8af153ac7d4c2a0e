import { randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import {
  type Batch,
  type BatchClip,
  type BatchSource,
  type Finished,
  listFailures,
  tellPace,
} from "@sightline/core/batches";
import type { Clip } from "@sightline/core/clips";
import { formatNumberOf, toOneLine } from "@sightline/core/format";
import { hashSettings, type KeyFrameSettings } from "@sightline/core/keyframes";
import { TRPCError } from "@trpc/server";
import type { Logger } from "pino";
import { type Bell, createBell } from "../../live/follow.ts";
import type { Clips } from "../clips/index.ts";
import type { Jobs } from "../jobs/tray.ts";
import type { KeyFrames } from "../keyframes/index.ts";
import { createComparer } from "./compare.ts";
import type { BatchRecord, BatchStore } from "./store.ts";
import { workOnClip } from "./work-on-clip.ts";

/** What a batch is started from; clips by id only where the source is `clips`. */
export type BatchDraft = {
  name: string;
  source: BatchSource;
  clip_ids: string[];
  settings: KeyFrameSettings;
};

/** Key-frames of many clips: durable, to be cancelled and gone on with, with a report of what failed. */
export type Batches = {
  list(): Batch[];
  get(batch_id: string): Batch;
  listChanged(batch_id: string, after: number): BatchClip[];
  listFailures(batch_id: string): ReturnType<typeof listFailures>;
  /** Lists the clips, counts what is there already, and begins. */
  start(draft: BatchDraft, signal: AbortSignal): Promise<Batch>;
  /** The same clips under other settings, as a batch of its own. */
  startLike(
    batch_id: string,
    draft: Pick<BatchDraft, "name" | "settings">,
    signal: AbortSignal,
  ): Promise<Batch>;
  cancel(batch_id: string): void;
  /** Goes on with what is left. */
  resume(batch_id: string): Batch;
  /** Tries failed clips again: all of them, or those of some places. */
  retry(batch_id: string, places: number[] | null): Batch;
  compare: ReturnType<typeof createComparer>;
  /** Rings at every change of any batch, and now and then while one works, so that its pace stays true. */
  bell: Bell;
  /** Goes on with what an earlier server left. */
  startUp(): void;
};

/** Clips under way at the same time: as many as are decoded at once, and one being read meanwhile. */
const AT_ONCE = Math.min(8, availableParallelism()) + 1;
const PACE_MS = 2000;
const MOST_CLIPS = 100_000;

type Under = { job_id: string; began_secs: number; finished: Finished[] };

export function createBatchService({
  store,
  clips,
  keyframes,
  jobs,
  log,
}: {
  store: BatchStore;
  clips: Pick<Clips, "library" | "folders" | "addFromFolder">;
  keyframes: Pick<KeyFrames, "want" | "isStored" | "getStored" | "select" | "extractAndWait">;
  jobs: Jobs;
  log: Logger;
}): Batches {
  const bell = createBell();
  const running = new Map<string, Under>();
  const { library } = clips;

  const find = (batch_id: string): BatchRecord => {
    const found = store.get(batch_id);
    if (!found) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such batch." });
    return found;
  };

  const show = (record: BatchRecord): Batch => {
    const { batch_id } = record;
    const under = running.get(batch_id);
    const pace = under
      ? tellPace(under.finished, store.measureLeft(batch_id), under.began_secs, Date.now() / 1000)
      : null;
    return { ...record, ...store.count(batch_id), pace };
  };

  const work = (record: BatchRecord) => {
    const { batch_id, name, source, settings, settings_hash } = record;
    if (running.has(batch_id)) return;
    const under: Under = { job_id: "", began_secs: Date.now() / 1000, finished: [] };
    const about = { kind: "batch", title: `Key-frames: ${name}`, clip_id: null } as const;
    const { job, ended } = jobs.start(about, async ({ signal, begin, progress }) => {
      begin();
      const places = store.listLeft(batch_id);
      const total = store.count(batch_id).clips;
      let through = total - places.length;
      progress(through, total);
      const next = places[Symbol.iterator]();
      const broken = new AbortController();
      const either = AbortSignal.any([signal, broken.signal]);
      const worker = async () => {
        for (const place of next) {
          either.throwIfAborted();
          const row = store.getClip(batch_id, place);
          if (row === null) continue;
          const put = (set: Parameters<BatchStore["put"]>[2]) => {
            store.put(batch_id, place, set);
            bell.ring();
          };
          try {
            const outcome = await workOnClip(
              { row, source, settings, settings_hash },
              { clips, keyframes, put, signal: either },
            );
            const ended_secs = Date.now() / 1000;
            put({ ...outcome, ended_secs });
            if (outcome.state !== "there") {
              under.finished.push({ ended_secs, duration_secs: outcome.duration_secs ?? 0 });
            }
          } catch (error) {
            // Of a server that goes down nothing is noted: the clip stays as under way, and is taken up first.
            if (either.aborted && !jobs.isClosing) put({ state: "waiting" });
            throw error;
          }
          through += 1;
          progress(through, total);
        }
      };
      const workers = Array.from({ length: Math.min(AT_ONCE, places.length) }, () =>
        worker().catch((error: unknown) => broken.abort(error)),
      );
      await Promise.all(workers);
      either.throwIfAborted();
    });
    under.job_id = job.job_id;
    running.set(batch_id, under);
    const tick = setInterval(() => bell.ring(), PACE_MS);
    tick.unref();
    ended
      .then(({ state, problem }) => {
        clearInterval(tick);
        running.delete(batch_id);
        // A server that goes down leaves it as working, and goes on at its next start.
        if (jobs.isClosing) return;
        const now = state === "done" ? "done" : state === "cancelled" ? "cancelled" : "failed";
        store.setState(batch_id, now, problem);
        bell.ring();
      })
      .catch((error: unknown) => log.error({ err: error, batch_id }, "ending a batch"));
  };

  const listClips = async ({ source, clip_ids }: BatchDraft, signal: AbortSignal) => {
    const whole = library.list({ trash: false });
    switch (source.kind) {
      case "all":
        return whole.map(toRow);
      case "tag":
        return whole.filter(({ tags }) => tags.includes(source.tag)).map(toRow);
      case "clips": {
        const wanted = new Set(clip_ids);
        return whole.filter(({ clip_id }) => wanted.has(clip_id)).map(toRow);
      }
      case "folder": {
        const rows: Row[] = [];
        for await (const found of clips.folders.walk(source.folder_id, source.path, signal)) {
          if (found.kind === "video") rows.push(toFileRow(found.path, source.path, null));
          if (found.kind === "unreadable") rows.push(toFileRow(found.path, source.path, found.why));
        }
        return rows;
      }
    }
  };

  const goOn = (batch_id: string): Batch => {
    const record = find(batch_id);
    if (store.listLeft(batch_id).length > 0 && !running.has(batch_id)) {
      store.setState(batch_id, "working", null);
      work({ ...record, state: "working" });
      bell.ring();
    }
    return show(find(batch_id));
  };

  const start: Batches["start"] = async (draft, signal) => {
    const { source, settings } = draft;
    const rows = await listClips(draft, signal);
    if (rows.length === 0) {
      throw new TRPCError({ code: "BAD_REQUEST", message: `There is no clip in ${nameSource(source)}.` });
    }
    if (rows.length > MOST_CLIPS) {
      throw new TRPCError({
        code: "BAD_REQUEST",
        message: `These are ${formatNumberOf(rows.length, "clip")}; more than ${MOST_CLIPS} are no batch. Take a folder at a time.`,
      });
    }
    const batch_id = randomUUID();
    const settings_hash = hashSettings(settings);
    const made_secs = Date.now() / 1000;
    const record: BatchRecord = {
      batch_id,
      name: toOneLine(draft.name) || proposeName(source, rows.length),
      source,
      settings,
      settings_hash,
      state: "working",
      problem: null,
      made_secs,
    };
    store.add(
      record,
      rows.map((row, place) => {
        const known = row.clip_id !== null && keyframes.isStored(row.clip_id, settings_hash);
        const there = known && row.clip_id !== null ? keyframes.getStored(row.clip_id, settings_hash) : null;
        return {
          ...row,
          batch_id,
          place,
          revision: place + 1,
          kept: there?.decisions.filter(({ kept }) => kept).length ?? null,
          sampled: there?.decisions.length ?? null,
          ...(there !== null && { state: "there" as const, ended_secs: made_secs }),
        };
      }),
    );
    work(record);
    bell.ring();
    return show(find(batch_id));
  };

  return {
    bell,
    list: () => store.list().map(show),
    get: (batch_id) => show(find(batch_id)),
    listChanged: store.listChanged,
    listFailures: (batch_id) => listFailures(store.listClips(find(batch_id).batch_id)),
    start,
    startLike(batch_id, draft, signal) {
      const clip_ids = store.listClips(find(batch_id).batch_id).flatMap(({ clip_id }) => clip_id ?? []);
      return start({ ...draft, source: { kind: "clips" }, clip_ids }, signal);
    },
    cancel(batch_id) {
      if (find(batch_id).state !== "working") return;
      const under = running.get(batch_id);
      if (under) return jobs.cancel(under.job_id);
      store.setState(batch_id, "cancelled", null);
      bell.ring();
    },
    resume: goOn,
    retry(batch_id, places) {
      find(batch_id);
      if (running.has(batch_id)) {
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message:
            "This batch is still at work. Try what failed again once it has ended, or cancel it first.",
        });
      }
      store.retry(batch_id, places);
      return goOn(batch_id);
    },
    compare: createComparer({ keyframes, getBatch: find, listClips: store.listClips }),
    startUp() {
      for (const record of store.list()) if (record.state === "working") work(record);
    },
  };
}

type Row = Omit<BatchClip, "batch_id" | "place" | "revision" | "kept" | "sampled">;

const nothing = { problem: null, advice: null, ended_secs: null } as const;

function toRow({ clip_id, name, duration_secs }: Clip): Row {
  return { ...nothing, name, path: null, clip_id, state: "waiting", duration_secs };
}

/** @param why  Why the file can't be read; null where nothing is known against it. */
function toFileRow(path: string, folder: string, why: string | null): Row {
  const name = folder === "" ? path : path.slice(folder.length + 1);
  const row: Row = { ...nothing, name, path, clip_id: null, state: "waiting", duration_secs: null };
  if (why === null) return row;
  const advice = "See that the file is there and may be read, then try again.";
  return { ...row, state: "failed", problem: why, advice, ended_secs: Date.now() / 1000 };
}

function nameSource(source: BatchSource): string {
  switch (source.kind) {
    case "all":
      return "the library";
    case "tag":
      return `the library with the tag “${source.tag}”`;
    case "folder":
      return "this folder, nor in any folder in it";
    default:
      return "the selection that is still in the library";
  }
}

function proposeName(source: BatchSource, count: number): string {
  if (source.kind === "folder" && source.path !== "") return source.path.split("/").at(-1) ?? source.path;
  if (source.kind === "tag") return source.tag;
  return formatNumberOf(count, "clip");
}
