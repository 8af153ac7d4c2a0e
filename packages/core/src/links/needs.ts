import type { Task, World, WorldObject } from "../worlds/types.ts";
import type { LinkEvidence } from "./types.ts";

/**
 * What a question of each family can't do without:
 *
 * | family | fact |
 * |---|---|
 * | heading, counterfactual | the heading at the start, and every turn |
 * | progress_evaluation | every step, in order |
 * | landmark_position, action_generation | a sight of the thing that is named, and every turn and move |
 * | relative_distance | a sight of the thing that is named and of each option |
 * | relative_direction, route_planning | a sight of each of the three things |
 * | appearance_order | for each thing, when it first came into view |
 */
export type Need = {
  kind: "heading" | "steps" | "objects" | "order";
  /** Indices of the world's steps that must be told. */
  steps: number[];
  /** Things that must have been seen. */
  objects: WorldObject[];
};

const KINDS: Record<Task, Need["kind"]> = {
  heading: "heading",
  counterfactual: "heading",
  progress_evaluation: "steps",
  landmark_position: "objects",
  action_generation: "objects",
  relative_distance: "objects",
  relative_direction: "objects",
  route_planning: "objects",
  appearance_order: "order",
};

/** The kind of fact that a family needs; null for a family that is not of the eight. */
export const getNeedKind = (task: string): Need["kind"] | null => KINDS[task as Task] ?? null;

export const nameObject = ({ colour, noun }: WorldObject) => `${colour} ${noun}`;

/** @returns Null where the family is none of ours, or names nothing that is in the world. */
export function getNeed({ task, text, options }: LinkEvidence["question"], world: World): Need | null {
  const kind = getNeedKind(task);
  if (kind === null) return null;
  const all = world.steps.map((_, index) => index);
  if (kind === "heading") {
    const turns = all.filter((index) => world.steps[index]?.action.startsWith("rotate"));
    return { kind, steps: turns, objects: [] };
  }
  if (kind === "steps") return { kind, steps: all, objects: [] };
  const words = `${text} ${options.join(" ")}`.toLowerCase();
  const objects = world.objects.filter((object) => words.includes(nameObject(object)));
  if (objects.length === 0) return null;
  const isFromTheEnd = task === "landmark_position" || task === "action_generation";
  return { kind, steps: isFromTheEnd ? all : [], objects };
}
