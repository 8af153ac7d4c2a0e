import type { BatchClip, BatchSource } from "@sightline/core/batches";
import type { Clip } from "@sightline/core/clips";
import type { KeyFrameSettings } from "@sightline/core/keyframes";
import { explainFailure } from "../../data-folder/explain-failure.ts";
import type { Clips } from "../clips/index.ts";
import type { KeyFrames } from "../keyframes/index.ts";

/** What came of a clip. */
export type Outcome = Pick<BatchClip, "state" | "problem" | "advice" | "kept" | "sampled" | "duration_secs">;

type Parts = {
  clips: Pick<Clips, "library" | "addFromFolder">;
  keyframes: Pick<KeyFrames, "want" | "isStored" | "getStored" | "extractAndWait">;
  /** Notes what is known so far. */
  put(set: Partial<BatchClip>): void;
  signal: AbortSignal;
};

type Task = {
  row: BatchClip;
  source: BatchSource;
  settings: KeyFrameSettings;
  settings_hash: string;
};

/** A clip failed by itself; the others go on. */
class ClipProblem extends Error {
  constructor(
    message: string,
    /** What to do now, in a sentence. */
    readonly advice: string,
  ) {
    super(message);
  }
}

/**
 * Takes one clip through the whole of it: into the library where it is a file, read, its key-frames selected and stored.
 *
 * @throws The signal's reason when it fires; an error where no clip can be worked on, as on a full disk.
 */
export async function workOnClip(task: Task, parts: Parts): Promise<Outcome> {
  const { row, settings, settings_hash } = task;
  const { keyframes, put, signal } = parts;
  // A clip that was under way when a server ended and is stored now was stored by this batch.
  const was_under_way = row.state === "working";
  put({ state: "working" });
  try {
    const clip_id = row.clip_id ?? (await bringIn(task, parts));
    put({ clip_id });
    const { duration_secs } = await waitUntilRead(clip_id, parts);
    put({ duration_secs });
    const is_there = keyframes.isStored(clip_id, settings_hash);
    if (!is_there) await extract(clip_id, settings, keyframes, signal);
    const decisions = keyframes.getStored(clip_id, settings_hash)?.decisions ?? [];
    return {
      state: is_there && !was_under_way ? "there" : "done",
      problem: null,
      advice: null,
      kept: decisions.filter(({ kept }) => kept).length,
      sampled: decisions.length,
      duration_secs,
    };
  } catch (error) {
    if (signal.aborted || !(error instanceof ClipProblem)) throw error;
    const { message: problem, advice } = error;
    return { state: "failed", problem, advice, kept: null, sampled: null, duration_secs: null };
  }
}

/** Words of a full disk, whoever said them: then no clip can be worked on. */
const DISK_FULL = /no room left on the disk|ENOSPC|disk is full/i;

async function bringIn(
  { row, source, settings }: Task,
  { clips, keyframes, signal }: Parts,
): Promise<string> {
  if (source.kind !== "folder" || row.path === null) throw new Error("a clip of the library has its id");
  let added: Awaited<ReturnType<Clips["addFromFolder"]>>[number] | undefined;
  try {
    [added] = await clips.addFromFolder(source.folder_id, [row.path]);
  } catch (error) {
    throw new ClipProblem(explainFailure(error), "See that the folder is still listed, then try again.");
  }
  if (added !== undefined && "added" in added) {
    const { clip_id } = added.added.clip;
    keyframes.want(clip_id, settings);
    return clip_id;
  }
  signal.throwIfAborted();
  const problem = added?.problem ?? "The file could not be added.";
  if (DISK_FULL.test(problem)) throw new Error(problem);
  throw new ClipProblem(
    problem,
    /library has no room/.test(problem)
      ? "Make room in the library, or take the key-frames of this folder with “pnpm keyframes”, which copies nothing."
      : "See that the file is there and may be read, then try again.",
  );
}

async function waitUntilRead(clip_id: string, { clips: { library }, signal }: Parts): Promise<Clip> {
  for (;;) {
    signal.throwIfAborted();
    const clip = getClip(clip_id, library);
    if (clip.state === "refused") {
      throw new ClipProblem(
        clip.problem ?? "Nothing in the file can be shown.",
        "Get a whole copy, or save it anew with another program; or leave it out.",
      );
    }
    if (clip.state !== "reading") return clip;
    await library.bell.wait(signal);
  }
}

function getClip(clip_id: string, library: Clips["library"]): Clip {
  try {
    return library.get(clip_id);
  } catch (error) {
    throw new ClipProblem(explainFailure(error), "Add the clip again, then start a batch with it.");
  }
}

async function extract(
  clip_id: string,
  settings: KeyFrameSettings,
  keyframes: Parts["keyframes"],
  signal: AbortSignal,
): Promise<void> {
  const job = await keyframes.extractAndWait(clip_id, settings, signal);
  if (job.state === "cancelled") {
    throw new ClipProblem("Selecting its key-frames was cancelled.", "Try it again when you want them.");
  }
  if (job.state !== "failed") return;
  const problem = job.problem ?? "Its key-frames could not be selected.";
  if (DISK_FULL.test(problem)) throw new Error(problem);
  throw new ClipProblem(
    problem,
    "Try again; if it fails again, the file is likely damaged: get a whole copy of it.",
  );
}
