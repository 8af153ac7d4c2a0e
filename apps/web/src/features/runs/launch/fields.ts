import type { Engine } from "@sightline/core/runs";

/** One setting of an engine, by the engine's own name. */
export type Field = {
  name: string;
  label: string;
  help: string;
  fallback: number;
  min: number;
  max: number;
  step: number;
  is_whole: boolean;
};

function whole(
  name: string,
  label: string,
  help: string,
  fallback: number,
  [min, max]: [number, number],
): Field {
  return { name, label, help, fallback, min, max, step: 1, is_whole: true };
}

/** The settings that the launch page asks for; `rest` are folded away. */
export const FIELDS: Record<Engine, { main: readonly Field[]; rest: readonly Field[] }> = {
  simulator: {
    main: [
      whole(
        "steps_per_epoch",
        "Steps per epoch",
        "Optimiser steps in one pass over the questions",
        64,
        [1, 100_000],
      ),
      whole("prompts_per_step", "Prompts per step", "Groups sampled in one step", 4, [1, 512]),
      whole("group_size", "Group size", "Completions sampled for one prompt", 8, [1, 64]),
      {
        name: "steps_per_sec",
        label: "Steps per second",
        help: "Pace of the simulation; 0 is as fast as it can",
        fallback: 2,
        min: 0,
        max: 1000,
        step: 1,
        is_whole: false,
      },
      whole("save_steps", "Checkpoint every", "Steps between checkpoints", 32, [1, 100_000]),
      whole("eval_steps", "Evaluate every", "Steps between evaluations; 0 is never", 64, [0, 100_000]),
    ],
    rest: [
      {
        name: "learn_rate",
        label: "Learning speed",
        help: "How fast the model of learning learns; 1 is over in about 75 steps",
        fallback: 1,
        min: 0,
        max: 100,
        step: 0.5,
        is_whole: false,
      },
      whole("max_steps", "Stop after", "Steps at most; 0 takes all that the stages hold", 0, [0, 10_000_000]),
      whole(
        "judge_every_groups",
        "Judge one group in",
        "Where consistency weighs nothing the judge sees only some groups",
        8,
        [1, 1000],
      ),
      whole("eval_questions", "Evaluation questions", "Held-out questions per evaluation", 128, [1, 100_000]),
      whole("gpus", "Simulated GPUs", "GPUs in the system lines", 0, [0, 64]),
      whole("keep_checkpoints", "Keep checkpoints", "Older ones are removed", 2, [1, 100]),
    ],
  },
  grpo: { main: [], rest: [] },
};

/** The value of a setting, or its fallback. */
export function getNumber(settings: Record<string, unknown>, field: Field): number {
  const value = settings[field.name];
  return typeof value === "number" && Number.isFinite(value) ? value : field.fallback;
}
