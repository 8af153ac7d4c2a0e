import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { listSampleWorlds, type TrainingRow, toMoves, toSampleRow, type World } from "@sightline/core/worlds";
import type { Logger } from "pino";
import { z } from "zod";
import type { Library } from "../clips/library.ts";

const FIXTURES = join(import.meta.dirname, "../../../../../fixtures");
const CLIPS = join(FIXTURES, "worlds");
const RECORDED = join(FIXTURES, "recorded");

/** A recorded run: its directory as one compressed file, texts by path. */
const Archive = z.object({ run_id: z.string().regex(/^[\w.-]+$/), files: z.record(z.string(), z.string()) });

/**
 * The level-1 questions of the sample clips whose path has turns. They are asked in every evaluation of a run on
 * worlds, and never trained on.
 */
export function listSampleQuestions(): TrainingRow[] {
  return listSampleWorlds()
    .filter((world) => toMoves(world.steps).length > 0)
    .map((world) => toSampleRow(world, hashSampleClip(world)));
}

function hashSampleClip({ world_id }: World): string {
  const clip = readFileSync(join(CLIPS, `${world_id}.mp4`));
  return createHash("sha256").update(clip).digest("hex");
}

let sampleWorlds: Map<string, World> | null = null;

/** The world that a sample clip shows; null for any other clip. */
export function findSampleWorld(clip_id: string): World | null {
  sampleWorlds ??= new Map(listSampleWorlds().map((world) => [hashSampleClip(world), world]));
  return sampleWorlds.get(clip_id) ?? null;
}

/** Lays the recorded runs beside the others, where they are found like any run that the database does not know. */
export function layOutRecordedRuns(runsDir: string): void {
  if (!existsSync(RECORDED)) return;
  for (const name of readdirSync(RECORDED).filter((entry) => entry.endsWith(".json.gz"))) {
    const { run_id, files } = Archive.parse(
      JSON.parse(gunzipSync(readFileSync(join(RECORDED, name))).toString()),
    );
    const target = join(runsDir, run_id);
    if (existsSync(target)) continue;
    // Made under another name first, so that a crash leaves no half run.
    const draft = join(runsDir, `.${run_id}.part`);
    for (const [path, text] of Object.entries(files)) {
      const file = join(draft, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    renameSync(draft, target);
  }
}

/** Adds the sample clips to the library, tagged as what they are; a clip that is there already stays as it is. */
export async function addSampleClips(library: Library, log: Logger): Promise<void> {
  for (const name of readdirSync(CLIPS).filter((entry) => entry.endsWith(".mp4"))) {
    const added = await library.add({ path: join(CLIPS, name), name: basename(name), move: false });
    if (!added.duplicate) library.setTags(added.clip.clip_id, ["sample", "rendered"]);
    log.info({ name, added }, "a sample clip");
  }
}
