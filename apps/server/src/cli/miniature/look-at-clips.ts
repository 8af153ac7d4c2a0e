import { appendFileSync, existsSync, readFileSync } from "node:fs";
import {
  createExtractor,
  type Extractor,
  type FrameFeatures,
  SIGHTLINE_SETTINGS,
} from "@sightline/core/keyframes";
import { describeMotions, type Motion } from "@sightline/core/motion";
import { filmWorld, selectOfWorld } from "@sightline/core/testing";
import {
  formatTinyPrompt,
  generateWorld,
  getFilmSecs,
  getPoseAt,
  getSightings,
  SETTINGS,
  type Step,
  toHeading,
  toHeadingLetter,
  toMoves,
  type World,
} from "@sightline/core/worlds";
import { z } from "zod";

const SIZE = { width: 256, height: 192 };
const CLIPS_A_SETTING = 70;
/** A turn of fewer degrees between two frames is left out as noise. */
const LEAST_TURN_DEG = 3;

/** What a perceiver made of a clip. */
const View = z.object({
  /** Frames that it looked at. */
  frames: z.number(),
  /** Pairs of neighbouring frames whose turn it could not tell. */
  broken: z.number(),
  /** What the policy is asked: the moves that the frames tell. */
  prompt: z.string(),
  /** The letter that follows from those moves without error. */
  rule: z.string(),
  /** Processor seconds: looking for key-frames, where that is done, and telling what happened between frames. */
  cpu_secs: z.number(),
});

/** What is looked at: every sampled frame; key-frames alone; key-frames, with the turns between them added up. */
export const CLIP_VIEWS = ["off", "on", "on_chained"] as const;

export const ClipRow = z.object({
  world_id: z.string(),
  setting: z.enum(SETTINGS),
  gold: z.string(),
  film_secs: z.number(),
  /** Processor seconds of reading the features of all sampled frames, which both ways need. */
  features_cpu_secs: z.number(),
  /** Objects that any sampled frame shows, and any key-frame. */
  objects_sampled: z.number(),
  objects_kept: z.number(),
  /** Every sampled frame is looked at. */
  off: View,
  /** Only key-frames are, as by a model that is shown nothing else. */
  on: View,
  /** Key-frames, with the turns added up over the frames between them, as the product's own geometry does. */
  on_chained: View,
});
export type ClipRow = z.infer<typeof ClipRow>;

/** Paths of quarter turns and walks, long enough that there is something to leave out. */
export function listClips(): World[] {
  return SETTINGS.flatMap((setting) =>
    Array.from({ length: CLIPS_A_SETTING }, (_, i) =>
      generateWorld(9001 + i, setting, { min_steps: 3, max_steps: 6, moves: "quarter" }),
    ),
  );
}

export function readClipRows(file: string): ClipRow[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => ClipRow.parse(JSON.parse(line)));
}

/** Adds the clips that are not in the file yet. */
export function lookAtClips(file: string, onDone: (done: number, total: number) => void): void {
  const known = new Set(readClipRows(file).map(({ world_id }) => world_id));
  const extractor = createExtractor(null, SIGHTLINE_SETTINGS);
  const worlds = listClips();
  for (const [index, world] of worlds.entries()) {
    if (!known.has(world.world_id)) appendFileSync(file, `${JSON.stringify(lookAtClip(world, extractor))}\n`);
    onDone(index + 1, worlds.length);
  }
}

function lookAtClip(world: World, extractor: Extractor): ClipRow {
  const planes = filmWorld(world, SIZE);
  const [features_cpu_secs, frames] = time(() => planes.map((plane) => extractor.describe(plane)));
  const [selecting, selection] = time(() => selectOfWorld(world, frames));
  const kept = selection.decisions.filter((decision) => decision.kept);
  const keptFrames = frames.filter(({ frame }) => kept.some((one) => one.frame === frame));
  const all = { decisions: selection.decisions.map((decision) => ({ ...decision, kept: true })) };
  const tell = (motionsOf: () => (Motion | null)[], count: number, before_secs: number) => {
    const [cpu_secs, motions] = time(motionsOf);
    return summarise(world, motions, count, before_secs + cpu_secs);
  };
  return {
    world_id: world.world_id,
    setting: world.setting,
    gold: toHeadingLetter(toHeading(world.poses.at(-1)?.heading_deg ?? 0)),
    film_secs: getFilmSecs(world),
    features_cpu_secs: round(features_cpu_secs),
    objects_sampled: countObjects(world, frames),
    objects_kept: countObjects(world, keptFrames),
    off: tell(() => describeMotions(all, frames, null), frames.length, 0),
    on: tell(() => describeMotions({ decisions: kept }, keptFrames, null), kept.length, selecting),
    on_chained: tell(() => describeMotions(selection, frames, null), kept.length, selecting),
  };
}

function summarise(world: World, motions: readonly (Motion | null)[], frames: number, cpu_secs: number) {
  const start = toHeading(world.poses[0]?.heading_deg ?? 0);
  const told = motions.filter((motion) => motion !== null);
  const steps = toSteps(told);
  const turned = steps.reduce((sum, { action, amount }) => {
    if (action === "rotate left") return sum - amount;
    return action === "rotate right" ? sum + amount : sum;
  }, world.poses[0]?.heading_deg ?? 0);
  const moves = toMoves(steps);
  return {
    frames,
    broken: told.filter(({ yaw_deg }) => yaw_deg === null).length,
    // A prompt without a move is none that the policy has learned.
    prompt: formatTinyPrompt(start, moves.length === 0 ? ["forward"] : moves),
    rule: toHeadingLetter(toHeading(turned)),
    cpu_secs: round(cpu_secs),
  };
}

/** Where a turn and a walk share a pair of frames, the walk stands on the side of its like. */
function toSteps(motions: readonly Motion[]): Step[] {
  let wasWalk = false;
  return motions.flatMap(({ action, yaw_deg }) => {
    const yaw = yaw_deg ?? 0;
    const turn: Step[] =
      Math.abs(yaw) < LEAST_TURN_DEG
        ? []
        : [{ action: yaw < 0 ? "rotate left" : "rotate right", amount: Math.abs(yaw) }];
    const isWalk = action.startsWith("move");
    const walk: Step[] = isWalk ? [{ action: "move forward", amount: 1 }] : [];
    const steps = wasWalk ? [...walk, ...turn] : [...turn, ...walk];
    wasWalk = isWalk;
    return steps;
  });
}

function countObjects(world: World, frames: readonly FrameFeatures[]): number {
  const seen = frames.flatMap(({ time_secs }) =>
    getSightings(world, getPoseAt(world, time_secs)).filter(({ visible }) => visible),
  );
  return new Set(seen.map(({ object_id }) => object_id)).size;
}

function time<T>(work: () => T): [secs: number, result: T] {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / 1e6, result];
}

const round = (value: number) => Math.round(value * 1e4) / 1e4;
