import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hashSettings } from "@sightline/core/keyframes";
import type { DecoderPool } from "../../media/decoder-pool.ts";
import type { ExchangeParts } from "./index.ts";
import { toStem } from "./names.ts";
import type { HandedFile } from "./read-files.ts";

/** Tells these clips apart from those that they were made of, whose names they bear. */
const TAG = "key-frames only";

/**
 * How many pictures a video shows.
 *
 * @throws MediaProblem when it can't be read.
 */
export async function countPictures(pool: DecoderPool, file: string): Promise<number> {
  const thumbs_dir = await mkdtemp(join(tmpdir(), "sightline-pictures-"));
  try {
    const args = { file, thumbs_dir, interval_secs: Number.MAX_SAFE_INTEGER };
    const { index } = await pool.run("read", args, { lane: "interactive" });
    return index.time_secs.length;
  } finally {
    await rm(thumbs_dir, { recursive: true, force: true });
  }
}

/**
 * Brings a key-frame video in whose pictures' places in their clip are lost: as a clip of its own, of which every picture
 * is a key-frame. The selection follows once the clip was read, as a job.
 */
export async function bringInVideo(parts: ExchangeParts, { path, file }: HandedFile): Promise<void> {
  const { clips, decisions, jobs } = parts;
  const { library } = clips;
  const original = path.split("/").at(-1) ?? path;
  const { clip, duplicate } = await library.add({
    path: file,
    name: `${toStem(original)} (key-frames).mp4`,
    move: false,
  });
  const { clip_id, name } = clip;
  if (!duplicate) library.setTags(clip_id, [...clip.tags, TAG]);
  const about = { kind: "keyframes", title: `Making every picture of ${name} a key-frame`, clip_id } as const;
  jobs.start(about, async ({ signal, begin }) => {
    begin();
    const settings_hash = await waitForSelection(parts, clip_id, signal);
    const frames = [...library.getFrames(clip_id).time_secs.keys()];
    const now = decisions.getVersion(clip_id, settings_hash).key_frames;
    if (now.length === frames.length) return;
    const decided = { kind: "import", frames, source: path } as const;
    decisions.decide({ decision_id: randomUUID(), clip_id, settings_hash, decided });
  });
}

/** Waits until the clip was read and its key-frames were selected for the first time. */
async function waitForSelection(
  { clips, keyframes }: ExchangeParts,
  clip_id: string,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    const { state, problem } = clips.library.get(clip_id);
    if (state === "refused") throw new Error(problem ?? "The video could not be read.");
    const saved = keyframes.getSaved(clip_id);
    if (saved !== null) return hashSettings(saved);
    await sleep(WAIT_MS, undefined, { signal });
  }
}

const WAIT_MS = 250;
