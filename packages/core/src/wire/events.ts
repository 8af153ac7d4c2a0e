import { z } from "zod";
import { END_REASONS, JUDGE_STATUSES, PHASES } from "./names.ts";

/**
 * What a run writes, line by line, in `attempts/NNN/events.jsonl` and `attempts/NNN/completions-NNNNN.jsonl`.
 * This file is the source: `events.schema.json` and `apps/trainer/sightline_trainer/wire/events.py` are generated
 * from it by `pnpm gen:wire`.
 */

/** A float on the wire. JSON has no non-finite numbers, so these travel as strings. */
export const WireNumber = z
  .union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])], {
    error: `must be a number, or "NaN", "Infinity" or "-Infinity" as text`,
  })
  .describe("Float; non-finite values travel as strings");
export type WireNumber = z.infer<typeof WireNumber>;

/** Weights of the three reward parts and of a person's own ones, by name. */
export const RewardWeights = z
  .object({
    format: z.number().min(0),
    accuracy: z.number().min(0),
    consistency: z.number().min(0),
  })
  .catchall(z.number().min(0))
  .describe("Weight of each reward part, by name");
export type RewardWeights = z.infer<typeof RewardWeights>;

const Envelope = z.object({
  v: z.literal(1).describe("Wire version"),
  run_id: z.string().min(1),
  attempt: z.int().min(1).describe("1-based number of the process that works on the run"),
  stream: z.enum(["events", "completions"]),
  seq: z.int().min(1).describe("From 1, gapless per attempt and stream"),
  time_secs: z.number().describe("UTC, seconds since the epoch"),
  mono_secs: z.number().min(0).describe("Seconds since the attempt began, monotonic clock"),
});

const AttemptStart = Envelope.extend({
  type: z.literal("attempt.start"),
  executor: z.string().describe("local, ssh, slurm or ray; simulated runs say so in versions.engine"),
  host: z.string(),
  pid: z.int(),
  boot_id: z.string(),
  spec_hash: z.string(),
  resume_from: z.object({ step: z.int(), path: z.string() }).nullable(),
  versions: z.record(z.string(), z.string()),
  device: z.object({ name: z.string(), count: z.int(), memory_bytes: z.int() }),
});

const Phase = Envelope.extend({
  type: z.literal("phase"),
  name: z.enum(PHASES),
  done: z.number(),
  total: z.number(),
});

const Config = Envelope.extend({
  type: z.literal("config"),
  about: z
    .enum(["run", "evaluation"])
    .describe(
      "run: the configuration in force; evaluation: the settings card, which two must share to be compared",
    ),
  hash: z.string().describe("Of the values; an evaluation's is its settings_hash"),
  values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});

const Stage = Envelope.extend({
  type: z.literal("stage"),
  index: z.int().min(0).describe("0-based"),
  name: z.string(),
  weights: RewardWeights.describe("As given, for instance 7:3:0"),
  normalised: RewardWeights.describe("The same weights, summing to 1"),
  from_step: z.int(),
  from_epoch: z.number(),
  learning_rate: z.number().optional().describe("Only where the stage has its own"),
  beta: z.number().optional().describe("Only where the stage has its own"),
  temperature: z.number().optional().describe("Only where the stage has its own"),
});

const Metrics = Envelope.extend({
  type: z.literal("metrics"),
  step: z.int(),
  epoch: z.number(),
  split: z.enum(["train", "eval"]),
  max_steps: z.int(),
  values: z
    .record(z.string(), WireNumber.nullable())
    .describe("By TRL's own name; null when there was nothing to measure"),
});

const Generation = Envelope.extend({
  type: z.literal("generation"),
  gen: z.int(),
  step: z.int(),
  prompts: z.int(),
  samples: z.int(),
  generate_secs: z.number(),
  score_secs: z.number(),
  tokens: z.int(),
  judge: z.object({ calls: z.int(), cached: z.int(), failed: z.int(), secs: z.number() }),
});

