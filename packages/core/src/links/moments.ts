import { findStep } from "../perception/oracle.ts";
import { filmSteps, getPoseAt, getSightings, type World, type WorldObject } from "../worlds/index.ts";
import { type Move, toMoves } from "../worlds/moves.ts";
import type { ToldFrame } from "./told.ts";
import type { LinkFrame, Look } from "./types.ts";

/** A move of a tiny prompt with the stretch of the rendered clip in which it is made. */
export type FilmedMove = { move: Move; from_secs: number; to_secs: number };

/** One move a step, as a generated question numbers them. */
function listSingleMoves(world: World): FilmedMove[] {
  return filmSteps(world).map(({ step, from_secs, to_secs }) => {
    const turn = step.action === "rotate left" ? "left" : step.amount === 180 ? "around" : "right";
    return { move: step.action.startsWith("rotate") ? turn : "forward", from_secs, to_secs };
  });
}

/** Turns that follow each other added up, as a clip's question tells them: see `toMoves`. */
function listJoinedMoves(world: World): FilmedMove[] {
  const steps = filmSteps(world);
  const moves: FilmedMove[] = [];
  let from_secs = 0;
  steps.forEach(({ to_secs }, index) => {
    const made = toMoves(world.steps.slice(0, index + 1));
    made.forEach((move, at) => {
      const before = moves[at];
      if (before === undefined)
        moves[at] = { move, from_secs: Math.max(from_secs, steps[index]?.from_secs ?? 0), to_secs };
      else if (at === made.length - 1) moves[at] = { ...before, move, to_secs };
    });
    moves.length = made.length;
    from_secs = to_secs;
  });
  return moves;
}

/** The true moves of a world in the numbering that a prompt of so many moves uses. */
export function listTrueMoves(world: World, told: readonly Move[]): FilmedMove[] {
  const both = [listSingleMoves(world), listJoinedMoves(world)];
  const isSame = (moves: FilmedMove[]) =>
    moves.length === told.length && moves.every(({ move }, at) => move === told[at]);
  return both.find(isSame) ?? both.find(({ length }) => length === told.length) ?? (both[0] as FilmedMove[]);
}

/** The key-frame at which a stretch of the clip has just ended, the last one where none comes after it. */
export function findClosing(key_frames: readonly LinkFrame[], to_secs: number): number {
  const at = key_frames.findIndex(({ time_secs }) => time_secs >= to_secs - 0.05);
  return at < 0 ? key_frames.length - 1 : at;
}

/** The key-frame whose triple tells of a move: the last one on the way to which it took most of the time. */
export function findTelling(
  world: World,
  key_frames: readonly LinkFrame[],
  { from_secs, to_secs }: Pick<FilmedMove, "from_secs" | "to_secs">,
): number {
  const films = filmSteps(world);
  const telling = key_frames.findLastIndex(({ time_secs }, at) => {
    const before = key_frames[at - 1];
    const step = before && findStep(world, before.time_secs, time_secs);
    const filmed = step && films[world.steps.indexOf(step)];
    return filmed && filmed.from_secs >= from_secs - 0.01 && filmed.to_secs <= to_secs + 0.01;
  });
  return telling < 0 ? findClosing(key_frames, to_secs) : telling;
}

/** What to open for one of the key-frames. */
export function lookAtFrame(
  key_frames: readonly LinkFrame[] | null,
  index: number,
  point: number | null = index,
): Look[] {
  const found = key_frames?.[index];
  return found ? [{ kind: "frame", ...found, point, label: `key-frame ${index}` }] : [];
}

/** Indices of the world's steps that some way between two key-frames shows: the one that took most of its time. */
export function listShownSteps(world: World, key_frames: readonly LinkFrame[]): Set<number> {
  const shown = new Set<number>();
  key_frames.forEach(({ time_secs }, at) => {
    const before = key_frames[at - 1];
    const step = before && findStep(world, before.time_secs, time_secs);
    if (step) shown.add(world.steps.indexOf(step));
  });
  return shown;
}

export const isVisibleAt = (world: World, at_secs: number, object: WorldObject): boolean =>
  getSightings(world, getPoseAt(world, at_secs)).some(
    ({ object_id, visible }) => object_id === object.object_id && visible,
  );

/** When in the rendered clip a thing is first seen, to a tenth of a second; null when it never is. */
export function findFirstSight(world: World, object: WorldObject): number | null {
  const end = (filmSteps(world).at(-1)?.to_secs ?? 0) + 0.4;
  for (let at_secs = 0; at_secs <= end; at_secs += 0.1)
    if (isVisibleAt(world, at_secs, object)) return at_secs;
  return null;
}

/** The moment of each told frame in the rendered clip: of its key-frame, else of the pose that it must be of. */
export function listTimes(
  world: World,
  frames: readonly ToldFrame[],
  key_frames: readonly LinkFrame[] | null,
): number[] | null {
  if (key_frames !== null && frames.every(({ index }) => index < key_frames.length))
    return frames.map(({ index }) => key_frames[index]?.time_secs ?? 0);
  if (frames.length !== world.poses.length) return null;
  const ends = filmSteps(world).map(({ to_secs }) => to_secs);
  return frames.map(({ index }) => (index === 0 ? 0 : (ends[index - 1] ?? 0)));
}

/** The frame that is on screen at a moment. */
export function lookAtMoment(frame_times: ArrayLike<number> | null, at_secs: number, label: string): Look[] {
  if (frame_times === null || frame_times.length === 0) return [];
  let frame = 0;
  while (frame + 1 < frame_times.length && (frame_times[frame + 1] ?? 0) <= at_secs + 1e-6) frame += 1;
  return [{ kind: "frame", frame, time_secs: frame_times[frame] ?? 0, point: null, label }];
}
