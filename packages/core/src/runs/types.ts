import type { EndReason, LineOf, RewardWeights, UnknownLine, WireLine, WireNumber } from "../wire/index.ts";

export type { HostFacts, HostSummary } from "../hosts/types.ts";

/** A stretch of a run with one set of weights. */
export type StageSpec = {
  name: string;
  /** As given, for instance 7:3:0; only their ratio counts. */
  weights: RewardWeights;
  /** Half-open range of epochs, for instance [0, 2). Where `steps` is given it only says about where the stage lies. */
  from_epoch: number;
  to_epoch: number;
  /** Optimiser steps that the stage lasts; it holds in place of the epochs, and all stages have it or none. */
  steps?: number;
  /** In place of the run's settings of these names while the stage is in force; absent: those hold. */
  learning_rate?: number;
  beta?: number;
  temperature?: number;
};

export const ENGINES = ["simulator", "grpo", "sft", "evaluate"] as const;
/**
 * What a run does: the simulator (invented numbers, real path), TRL's GRPO, its supervised trainer, or the answers of a
 * model to questions.
 */
export type Engine = (typeof ENGINES)[number];

/** What a run is asked to do. Written once to `spec.json` on the host; its hash names it. */
export type RunSpec = {
  run_id: string;
  name: string;
  engine: Engine;
  preset: string;
  seed: number;
  stages: StageSpec[];
  /** Settings of the engine, by the engine's own names. */
  settings: Record<string, string | number | boolean | null>;
  /** True for a run that was made elsewhere and came with its files; absent otherwise. */
  recorded?: boolean;
  /** Absent for a run that began by itself. */
  forked_from?: ForkOrigin;
};

/** Where a fork begins: a checkpoint of another run on the same host. */
export type ForkOrigin = {
  run_id: string;
  /** Steps that were done at the checkpoint; the fork's first step is the next one. */
  step: number;
  /** False: the optimiser begins anew, and only the weights are taken over. */
  keeps_optimiser: boolean;
  /** Seed of the run at the root of the lineage: it settles the reference model and which questions are held out. */
  root_seed: number;
};

/** A starting point on the launch page. */
export type RunPreset = {
  preset: string;
  engine: Engine;
  title: string;
  /** One sentence: what a person will see. */
  summary: string;
  stages: StageSpec[];
  settings: RunSpec["settings"];
  simulated: boolean;
};

/**
 * State of a run as the server last saw it. `unreachable` is not an end: the run may well go on.
 * `queued`: it waits for its turn and has no process.
 * `stalled`: its process lives and reports nothing; `orphaned`: it trains on without its supervisor.
 */
export type RunState =
  | "queued"
  | "launching"
  | "running"
  | "stalled"
  | "orphaned"
  | "unreachable"
  | "stopping"
  | "done"
  | "stopped"
  | "interrupted"
  | "failed"
  | "lost";

/** A run in a list. */
export type RunSummary = {
  run_id: string;
  name: string;
  engine: Engine;
  preset: string;
  seed: number;
  state: RunState;
  /** A sentence with what happened and what to do, or null. */
  problem: string | null;
  host_id: string;
  attempts: number;
  step: number | null;
  max_steps: number | null;
  /** Name of the stage in force, or null before the first. */
  stage: string | null;
  /** Optimiser steps a second over the last minute or so, or null when too few came. */
  steps_per_sec: number | null;
  created_secs: number;
  ended_secs: number | null;
  trashed_secs: number | null;
  /** True when the numbers were made by the simulator or recorded elsewhere; shown wherever the run shows. */
  simulated: boolean;
  recorded: boolean;
  /** True when somebody else started it: it is read and can't be stopped or resumed from here. */
  watched: boolean;
  /** Null unless it waits. */
  queue: QueuePlace | null;
  /** Automatic attempts that are allowed one after the other; 0: a person resumes. */
  max_retries: number;
  sweep: { sweep_id: string; name: string; schedule: string } | null;
  forked_from: { run_id: string; step: number } | null;
};

/** Where a run stands that waits for its turn on a host. */
export type QueuePlace = {
  /** From 1; lower ones start first. */
  position: number;
  /** A sentence. */
  why: string;
  /** It does not start before this moment; null: as soon as there is room. */
  not_before_secs: number | null;
};

/** The runs of a host that have a process and those that wait, in their order. */
export type HostQueue = {
  host_id: string;
  /** As a person set it, for runs of every kind; null: one that trains, and any number of simulated ones. */
  runs_at_once: number | null;
  running: string[];
  waiting: string[];
};

