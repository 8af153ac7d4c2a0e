import type { RunPreset } from "@sightline/core/runs";
import { fitToEpochs, schedulePreset } from "@sightline/core/schedules";

const paper = schedulePreset("paper") ?? [];
const released = schedulePreset("released") ?? [];

/** Starting points of the launch page. Simulated ones say so in their title too. */
export const RUN_PRESETS: readonly RunPreset[] = [
  {
    preset: "tiny",
    engine: "grpo",
    title: "Tiny: real learning on one core, in about three minutes",
    summary:
      "A Qwen2 of 0.6 M parameters, warm-started, learns headings in generated worlds through all three stages. Small, and real.",
    stages: fitToEpochs(paper, 3).map((stage, i) => ({ ...stage, from_epoch: i, to_epoch: i + 1 })),
    settings: {
      model: "tiny",
      world_seed: 1,
      train_questions: 512,
      eval_questions: 128,
      warm_questions: 400,
      group_size: 8,
      prompts_per_step: 8,
      micro_batch: 64,
      learning_rate: 1.2e-4,
      beta: 0.001,
      temperature: 1,
      max_completion_tokens: 48,
      save_steps: 32,
      eval_steps: 64,
      warm_steps: 300,
    },
    simulated: false,
  },
  {
    preset: "simulated-three-stages",
    engine: "simulator",
    title: "Simulated: three stages in a minute and a half",
    summary:
      "7:3:0 → 3:7:0 → 1:7:2, 192 steps at two a second. Invented numbers by the path of a real run; needs no GPU.",
    stages: fitToEpochs(paper, 3).map((stage, i) => ({ ...stage, from_epoch: i, to_epoch: i + 1 })),
    settings: { steps_per_epoch: 64, steps_per_sec: 2, prompts_per_step: 4, group_size: 8, save_steps: 16 },
    simulated: true,
  },
  {
    preset: "simulated-paper",
    engine: "simulator",
    title: "Simulated: the paper's twelve epochs",
    summary: "The stages at their real lengths (2, 2 and 8 epochs), 384 steps at four a second.",
    stages: [...paper],
    settings: { steps_per_epoch: 32, steps_per_sec: 4, prompts_per_step: 4, group_size: 8, save_steps: 32 },
    simulated: true,
  },
  {
    preset: "simulated-fixed",
    engine: "simulator",
    title: "Simulated: fixed weights, as in the released code",
    summary: "Format 0.1, accuracy 0.7, consistency 0.2 throughout: a control for the three stages.",
    stages: [...released],
    settings: { steps_per_epoch: 96, steps_per_sec: 2, prompts_per_step: 4, group_size: 8, save_steps: 16 },
    simulated: true,
  },
  {
    preset: "simulated-troubled",
    engine: "simulator",
    title: "Simulated: everything goes wrong",
    summary:
      "A NaN, an infinity, torn and bad lines, a judge that fails, and a kill at step 120 to resume from.",
    stages: fitToEpochs(paper, 3).map((stage, i) => ({ ...stage, from_epoch: i, to_epoch: i + 1 })),
    settings: {
      steps_per_epoch: 64,
      steps_per_sec: 4,
      prompts_per_step: 4,
      group_size: 8,
      save_steps: 16,
      faults:
        "nan@20, infinity@30, bad_line@40, torn_line@50, unknown_type@55, judge_down@60-61, no_signal@80, kill@120",
    },
    simulated: true,
  },
];
