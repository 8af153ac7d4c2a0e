import { applyStep } from "./path.ts";
import type { Pose, Step, World } from "./types.ts";

/** How fast the agent moves in a rendered clip. */
export const FILM_SPEED = {
  /** Metres per second. */
  move: 0.8,
  /** Degrees per second, rotations and tilts. */
  turn: 36,
  /** Pause before the first step and after each one, in seconds. */
  rest: 0.4,
} as const;

/** When a step happens in a rendered clip, in seconds from its start. */
export type FilmedStep = { step: Step; from_secs: number; to_secs: number };

/** The times of all steps. The clip ends one pause after the last one. */
export function filmSteps(world: World): FilmedStep[] {
  let now = FILM_SPEED.rest;
  return world.steps.map((step) => {
    const isTurn = step.action.startsWith("rotate") || step.action.startsWith("tilt");
    const from_secs = now;
    const to_secs = from_secs + step.amount / (isTurn ? FILM_SPEED.turn : FILM_SPEED.move);
    now = to_secs + FILM_SPEED.rest;
    return { step, from_secs, to_secs };
  });
}

/** Length of a rendered clip, in seconds. */
export function getFilmSecs(world: World): number {
  return (filmSteps(world).at(-1)?.to_secs ?? 0) + FILM_SPEED.rest;
}

/** Where the agent is at a moment of the rendered clip; clamped to the clip. */
export function getPoseAt(world: World, at_secs: number): Pose {
  let pose = world.poses[0] as Pose;
  for (const { step, from_secs, to_secs } of filmSteps(world)) {
    const share = Math.min(1, Math.max(0, (at_secs - from_secs) / (to_secs - from_secs)));
    if (share === 0) return pose;
    pose = applyStep(pose, step, share);
  }
  return pose;
}
