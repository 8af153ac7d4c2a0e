import { hashSettings, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import type { LinkEvidence } from "@sightline/core/links";
import { TRPCError } from "@trpc/server";
import type { Logger } from "pino";
import type { Db } from "../../db/open.ts";
import type { Library } from "../clips/library.ts";
import type { Decisions } from "../decisions/index.ts";
import type { Jobs } from "../jobs/tray.ts";
import type { KeyFrames } from "../keyframes/index.ts";
import type { Questions } from "../questions/index.ts";
import type { Traces } from "../traces/index.ts";
import type { Triples } from "../triples/index.ts";
import type { Worlds } from "../worlds/index.ts";
import { createLinkService, type Links } from "./service.ts";
import { createLinkStore } from "./store.ts";

export type { Links } from "./service.ts";

/** What is not there is no error here: it is one thing less to tell by. */
function orNull<T>(get: () => T): T | null {
  try {
    return get();
  } catch (error) {
    if (error instanceof TRPCError) return null;
    throw error;
  }
}

export function createLinks({
  db,
  jobs,
  log,
  library,
  keyframes,
  decisions,
  triples,
  questions,
  traces,
  worlds,
  makeTriples,
}: {
  db: Db;
  jobs: Jobs;
  log: Logger;
  library: Library;
  keyframes: KeyFrames;
  decisions: Decisions;
  triples: Triples;
  questions: Questions;
  traces: Traces;
  worlds: Worlds;
  /** Makes triples of a clip's stored key-frames, and waits for them. */
  makeTriples(
    plan: { clip_id: string; settings_hash: string; kind: "oracle" | "embedded" },
    signal: AbortSignal,
  ): Promise<unknown>;
}): Links {
  const getSettings = (clip_id: string) => keyframes.getSaved(clip_id) ?? SIGHTLINE_SETTINGS;
  const waitUntilRead = async (clip_id: string, signal: AbortSignal) => {
    for (;;) {
      signal.throwIfAborted();
      const rung = library.bell.wait(signal);
      const { state, problem } = library.get(clip_id);
      if (state === "refused") throw new Error(problem ?? "The clip could not be read.");
      if (state !== "reading") return;
      await rung;
    }
  };
  return createLinkService({
    store: createLinkStore(db),
    jobs,
    log,
    getTrace: traces.get,
    sources: {
      getClip: (clip_id) => orNull(() => library.get(clip_id)),
      getSampleTable: library.getSampleTable,
      getVersion: (clip_id) =>
        orNull(() => decisions.getVersion(clip_id, hashSettings(getSettings(clip_id)))),
      listTriples: triples.list,
      getTriples: triples.get,
      getQuestion: (question_id): (LinkEvidence["question"] & ReturnType<Questions["get"]>) | null =>
        orNull(() => questions.get(question_id)),
      findWorld: worlds.find,
      findClipOfWorld: worlds.getClip,
    },
    async render(world, signal, onProgress) {
      const clip_id = await worlds.render(world, signal, onProgress);
      await waitUntilRead(clip_id, signal);
      return clip_id;
    },
    async extractAndWait(clip_id, signal) {
      const settings = getSettings(clip_id);
      if (keyframes.isStored(clip_id, hashSettings(settings))) return;
      const { state, problem } = await keyframes.extractAndWait(clip_id, settings, signal);
      if (state !== "done") throw new Error(problem ?? "The key-frames were cancelled.");
    },
    async makeTriples(clip_id, signal) {
      if (triples.list(clip_id).some(({ state }) => state === "done")) return;
      await makeTriples(
        {
          clip_id,
          settings_hash: hashSettings(getSettings(clip_id)),
          kind: worlds.find(clip_id) === null ? "embedded" : "oracle",
        },
        signal,
      );
    },
  });
}