/** What a host says of one attempt. `unreachable` is said by the server when no answer comes. */
export type VerdictState =
  | "starting"
  | "running"
  | "stalled"
  | "orphaned"
  | "finished"
  | "killed"
  | "interrupted"
  | "lost"
  | "unreachable";

/** One process that works on a run, as last seen. */
export type AttemptSummary = {
  attempt: number;
  verdict: VerdictState;
  /** True once the process is proven dead and every line that it wrote was read. */
  ended: boolean;
  reason: EndReason | null;
  exit_code: number | null;
  signal: string | null;
  /** A sentence with what happened and what to do, or null. */
  problem: string | null;
  resume_step: number | null;
  last_step: number | null;
  launched_secs: number;
  ended_secs: number | null;
  /** Age of the last heartbeat by the host's own clock, or null. */
  heartbeat_age_secs: number | null;
  device: string | null;
  versions: Record<string, string>;
  /** Who asked for it: a person, or the run's own retries. */
  cause: "person" | "retry";
  /** Why the retry was made, in a sentence; null for a person's. */
  why: string | null;
  /** Settings in which this attempt differs from the run's. */
  overrides: Record<string, number>;
};

/** A line that could not be read; it is kept where it stood. */
export type QuarantinedLine = {
  attempt: number;
  file: string;
  byte_offset: number;
  bytes: number;
  reason: string;
  /** The first 400 characters. */
  excerpt: string;
};

/** Something noticed while reading a run that is no fault of its numbers. */
export type RunNote = {
  attempt: number;
  code:
    | "file_replaced"
    | "file_shrunk"
    | "duplicate_rows"
    | "step_went_back"
    | "gap_in_seq"
    | "loose_json"
    | "text_numbers";
  count: number;
  message: string;
};

/**
 * One stored line of a run's `events` stream. `id` orders all lines of all runs and never repeats. `at_step` is the
 * training step reached before the line, given where the metrics in between are left out.
 */
export type RunRow = { id: number; line: WireLine | UnknownLine; at_step?: number };

/** What the completions of one step of one attempt add up to. Later tallies of the same step replace earlier ones. */
export type StepTally = {
  run_id: string;
  attempt: number;
  step: number;
  /** Completions. */
  n: number;
  /** Completions whose accuracy is 1. */
  correct: number;
  /** Completions that are correct and that the judge answered for. */
  judged: number;
  /** Those of them where the judge agrees. */
  agreed: number;
  groups: number;
  /** Groups in which every reward is the same, so that nothing is learned from them. */
  tied_groups: number;
  /** Those of them in which every answer is right, and in which every one is wrong; the rest could not be scored. */
  tied_right: number;
  tied_wrong: number;
  /** Completions cut at the longest length. */
  clipped: number;
  tokens: number;
  tasks: Record<string, { n: number; correct: number }>;
  /** How many gave each letter, "" where none was read; how many had each as gold, "" where none is known. */
  letters: Record<string, number>;
  golds: Record<string, number>;
  /** By which rule the letter was read. */
  rules: Record<string, number>;
  /** What came of asking the judge, by status; those who were not to be judged are left out. */
  judges: Record<string, number>;
};

/**
 * The past of one metric in buckets of `width` steps, by column. Bucket i holds the steps
 * [index[i] × width, (index[i] + 1) × width). Non-finite values are counted, never mixed into the numbers.
 */
export type BucketColumns = {
  width: number;
  index: number[];
  /** Finite values in the bucket; where it is 0 the numbers are 0 and mean nothing. */
  n: number[];
  sum: number[];
  first: number[];
  first_step: number[];
  last: number[];
  last_step: number[];
  min: number[];
  min_step: number[];
  max: number[];
  max_step: number[];
  /** Rows whose value was NaN or null. */
  gaps: number[];
  pos_inf: number[];
  neg_inf: number[];
};

/** One metric of one stretch of one attempt in which steps only rise. */
export type HistorySeries = {
  attempt: number;
  /** 0, and one more each time the attempt's steps went back. */
  segment: number;
  name: string;
  buckets: BucketColumns;
};

/** The bucketed past of one run, up to and including row `upto_id`. */
export type RunHistory = {
  run_id: string;
  upto_id: number;
  max_steps: number | null;
  series: HistorySeries[];
  /** Every row that is not a metric: stages, checkpoints, warnings, starts and ends, the newest phase and system rows. */
  rows: RunRow[];
  /** Tallies summed over `width` steps each, at the first step of their bucket. */
  tallies: StepTally[];
};

