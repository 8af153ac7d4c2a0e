/** Names of the wire that pages need as well: apart from the schemas, which cost a page time to build. */

export const REWARD_PARTS = ["format", "accuracy", "consistency"] as const;
/** Name of a reward part. */
export type RewardPart = (typeof REWARD_PARTS)[number];

export const PHASES = [
  "environment",
  "load_model",
  "load_data",
  "warm_start",
  "train",
  "evaluate",
  "save",
  "finish",
] as const;

export const END_REASONS = ["done", "stopped", "interrupted", "failed"] as const;
/** Why an attempt ended. */
export type EndReason = (typeof END_REASONS)[number];

export const JUDGE_STATUSES = [
  "ok",
  "skipped_wrong_answer",
  "no_think",
  "timeout",
  "http_error",
  "unparsed",
] as const;

/** Exit codes of a trainer process; classes of failure that the retry policy knows. */
export const EXIT_CODES = {
  done: 0,
  bad_spec: 64,
  missing_input: 66,
  judge_unavailable: 69,
  internal: 70,
  gpu_memory: 71,
  host_memory: 72,
  disk: 74,
  interrupted: 75,
  diverged: 76,
  host_auth: 77,
} as const;
