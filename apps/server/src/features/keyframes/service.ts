import { join } from "node:path";
import type { Clip, Job } from "@sightline/core/clips";
import {
  createPairSource,
  getEvidenceHash,
  hashSettings,
  type KeyFrameSelection,
  type KeyFrameSettings,
  MissingPairError,
  PairCache,
  SIGHTLINE_SETTINGS,
  sampleFrames,
  selectKeyFrames,
} from "@sightline/core/keyframes";
import { TRPCError } from "@trpc/server";
import type { Logger } from "pino";
import type { DecoderPool } from "../../media/decoder-pool.ts";
import { getEvidenceFiles, readFeatures, readPairs } from "../../workers/keyframe-files.ts";
import type { SelectArgs } from "../../workers/keyframes.ts";
import { selectSideBySide } from "../../workers/select-side-by-side.ts";
import type { Library } from "../clips/library.ts";
import type { Jobs } from "../jobs/tray.ts";
import type { KeyFrameStore } from "./store.ts";

/** Key-frames of the library's clips: selected, stored, selected anew from what was seen before. */
export type KeyFrames = {
  get(clip_id: string, settings: KeyFrameSettings): KeyFrameSelection | null;
  /** A stored selection by the hash of its settings. */
  getStored(clip_id: string, settings_hash: string): KeyFrameSelection | null;
  /** The settings that a clip's key-frames were last stored under; null when there are none. */
  getSaved(clip_id: string): KeyFrameSettings | null;
  /** Says under which settings a clip that is still being read is to be looked at first, in place of the usual ones. */
  want(clip_id: string, settings: KeyFrameSettings): void;
  /** Selects and stores; a second call for work that is under way joins it. */
  extract(clip_id: string, settings: KeyFrameSettings): Job;
  /**
   * The same, and waits for its end. Work that this call began is cancelled when the signal fires; work that others
   * began goes on.
   *
   * @throws The signal's reason when it fires.
   */
  extractAndWait(clip_id: string, settings: KeyFrameSettings, signal: AbortSignal): Promise<Job>;
  /** Whether a selection of these settings is stored. */
  isStored(clip_id: string, settings_hash: string): boolean;
  /**
   * Selects from cached features, without storing.
   *
   * @throws TRPCError PRECONDITION_FAILED when the clip was never looked at under such settings.
   */
  select(clip_id: string, settings: KeyFrameSettings): Promise<KeyFrameSelection>;
  /**
   * The horizontal field of view that the pictures show, in degrees, from the features of the selection that was stored
   * last; null where they don't show it, or while there are none.
   */
  findFieldOfView(clip_id: string): Promise<number | null>;
  /** Files with the features and pairs behind a stored selection. */
  getEvidence(clip_id: string, settings_hash: string): { features: string; pairs: string };
  /** Looks at every clip that has been read: as was asked for, also of an earlier server, or else as usual. */
  start(): void;
  close(): void;
};

type Parts = { store: KeyFrameStore; library: Library; jobs: Jobs; pool: DecoderPool; log: Logger };

