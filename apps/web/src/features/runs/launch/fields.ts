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

function real(
  name: string,
  label: string,
  help: string,
  fallback: number,
  [min, max]: [number, number],
  step: number,
): Field {
  return { name, label, help, fallback, min, max, step, is_whole: false };
}

const LONGEST = whole(
  "max_completion_tokens",
  "Longest completion",
  "In tokens; what is longer is cut",
  48,
  [1, 32_768],
);
const WARM_STEPS = whole(
  "warm_steps",
  "Warm-start steps",
  "Supervised steps before anything else, by the tiny recipe",
  300,
  [0, 100_000],
);
const TEMPERATURE = real("temperature", "Temperature", "Of sampling held-out answers", 1, [0, 5], 0.1);

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
      real(
        "steps_per_sec",
        "Steps per second",
        "Pace of the simulation; 0 is as fast as it can",
        2,
        [0, 1000],
        1,
      ),
      whole("save_steps", "Checkpoint every", "Steps between checkpoints", 32, [1, 100_000]),
      whole("eval_steps", "Evaluate every", "Steps between evaluations; 0 is never", 64, [0, 100_000]),
    ],
    rest: [
      real(
        "learn_rate",
        "Learning speed",
        "Of the model of learning; 1 is over in about 75 steps",
        1,
        [0, 100],
        0.5,
      ),
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
  grpo: {
    main: [
      whole("prompts_per_step", "Prompts per step", "Groups sampled in one step", 8, [1, 512]),
      whole("group_size", "Group size", "Completions sampled for one prompt", 8, [1, 64]),
      real("learning_rate", "Learning rate", "Of the policy, at its first step", 1.2e-4, [0, 1], 1e-5),
      whole(
        "max_completion_tokens",
        "Longest completion",
        "In tokens; what is longer is cut",
        48,
        [1, 32_768],
      ),
      whole("save_steps", "Checkpoint every", "Steps between checkpoints", 32, [1, 100_000]),
      whole(
        "eval_steps",
        "Evaluate every",
        "Steps between evaluations; 0 asks only before and after",
        64,
        [0, 100_000],
      ),
    ],
    rest: [
      real(
        "beta",
        "KL weight β",
        "Pull towards the reference model; 0 keeps none and logs no KL",
        0.001,
        [0, 10],
        0.001,
      ),
      real("temperature", "Temperature", "Of sampling", 1, [0.01, 5], 0.1),
      whole(
        "micro_batch",
        "Micro-batch",
        "Completions in one forward pass; divides those of a step",
        64,
        [1, 4096],
      ),
      whole(
        "warm_steps",
        "Warm-start steps",
        "Supervised steps before GRPO, by the tiny recipe",
        300,
        [0, 100_000],
      ),
      whole(
        "judge_every_groups",
        "Judge one group in",
        "Where consistency weighs nothing the judge sees only some groups",
        8,
        [1, 1000],
      ),
      whole("keep_checkpoints", "Keep checkpoints", "Older ones are removed", 2, [1, 100]),
      whole(
        "num_processes",
        "Processes",
        "On the host, each with a GPU of its own where there are GPUs",
        1,
        [1, 1024],
      ),
      whole(
        "max_prompt_tokens",
        "Longest prompt",
        "In tokens; a longer one is refused before training; 0: any length",
        0,
        [0, 1_000_000],
      ),
      whole(
        "vlm_frames",
        "Frames a question",
        "Above 0 a vision-language model is shown at most so many in place of the triples",
        0,
        [0, 256],
      ),
      whole("lora_rank", "LoRA rank", "Above 0 only adapters of this rank are trained", 0, [0, 512]),
      whole("zero_stage", "ZeRO stage", "3 shares the model out over the GPUs; 0: each holds all", 0, [0, 3]),
    ],
  },
  sft: {
    main: [
      whole("prompts_per_step", "Demonstrations per step", "Learned from in one step", 64, [1, 4096]),
      real("learning_rate", "Learning rate", "Of the policy, at its first step", 5e-4, [0, 1], 1e-5),
      whole("save_steps", "Checkpoint every", "Steps between checkpoints", 8, [1, 100_000]),
      whole(
        "eval_steps",
        "Evaluate every",
        "Steps between evaluations; 0 asks only before and after",
        8,
        [0, 100_000],
      ),
    ],
    rest: [
      whole("micro_batch", "Micro-batch", "Demonstrations in one forward pass", 64, [1, 4096]),
      LONGEST,
      TEMPERATURE,
      WARM_STEPS,
      whole("keep_checkpoints", "Keep checkpoints", "Older ones are removed", 2, [1, 100]),
    ],
  },
  evaluate: {
    main: [
      TEMPERATURE,
      LONGEST,
      whole("batch", "Batch", "Questions that are answered together", 64, [1, 4096]),
    ],
    rest: [WARM_STEPS],
  },
};

/** The settings of the generated worlds that a GRPO run learns on. */
export const WORLD_FIELDS: readonly Field[] = [
  whole("world_seed", "World seed", "Another seed is another set of worlds", 1, [0, 2 ** 31 - 1]),
  whole("train_questions", "To train on", "Questions", 512, [1, 1_000_000]),
  whole("eval_questions", "Held out", "Questions that are never trained on", 128, [1, 100_000]),
  whole("warm_questions", "Warm start", "Demonstrations", 400, [0, 1_000_000]),
];

/** The value of a setting, or its fallback. */
export function getNumber(settings: Record<string, unknown>, field: Field): number {
  const value = settings[field.name];
  return typeof value === "number" && Number.isFinite(value) ? value : field.fallback;
}