const System = Envelope.extend({
  type: z.literal("system"),
  rss_bytes: z.int(),
  cpu: z.number().describe("Cores in use, 1.0 is one full core"),
  disk_free_bytes: z.int(),
  gpus: z.array(z.object({ util: z.number(), memory_bytes: z.int(), temperature_c: z.number() })),
});

const Checkpoint = Envelope.extend({
  type: z.literal("checkpoint"),
  step: z.int(),
  path: z.string().describe("Relative to the run directory"),
  bytes: z.int(),
  secs: z.number(),
  complete: z.boolean(),
});

const TaskScore = z.object({ n: z.int(), accuracy: WireNumber, low: WireNumber, high: WireNumber });

const Evaluation = Envelope.extend({
  type: z.literal("evaluation"),
  step: z.int(),
  settings_hash: z.string(),
  per_task: z.record(z.string(), TaskScore),
  overall: z.record(z.string(), WireNumber.nullable()),
});

const problem = {
  code: z.string(),
  message: z.string(),
  detail: z.string(),
  retryable: z.boolean(),
  hint: z.string().describe("What to do now"),
};
const Warn = Envelope.extend({ type: z.literal("warn"), ...problem });
const ErrorEvent = Envelope.extend({ type: z.literal("error"), ...problem });

const AttemptEnd = Envelope.extend({
  type: z.literal("attempt.end"),
  reason: z.enum(END_REASONS),
  exit_code: z.int(),
  step: z.int(),
  checkpoint: z.string().nullable(),
});

const Span = z.tuple([z.int(), z.int()]).describe("Half-open range in text, in UTF-16 code units");

/** One reward part of one completion. `raw` is in [0, 1]; null with its reason when it could not be scored. */
const RewardValue = z.object({
  raw: WireNumber.nullable(),
  weight: z.number(),
  null_reason: z.string().nullable(),
});

const JudgeVerdict = z.object({
  variant: z.string(),
  letter: z.string().nullable(),
  agrees: z.boolean().nullable(),
  status: z.enum(JUDGE_STATUSES),
  ms: z.number(),
  cached: z.boolean(),
});

const Completion = Envelope.extend({
  type: z.literal("completion"),
  gen: z.int(),
  step: z.int(),
  epoch: z.number(),
  stage: z.int().min(0),
  split: z
    .enum(["train", "eval"])
    .optional()
    .describe("eval: an answer to a held-out question, a group of one"),
  group_id: z.string(),
  question_id: z.string(),
  clip_id: z.string().nullable(),
  task: z.string(),
  k: z.int().min(0).describe("Index within the group"),
  group_size: z.int().min(1),
  prompt: z.string().nullable().describe("On k = 0, null on the others"),
  gold: z.string().nullable(),
  text: z.string(),
  tokens: z.int(),
  finish: z.enum(["eos", "length"]),
  truncated_at: z.int().nullable(),
  parse: z.object({
    think: Span.nullable(),
    answer: Span.nullable(),
    letter: z.string().nullable(),
    rule: z.string(),
  }),
  rewards: z.record(z.string(), RewardValue),
  reward: WireNumber,
  advantage: WireNumber,
  judges: z.array(JudgeVerdict),
});

/** Every line type that version 1 knows, discriminated by `type`. */
export const WireLine = z.discriminatedUnion("type", [
  AttemptStart,
  Phase,
  Config,
  Stage,
  Metrics,
  Generation,
  System,
  Checkpoint,
  Evaluation,
  Warn,
  ErrorEvent,
  AttemptEnd,
  Completion,
]);
export type WireLine = z.infer<typeof WireLine>;
/** The line of one type, for instance `LineOf<"metrics">`. */
export type LineOf<T extends WireLine["type"]> = Extract<WireLine, { type: T }>;

/** A well-formed line of a type that this version does not know. It is kept and shown as unknown. */
export const UnknownLine = Envelope.extend({ type: z.string() }).loose();
export type UnknownLine = z.infer<typeof UnknownLine>;
