import type { RunPreset } from "@sightline/core/runs";
import { fitToEpochs, schedulePreset } from "@sightline/core/schedules";

const paper = schedulePreset("paper") ?? [];
const released = schedulePreset("released") ?? [];

const TINY = {
  model: "tiny",
  world_seed: 1,
  train_questions: 512,
  eval_questions: 128,
  warm_questions: 400,
  max_completion_tokens: 48,
  warm_steps: 300,
} as const;

const EVEN = { format: 1, accuracy: 1, consistency: 1 };
/** Where nothing is weighed only the length of a stage counts. */
const plain = (name: string, epochs: number) => [{ name, weights: EVEN, from_epoch: 0, to_epoch: epochs }];

/** What the paper and the released scripts say of GRPO itself; a file of questions with their triples is still to be chosen. */
const EMBODIED_R = {
  question_file: "",
  group_size: 8,
  prompts_per_step: 4,
  micro_batch: 1,
  warmup_share: 0.05,
  beta: 0.001,
  loss_type: "grpo",
  temperature: 1,
  max_prompt_tokens: 6144,
  max_completion_tokens: 2048,
  gradient_checkpointing: true,
  save_steps: 100,
  eval_steps: 100,
} as const;

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
    preset: "tiny-sft-reasoning",
    engine: "sft",
    title: "Baseline: supervised, with reasoning",
    summary:
      "The same tiny policy learns from demonstrations that reason without a fault; of its stages only their length counts.",
    stages: plain("supervised", 3),
    settings: { ...TINY, target: "reasoning", prompts_per_step: 64, micro_batch: 64, learning_rate: 5e-4 },
    simulated: false,
  },
  {
    preset: "tiny-sft-answer",
    engine: "sft",
    title: "Baseline: supervised, the answer alone",
    summary: "The same, from right letters without any reasoning; its format is never that of the rewards.",
    stages: plain("supervised", 3),
    settings: { ...TINY, target: "answer", prompts_per_step: 64, micro_batch: 64, learning_rate: 5e-4 },
    simulated: false,
  },
  {
    preset: "tiny-untrained",
    engine: "evaluate",
    title: "Baseline: the untrained policy",
    summary: "No step at all: the warm-started policy answers the held-out questions that runs are held to.",
    stages: plain("evaluation", 1),
    settings: { ...TINY, checkpoint: "", temperature: 1, batch: 64 },
    simulated: false,
  },
  {
    preset: "embodied-r-3b",
    engine: "grpo",
    title: "Embodied-R: Qwen2.5-3B on eight GPUs",
    summary:
      "The paper's settings and its three stages over twelve epochs: bf16, ZeRO-3, vLLM beside the trainer where it is installed. Never run by this project.",
    stages: [...paper],
    settings: {
      ...EMBODIED_R,
      model: "Qwen/Qwen2.5-3B-Instruct",
      learning_rate: 5e-7,
      num_processes: 8,
      zero_stage: 3,
      vllm: true,
      vllm_memory_share: 0.3,
    },
    simulated: false,
  },
  {
    preset: "lora-single-gpu",
    engine: "grpo",
    title: "LoRA: Qwen2.5-3B on one GPU",
    summary:
      "The same method with adapters of rank 16 on every linear layer, and a higher rate. Never run by this project.",
    stages: [...paper],
    settings: {
      ...EMBODIED_R,
      model: "Qwen/Qwen2.5-3B-Instruct",
      learning_rate: 1e-5,
      micro_batch: 2,
      lora_rank: 16,
    },
    simulated: false,
  },
  {
    preset: "vlm-frames",
    engine: "grpo",
    title: "Direct RL: Qwen2.5-VL-3B on key frames",
    summary:
      "Eight key frames as pictures in place of the triples, on eight GPUs. No learning is claimed: of this the tests run two steps of a tiny random model.",
    stages: [...paper],
    settings: {
      ...EMBODIED_R,
      model: "Qwen/Qwen2.5-VL-3B-Instruct",
      vlm_frames: 8,
      learning_rate: 5e-7,
      num_processes: 8,
      zero_stage: 3,
    },
    simulated: false,
  },
  {
    preset: "smoke-gpu",
    engine: "grpo",
    title: "Smoke test of a GPU: twenty steps",
    summary:
      "A model of 90 M random parameters, made on the spot, takes twenty steps in bf16. It learns nothing; it shows that a host works.",
    stages: [
      {
        name: "smoke",
        weights: { format: 1, accuracy: 7, consistency: 2 },
        from_epoch: 0,
        to_epoch: 1,
        steps: 20,
      },
    ],
    settings: {
      ...TINY,
      model: "smoke",
      train_questions: 80,
      eval_questions: 16,
      warm_questions: 0,
      group_size: 8,
      prompts_per_step: 4,
      micro_batch: 16,
      learning_rate: 1e-5,
      temperature: 1,
      save_steps: 5,
      eval_steps: 0,
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
