import { createHash } from "node:crypto";
import type { StageSpec } from "@sightline/core/runs";
import { fitToEpochs, schedulePreset } from "@sightline/core/schedules";

export const SEEDS = [1, 2, 3] as const;

/** One way to train, compared with another one. */
export type Arm = {
  arm: string;
  /** As the table shows it. */
  title: string;
  engine: "grpo" | "sft";
  stages: StageSpec[];
  /** What differs from {@link SETTINGS}. */
  settings: Record<string, string | number>;
};

/** One training run of the miniature: an arm under a seed, which decides questions, warm start and sampling. */
export type Cell = Arm & { seed: number };

/** 96 steps: a half of what the preset `tiny` takes, for all arms alike, so that fifteen runs fit into an hour. */
const EPOCHS = 1.5;

/**
 * The preset `tiny` with what the comparisons need: longer questions in the warm start, so a longer warm start;
 * held-out questions before, after every third and at the end; no checkpoints but the last.
 */
export const SETTINGS: Readonly<Record<string, string | number | boolean>> = {
  model: "tiny",
  group_size: 8,
  prompts_per_step: 8,
  micro_batch: 64,
  learning_rate: 1.2e-4,
  beta: 0.001,
  temperature: 1,
  max_completion_tokens: 48,
  save_steps: 32,
  keep_checkpoints: 1,
  keep_stage_ends: false,
  eval_steps: 32,
  warm_steps: 450,
};

/** Every run is judged in all three ways; the first pays. */
export const VARIANTS = ["paper", "unconditional", "letter_stripped"] as const;
type Variant = (typeof VARIANTS)[number];
const paidBy = (payer: Variant) => [payer, ...VARIANTS.filter((variant) => variant !== payer)].join(",");

const paper = fitToEpochs(schedulePreset("paper") ?? [], EPOCHS);
const fixed = fitToEpochs(schedulePreset("control-1-7-2") ?? [], EPOCHS);
const withoutConsistency = paper.map((stage) => ({
  ...stage,
  weights: { ...stage.weights, consistency: 0 },
}));

const arm = (arm: string, title: string, stages: StageSpec[], payer: Variant = "paper"): Arm => ({
  arm,
  title,
  engine: "grpo",
  stages,
  settings: { judge_variants: paidBy(payer) },
});

/**
 * Supervised: as many steps as the others take, over the same questions in each; the learning rate is that of the
 * preset. Its stage weighs nothing; the export of the policy asks for one.
 */
const supervised = (arm: string, title: string, target: "reasoning" | "answer"): Arm => ({
  arm,
  title,
  engine: "sft",
  stages: [
    {
      name: "supervised",
      weights: { format: 1, accuracy: 1, consistency: 1 },
      from_epoch: 0,
      to_epoch: EPOCHS,
    },
  ],
  settings: { judge_variants: paidBy("paper"), target, epochs: EPOCHS, micro_batch: 8, learning_rate: 5e-4 },
});

/** In the order in which they are trained. */
export const ARMS: readonly Arm[] = [
  arm("three-stages", "7:3:0 → 3:7:0 → 1:7:2", paper),
  arm("one-stage", "1:7:2 throughout", fixed),
  arm("no-consistency", "7:3:0 → 3:7:0 → 1:7:0", withoutConsistency),
  arm("letter-stripped", "three stages, letter-stripped judge pays", paper, "letter_stripped"),
  arm("unconditional", "three stages, unconditional judge pays", paper, "unconditional"),
  supervised("sft-reasoning", "SFT with reasoning", "reasoning"),
  supervised("sft-answer", "SFT, answers alone", "answer"),
];

/** Arms outermost, so that a miniature that is cut short holds whole comparisons. */
export const listCells = (): Cell[] => ARMS.flatMap((one) => SEEDS.map((seed) => ({ ...one, seed })));

export const nameCell = (cell: Cell) => `${cell.arm}-${cell.seed}`;

/** All that a run is told, its id apart. */
export function specOf(cell: Cell) {
  return {
    engine: cell.engine,
    name: `Miniature: ${cell.title}, seed ${cell.seed}`,
    preset: "tiny",
    seed: cell.seed,
    stages: cell.stages,
    settings: { ...SETTINGS, ...cell.settings },
  };
}

/**
 * Names a cell's outcome by all that decides it.
 *
 * @param data     The run's data files.
 * @param trainer  Names the trainer's source.
 * @returns 16 hex digits.
 */
export function hashCell(cell: Cell, data: Readonly<Record<string, string>>, trainer: string): string {
  return createHash("sha256")
    .update(JSON.stringify([specOf(cell), data, trainer]))
    .digest("hex")
    .slice(0, 16);
}
