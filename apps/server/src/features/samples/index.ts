import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { listSampleWorlds, type TrainingRow, toMoves, toSampleRow, type World } from "@sightline/core/worlds";
import type { Logger } from "pino";
import type { Library } from "../clips/library.ts";
import { layOutRuns } from "./recorded.ts";

const FIXTURES = join(import.meta.dirname, "../../../../../fixtures");
const CLIPS = join(FIXTURES, "worlds");
const RECORDED = join(FIXTURES, "recorded");

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

/** Lays the recorded runs of a new folder beside the others. */
export function layOutRecordedRuns(runsDir: string): void {
  layOutRuns(RECORDED, runsDir);
}

/** Adds the sample clips to the library, tagged as what they are; a clip that is there already stays as it is. */
export async function addSampleClips(library: Library, log: Logger): Promise<void> {
  for (const name of readdirSync(CLIPS).filter((entry) => entry.endsWith(".mp4"))) {
    const added = await library.add({ path: join(CLIPS, name), name: basename(name), move: false });
    if (!added.duplicate) library.setTags(added.clip.clip_id, ["sample", "rendered"]);
    log.info({ name, added }, "a sample clip");
  }
}
