import type { RuleSet } from "../rewards/index.ts";
import type { RewardPart, RewardWeights } from "../wire/index.ts";

/** What is changed when stored completions are scored anew. What is left as it was is taken from the run's own lines. */
export type ReplayPlan = {
  /** `as_run`: the raw parts that the run emitted; else both are read anew by that rule set. */
  rules: "as_run" | RuleSet;
  /** Null: as they were in force; one for the whole run, or one a stage, in the order of the stages. */
  weights: RewardWeights[] | null;
  /** The reward as a formula over parts and facts of a completion; null: the weighted sum. */
  formula: string | null;
};

/** How one completion was scored, before or after. */
export type ReplaySide = Record<RewardPart, number | null> & {
  letter: string | null;
  /** Null where it can't be known, and why in `reason`. */
  reward: number | null;
  /** Null where the reward of anyone in the group can't be known. */
  advantage: number | null;
  reason: string | null;
};

/** What turned over from before to after. `unknown`: it was known before, and the judge was never asked what is needed now. */
export const FLIPS = [
  "accuracy_lost",
  "accuracy_gained",
  "format_lost",
  "format_gained",
  "consistency_lost",
  "consistency_gained",
  "consistency_unknown",
  "advantage_turned",
] as const;
export type Flip = (typeof FLIPS)[number];

/** Several flips as bits, in the order of `FLIPS`. */
export function packFlips(flips: readonly Flip[]): number {
  return flips.reduce((bits, flip) => bits | (1 << FLIPS.indexOf(flip)), 0);
}

export function unpackFlips(bits: number): Flip[] {
  return FLIPS.filter((_, at) => bits & (1 << at));
}

/** One completion, scored twice. */
export type ReplayedCompletion = { before: ReplaySide; after: ReplaySide; flips: Flip[] };

/**
 * Means of one step, or of `width` neighbouring ones, over the training completions whose value is known on both sides. Rewards and
 * advantages are of groups whose rewards are all known.
 */
export type ReplayStep = {
  /** The first of them. */
  step: number;
  n: number;
  reward: Pair;
  format: Pair;
  accuracy: Pair;
  consistency: Pair;
  /** Mean distance of the advantages from 0. */
  advantage: Pair;
  groups: number;
  /** Groups in which every reward is the same, of those whose rewards are all known. */
  tied: { before: number; after: number };
  /** Groups of which a reward can't be known after. */
  unknown: number;
};

/** Null where nobody has a value. */
export type Pair = { before: number | null; after: number | null };

/** One number of a completion that the replay does not give as the run emitted it. */
export type ReplayMismatch = {
  completion_id: number;
  step: number;
  k: number;
  what: "reward" | "advantage";
  emitted: number;
  replayed: number | null;
};

/** A whole replay in numbers. */
export type ReplaySummary = {
  /** Training completions; held-out ones stand in `held_out`. */
  completions: number;
  groups: number;
  /** Newest step that was scored; null without any. */
  last_step: number | null;
  /** How many steps each entry of `steps` stands for. */
  width: number;
  steps: ReplayStep[];
  /** Accuracy of held-out questions at each evaluation. */
  held_out: { step: number; n: number; accuracy: Pair; format: Pair }[];
  total: Omit<ReplayStep, "step" | "n" | "groups">;
  flips: Record<Flip, number>;
  /** Of training and held-out completions alike. */
  tasks: { task: string; n: number; flips: Record<Flip, number> }[];
  /** Completions whose reward changed by more than rounding. */
  rewards_changed: number;
  /** Why rewards can't be known after, and of how many completions. */
  unknown: { reason: string; n: number }[];
  /** Completions whose options were not to be found, so that an answer in the words of an option is taken as the run read it. */
  without_options: number;
  /** Whether the plan asks for nothing but what the run did itself. */
  is_same: boolean;
  /** Numbers that then differ from the emitted ones by more than the trainer's rounding. */
  mismatches: { rewards: number; advantages: number; first: ReplayMismatch[] };
};

/** A replay that somebody made and named. */
export type Replay = {
  replay_id: string;
  run_id: string;
  name: string;
  plan: ReplayPlan;
  author: string;
  made_secs: number;
  state: "working" | "done" | "cancelled" | "failed";
  /** Completions that are scored, of all that the run had when it began. */
  done: number;
  total: number;
  problem: string | null;
  /** Null until it is done. */
  summary: ReplaySummary | null;
};

/** A flipped completion in a list. */
export type ReplayFlip = ReplayedCompletion & {
  /** Of its stored line. */
  completion_id: number;
  step: number;
  split: "train" | "eval";
  group_id: string;
  k: number;
  question_id: string;
  task: string;
  gold: string | null;
};
