import { describeWorld, filmSteps, getPoseAt, type Step, type World } from "../worlds/index.ts";
import type { TripleFields } from "./types.ts";

/** Raised whenever the oracle says something else of the same world. */
export const ORACLE_VERSION = "1";

/**
 * The triples of a rendered clip's key-frames from the world that it shows, without error.
 *
 * @param key_frames  Times of the key-frames in seconds from the clip's start, ascending.
 * @returns One per key-frame. The action is the step that took most of the time since the key-frame before, and "unclear"
 *   where the agent stood still.
 */
export function describeFilm(world: World, key_frames: readonly number[]): TripleFields[] {
  const steps = key_frames.slice(1).map((to_secs, k) => findStep(world, key_frames[k] ?? 0, to_secs));
  const still: Step = { action: "move forward", amount: 0 };
  const seen: World = {
    ...world,
    poses: key_frames.map((at_secs) => getPoseAt(world, at_secs)),
    steps: steps.map((step) => step ?? still),
  };
  return describeWorld(seen).map(({ index, action, change, relevant }) => ({
    action: index > 0 && steps[index - 1] === null ? "unclear" : action,
    change,
    relevant,
  }));
}

/** The step that took most of the time between two moments of a rendered clip; null where the agent stood still. */
export function findStep(world: World, from_secs: number, to_secs: number): Step | null {
  let [found, longest]: [Step | null, number] = [null, 0];
  for (const filmed of filmSteps(world)) {
    const shared = Math.min(to_secs, filmed.to_secs) - Math.max(from_secs, filmed.from_secs);
    if (shared > longest) [found, longest] = [filmed.step, shared];
  }
  return found;
}