/** What `runs.follow` yields. `history` comes at most once per run, before its first `rows`. */
export type FollowBatch =
  | { kind: "history"; histories: RunHistory[] }
  | { kind: "rows"; rows: RunRow[]; tallies: StepTally[] }
  | { kind: "state"; runs: RunSummary[] };

/** A window of one metric, thinned to buckets that keep every extremum; `width` is 1 when every point is there. */
export type MetricWindow = {
  run_id: string;
  name: string;
  series: (HistorySeries & { rolled_back: boolean })[];
};

/** One metric of a run beside others: what counts of it, thinned so that every extremum stays. */
export type OverlayLine = {
  run_id: string;
  name: string;
  /** Rising; an attempt that went back begins a new line. */
  steps: number[];
  values: WireNumber[];
  /**
   * Means of the buckets that it was thinned by, each at its middle step, with how many values it stands for: averages
   * run over these, not over extremes. Absent where it was not asked for, and where every point is there.
   */
  basis?: { steps: number[]; means: number[]; counts: number[] };
};

/** One group: the completions sampled for one prompt in one generation, as the run wrote them, by `k`. */
export type CompletionGroup = {
  attempt: number;
  gen: number;
  step: number;
  stage: number;
  group_id: string;
  question_id: string;
  clip_id: string | null;
  task: string;
  gold: string | null;
  prompt: string | null;
  /** True when a newer attempt resumed before this step, so that the group no longer counts. */
  rolled_back: boolean;
  completions: LineOf<"completion">[];
};

/** Everything about a run but its lines. */
export type RunDetail = {
  run: RunSummary;
  spec: RunSpec;
  /** The run directory on its host. */
  directory: string | null;
  attempts: AttemptSummary[];
  stages: {
    attempt: number;
    index: number;
    name: string;
    weights: RewardWeights;
    normalised: RewardWeights;
    from_step: number;
    from_epoch: number;
  }[];
  checkpoints: { attempt: number; step: number; path: string; bytes: number; complete: boolean }[];
  /** Names of all metrics, by TRL's own names; those of the eval split begin with `eval_`. */
  metrics: string[];
  lines: number;
  quarantined: { count: number; lines: QuarantinedLine[] };
  notes: RunNote[];
  /** True when `runs.resume` would be accepted now; otherwise why not stands in `resume_hint`. */
  resumable: boolean;
  resume_hint: string | null;
};

/** A checkpoint of a run: what its host holds, and what was taken from there. */
export type CheckpointRow = {
  step: number;
  bytes: number;
  complete: boolean;
  /** When it was whole, by the host's clock; null where that is not known. */
  time_secs: number | null;
  files: number;
  /** Name of the stage that ends with it, or null. */
  ends_stage: string | null;
  /** Runs that were forked from it. */
  forks: { run_id: string; name: string }[];
  /** The newest whole one of a run that is not done: a resume would begin at nothing without it. */
  is_needed: boolean;
  /** Folder on the server that holds all of it; null where there is none. */
  fetched: string | null;
  /** Bytes of it that an unfinished fetch into the data folder has brought. */
  fetched_bytes: number;
};

export type CheckpointList = {
  checkpoints: CheckpointRow[];
  /** Why the host could not be asked, in a sentence: then the rows are what the run said itself. */
  problem: string | null;
};

/** A run among those that it comes from and those that come from it. */
export type LineageRun = {
  run_id: string;
  name: string;
  state: RunState;
  seed: number;
  simulated: boolean;
  is_trashed: boolean;
  /** Last step that it has taken. */
  step: number | null;
  /** Where it begins; null at the root, and where the run that it comes from is not known here. */
  forked_from: { run_id: string; step: number } | null;
  /** Weights by stage, for instance "7:3:0 → 1:7:2". */
  schedule: string;
};

/** What past runs say of how long a step takes on a host. */
export type HostPace = {
  host_id: string;
  /** Seconds of one step at `samples_per_step` completions, by the median; null where no run of this preset is known. */
  secs_per_step: number | null;
  samples_per_step: number;
  /** How many attempts it rests on. */
  attempts: number;
};

/** Runs that were launched together: schedules × seeds × hosts. */
export type SweepDetail = {
  sweep_id: string;
  name: string;
  created_secs: number;
  /** Rows and columns of the grid, in the order in which they were asked for. */
  schedules: string[];
  seeds: number[];
  host_ids: string[];
  run_ids: string[];
};

/** A stretch of an attempt's log. */
export type LogSlice = {
  run_id: string;
  attempt: number;
  /** Byte offset of the first byte of `text`. */
  offset: number;
  next_offset: number;
  /** Size of the log on the host when it was read. */
  size: number;
  text: string;
};