export function createKeyFrameService({ store, library, jobs, pool, log }: Parts): KeyFrames {
  const running = new Map<string, { job: Job; ended: Promise<Job> }>();
  const selecting = new Map<string, Promise<unknown>>();
  const closing = new AbortController();

  const getCacheDir = (clip_id: string) => join(library.getFolder(clip_id), "keyframes");

  const toArgs = (clip_id: string, settings: KeyFrameSettings): SelectArgs => ({
    clip_id,
    file: library.getFile(clip_id),
    index: library.getFrames(clip_id),
    settings,
    cache_dir: getCacheDir(clip_id),
  });

  const extract: KeyFrames["extract"] = (clip_id, settings) => {
    const settings_hash = hashSettings(settings);
    const key = `${clip_id} ${settings_hash}`;
    const underWay = running.get(key);
    if (underWay) return underWay.job;
    const args = toArgs(clip_id, settings);
    const { name } = library.get(clip_id);
    store.putExtraction({ clip_id, settings_hash, settings, state: "wanted", problem: null });
    const about = { kind: "keyframes", title: `Selecting key-frames of ${name}`, clip_id } as const;
    const { job, ended } = jobs.start(about, async ({ signal, begin, progress }) => {
      const total = sampleFrames([...args.index.time_secs], settings).length;
      const selection = await selectSideBySide(pool, args, {
        signal,
        onBegin: begin,
        onProgress: (done) => progress(done, total),
      });
      store.put(selection);
      progress(total, total);
    });
    running.set(key, { job, ended });
    ended
      .then(({ state, problem }) => {
        running.delete(key);
        if (jobs.isClosing || (state !== "cancelled" && state !== "failed")) return;
        store.putExtraction({ clip_id, settings_hash, settings, state, problem });
      })
      .catch((error: unknown) => log.error({ err: error, clip_id }, "selecting key-frames"));
    return job;
  };

  const extractAndWait: KeyFrames["extractAndWait"] = async (clip_id, settings, signal) => {
    signal.throwIfAborted();
    const key = `${clip_id} ${hashSettings(settings)}`;
    const isMine = !running.has(key);
    const { job_id } = extract(clip_id, settings);
    const ended = running.get(key)?.ended;
    if (ended === undefined) throw new Error("the extraction was not begun");
    return new Promise((resolve, reject) => {
      const stop = () => {
        if (isMine) jobs.cancel(job_id);
        reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true });
      ended.then((job) => {
        signal.removeEventListener("abort", stop);
        resolve(job);
      }, reject);
    });
  };

  /** What a person cancelled or what failed stays as it is. */
  const extractOnce = (clip: Clip) => {
    const { clip_id, state, trashed_secs } = clip;
    if (trashed_secs !== null || (state !== "ready" && state !== "partial")) return;
    const asked = store.listExtractions(clip_id);
    for (const one of asked) if (one.state === "wanted") extract(clip_id, one.settings);
    if (asked.length > 0 || store.getLatestSettings(clip_id) !== null) return;
    extract(clip_id, SIGHTLINE_SETTINGS);
  };

  const followLibrary = async () => {
    let seen = -1;
    while (!closing.signal.aborted) {
      const rung = library.bell.wait(closing.signal);
      const { clips, revision } = library.listChanged(seen);
      seen = revision;
      for (const clip of clips) {
        try {
          extractOnce(clip);
        } catch (error) {
          log.error({ err: error, clip_id: clip.clip_id }, "selecting key-frames of a new clip");
        }
      }
      await rung;
    }
  };

  const selectFromCache = async (clip_id: string, settings: KeyFrameSettings) => {
    const files = getEvidenceFiles(getCacheDir(clip_id), getEvidenceHash(settings));
    const frames = await readFeatures(files.features);
    if (frames === null) {
      throw new TRPCError({
        code: "PRECONDITION_FAILED",
        message: "This clip has not been looked at under such settings yet. Extract its key-frames first.",
      });
    }
    const pairs = new PairCache(await readPairs(files.pairs));
    try {
      return selectKeyFrames(clip_id, frames, settings, createPairSource(frames, pairs, null));
    } catch (error) {
      if (!(error instanceof MissingPairError)) throw error;
      return pool.run("keyframes", toArgs(clip_id, settings), { lane: "interactive" });
    }
  };

  return {
    get: (clip_id, settings) => store.get(library.get(clip_id).clip_id, hashSettings(settings)),
    getStored: (clip_id, settings_hash) => store.get(library.get(clip_id).clip_id, settings_hash),
    getSaved: (clip_id) => store.getLatestSettings(library.get(clip_id).clip_id),
    want(clip_id, settings) {
      if (library.get(clip_id).state !== "reading") return;
      const settings_hash = hashSettings(settings);
      store.putExtraction({ clip_id, settings_hash, settings, state: "wanted", problem: null });
    },
    extract,
    extractAndWait,
    isStored: (clip_id, settings_hash) => store.getSettings(clip_id, settings_hash) !== null,
    select(clip_id, settings) {
      library.get(clip_id);
      // One after the other for a clip: each adds to the same file of pairs.
      const before = selecting.get(clip_id) ?? Promise.resolve();
      const mine = before.catch(() => undefined).then(() => selectFromCache(clip_id, settings));
      selecting.set(clip_id, mine);
      const forget = () => {
        if (selecting.get(clip_id) === mine) selecting.delete(clip_id);
      };
      mine.then(forget, forget);
      return mine;
    },
    async findFieldOfView(clip_id) {
      const settings = store.getLatestSettings(library.get(clip_id).clip_id);
      if (settings === null) return null;
      const evidence_hash = getEvidenceHash(settings);
      const known = store.getView(clip_id, evidence_hash);
      if (known !== null) return known.found_deg;
      const { features } = getEvidenceFiles(getCacheDir(clip_id), evidence_hash);
      const view = await pool.run("view", { features }, { lane: "interactive" });
      if (view !== null) store.putView(clip_id, evidence_hash, view.found_deg);
      return view?.found_deg ?? null;
    },
    getEvidence(clip_id, settings_hash) {
      const settings = store.getSettings(library.get(clip_id).clip_id, settings_hash);
      if (!settings) {
        throw new TRPCError({ code: "NOT_FOUND", message: "This clip has no key-frames of these settings." });
      }
      return getEvidenceFiles(getCacheDir(clip_id), getEvidenceHash(settings));
    },
    start() {
      followLibrary().catch((error: unknown) => log.error({ err: error }, "following the library"));
    },
    close: () => closing.abort(),
  };
}
