import {
  ADVANTAGE_EPS,
  advantageTolerance,
  type Gold,
  groupAdvantages,
  type RewardScale,
  type RuleSet,
  scoreCompletion,
} from "../rewards/index.ts";
import { normalise } from "../schedules/index.ts";
import type { Options } from "../traces/index.ts";
import { type LineOf, REWARD_PARTS, type RewardPart, toNumber } from "../wire/index.ts";
import type { Facts, Formula } from "./formula.ts";
import type { Flip, ReplayedCompletion, ReplayPlan, ReplaySide } from "./types.ts";

type Line = LineOf<"completion">;
type Part = { raw: number | null; reason: string | null };
type Parts = Record<RewardPart, Part> & { letter: string | null };

/** Options and kind of a question as the run was given it; null where its file can't be had. */
export type QuestionFacts = { options: Options; kind: Gold["kind"] };

/** A plan that is ready to score, and how the run itself scored. */
export type Replayer = {
  plan: ReplayPlan;
  formula: Formula | null;
  own_rules: RuleSet;
  scale: RewardScale;
};

/** The judge was never asked what would be needed to know. */
export const NOT_ASKED = "the judge was not asked: under the run's rules the answer was wrong";
const NO_VERDICT = "no verdict of a judge is stored";

/** Reasons of the trainer that are no words, in words. */
const IN_WORDS: Record<string, string> = { not_sampled: "the judge looked at a sample of the groups" };
const inWords = (reason: string | null) =>
  reason === null ? "no reason given" : (IN_WORDS[reason] ?? reason);

/** Reasons of the trainer with which a part counts for nothing in the whole group, as TRL sums it. */
const countsForNothing = (reason: string | null) =>
  reason !== null && /judge[ _]failed|gold|asks for a number/.test(reason);

/** Letters of questions whose options are not known. */
const ANY_OPTIONS: Options = { count: 8, texts: [] };

function emittedPart(line: Line, part: RewardPart): Part {
  const value = line.rewards[part];
  if (value === undefined) return { raw: null, reason: `${part} was not scored` };
  return { raw: value.raw === null ? null : toNumber(value.raw), reason: value.null_reason };
}

/**
 * The consistency part for another reading of the same completion. The judge's letter is the stored one; where it was
 * never asked for there is no verdict.
 */
function judgeAnew(line: Line, emitted: Parts, letter: string | null, accuracy: number | null): Part {
  const before = emitted.consistency;
  if (before.raw === null) return before;
  if (letter === emitted.letter && accuracy === emitted.accuracy.raw) return before;
  const judge = line.judges[0];
  if (judge === undefined) return { raw: null, reason: NO_VERDICT };
  const is_unconditional = judge.variant === "unconditional";
  if (!is_unconditional && accuracy !== 1) return { raw: 0, reason: null };
  if (judge.status === "skipped_wrong_answer") return { raw: null, reason: NOT_ASKED };
  if (judge.status !== "ok") return before;
  return { raw: judge.letter !== null && judge.letter === letter ? 1 : 0, reason: null };
}

/** Raw parts under the plan's rules. `is_kept`: the options are unknown, so the answer is taken as the run read it. */
function scoreAnew(
  line: Line,
  emitted: Parts,
  rules: ReplayPlan["rules"],
  prompt: string | null,
  question: QuestionFacts | null,
): Parts & { is_kept: boolean } {
  if (rules === "as_run") return { ...emitted, is_kept: false };
  const gold = {
    answer: line.gold,
    options: question?.options ?? ANY_OPTIONS,
    kind: question?.kind ?? "choice",
  };
  const { format, accuracy, reading } = scoreCompletion(line.text, gold, rules, prompt);
  const is_kept = question === null && rules === "sightline" && line.parse.rule === "option_text";
  const now = is_kept
    ? { accuracy: emitted.accuracy, letter: emitted.letter }
    : { accuracy, letter: reading.letter };
  return {
    format: { raw: format.raw, reason: null },
    accuracy: now.accuracy,
    letter: now.letter,
    consistency: judgeAnew(line, emitted, now.letter, now.accuracy.raw),
    is_kept,
  };
}

/** Weights of one completion by the names of its rewards, summing to 1 where the plan gives them. */
function weightsOf(line: Line, plan: ReplayPlan): Record<string, number> {
  const given = plan.weights?.[Math.min(line.stage, plan.weights.length - 1)];
  const ready = given && normalise(given);
  if (ready) return ready;
  return Object.fromEntries(Object.entries(line.rewards).map(([name, { weight }]) => [name, weight]));
}

type Reward = { reward: number | null; reason: string | null };

/**
 * As the trainer sums: rewards in their order, a failed judge for nothing; but what was never asked makes it unknown. A
 * person's own rewards keep the values that the run emitted.
 */
function weigh(line: Line, parts: Parts, weights: Record<string, number>): Reward {
  let reward = 0;
  for (const part of REWARD_PARTS) {
    const { raw, reason } = parts[part];
    const weight = weights[part] ?? 0;
    if (raw === null && weight > 0 && !countsForNothing(reason))
      return { reward: null, reason: `${part} is not known: ${inWords(reason)}` };
    reward += weight * (raw ?? 0);
  }
  for (const [name, { raw }] of Object.entries(line.rewards))
    if (!(REWARD_PARTS as readonly string[]).includes(name) && raw !== null)
      reward += (weights[name] ?? 0) * toNumber(raw);
  return { reward, reason: null };
}

const lengthOf = (span: readonly [number, number] | null) => (span === null ? 0 : span[1] - span[0]);

function reward(line: Line, parts: Parts, { plan, formula }: Replayer): Reward {
  const weighted = weigh(line, parts, weightsOf(line, plan));
  if (formula === null) return weighted;
  const facts: Facts = {
    format: parts.format.raw,
    accuracy: parts.accuracy.raw,
    consistency: parts.consistency.raw,
    weighted: weighted.reward,
    tokens: line.tokens,
    truncated: line.finish === "length",
    think_chars: lengthOf(line.parse.think),
    answer_chars: lengthOf(line.parse.answer),
    letter: parts.letter,
    gold: line.gold,
    task: line.task,
    step: line.step,
    epoch: line.epoch,
    stage: line.stage,
  };
  const value = formula(facts);
  if (value !== null) return { reward: value, reason: null };
  // Only what would give a number if it were known is to blame.
  const known = { format: 0.5, accuracy: 0.5, consistency: 0.5, weighted: 0.5 };
  const isMissing = formula({ ...facts, ...known }) !== null;
  const missing = isMissing ? REWARD_PARTS.find((part) => parts[part].raw === null) : undefined;
  return {
    reward: null,
    reason: missing
      ? `the formula gives null: ${missing} is not known (${inWords(parts[missing].reason)})`
      : "the formula gives null or no finite number",
  };
}

const finite = (value: number) => (Number.isFinite(value) ? value : null);

const flip = (before: number | null, after: number | null): "lost" | "gained" | null =>
  before === null || after === null || before === after ? null : after < before ? "lost" : "gained";

/** Below this an advantage is the rounding of a group of equal rewards. */
const LEAST_ADVANTAGE = 2e-3;

function findFlips(before: ReplaySide, after: ReplaySide): Flip[] {
  const flips: Flip[] = [];
  for (const part of ["accuracy", "format", "consistency"] as const) {
    const turned = flip(before[part], after[part]);
    if (turned !== null) flips.push(`${part}_${turned}`);
  }
  if (before.consistency !== null && after.consistency === null) flips.push("consistency_unknown");
  const [was, is] = [before.advantage ?? 0, after.advantage ?? 0];
  if (Math.sign(was) * Math.sign(is) < 0 && Math.min(Math.abs(was), Math.abs(is)) > LEAST_ADVANTAGE)
    flips.push("advantage_turned");
  return flips;
}

/** A group scored anew, in the order of its lines. */
export type ReplayedGroup = {
  completions: ReplayedCompletion[];
  /** How far an emitted advantage may lie from ours by the trainer's rounding. */
  tolerance: number;
  /** Completions whose options are not known and whose answer was read as that of an option's text. */
  kept: number;
};

/** A whole group of one generation, not empty, and its question; the first line that has a prompt gives it to all. */
export type StoredGroup = { lines: readonly Line[]; question: QuestionFacts | null };

/**
 * Scores the groups of one generation anew, in their order. Nothing of it is stored here.
 *
 * Held-out answers carry no reward and no advantage, before or after. Where the run divides by the deviation of the
 * whole batch, one unknown reward leaves every advantage of the generation unknown.
 *
 * @param groups  All of the generation where the scale is "batch"; any otherwise.
 */
export function replayGroups(groups: readonly StoredGroup[], replayer: Replayer): ReplayedGroup[] {
  const scored = groups.map((group) => scoreGroup(group, replayer));
  const trained = scored.filter(({ is_held_out }) => !is_held_out);
  const batch =
    replayer.scale === "batch" && trained.length > 0 && trained.every(({ rewards }) => rewards !== null)
      ? groupAdvantages(trained.flatMap(({ rewards }) => rewards ?? [])).std
      : null;
  return scored.map((group) => rankGroup(group, replayer.scale, batch));
}

type ScoredGroup = ReturnType<typeof scoreGroup>;

function scoreGroup({ lines, question }: StoredGroup, replayer: Replayer) {
  const prompt = lines.find((line) => line.prompt !== null)?.prompt ?? null;
  const is_held_out = lines[0]?.split === "eval";
  const scored = lines.map((line) => {
    const emitted: Parts = {
      format: emittedPart(line, "format"),
      accuracy: emittedPart(line, "accuracy"),
      consistency: emittedPart(line, "consistency"),
      letter: line.parse.letter,
    };
    const parts = scoreAnew(line, emitted, replayer.plan.rules, prompt, question);
    const nothing: Reward = { reward: null, reason: null };
    return { line, emitted, parts, next: is_held_out ? nothing : reward(line, parts, replayer) };
  });
  const known = scored.flatMap(({ next }) => next.reward ?? []);
  return { scored, is_held_out, rewards: known.length === scored.length && !is_held_out ? known : null };
}

/** @param batch  Standard deviation of all rewards of the generation; null where it is not known. */
function rankGroup(
  { scored, is_held_out, rewards }: ScoredGroup,
  scale: RewardScale,
  batch: number | null,
): ReplayedGroup {
  const group = rewards === null ? null : groupAdvantages(rewards);
  const std = scale === "batch" ? batch : (group?.std ?? null);
  const rank = (reward: number | null): number | null => {
    if (group === null || reward === null) return null;
    if (scale === "none") return reward - group.mean;
    return std === null ? null : (reward - group.mean) / (std + ADVANTAGE_EPS);
  };
  const completions = scored.map(({ line, emitted, parts, next }): ReplayedCompletion => {
    const before: ReplaySide = {
      format: emitted.format.raw,
      accuracy: emitted.accuracy.raw,
      consistency: emitted.consistency.raw,
      letter: emitted.letter,
      reward: is_held_out ? null : finite(toNumber(line.reward)),
      advantage: is_held_out ? null : finite(toNumber(line.advantage)),
      reason: emitted.consistency.raw === null ? emitted.consistency.reason : null,
    };
    const after: ReplaySide = {
      format: parts.format.raw,
      accuracy: parts.accuracy.raw,
      consistency: parts.consistency.raw,
      letter: parts.letter,
      reward: next.reward,
      advantage: rank(next.reward),
      reason: next.reason ?? (parts.consistency.raw === null ? parts.consistency.reason : null),
    };
    return { before, after, flips: findFlips(before, after) };
  });
  return {
    completions,
    tolerance: scale === "none" ? 1e-6 : advantageTolerance(std ?? 0),
    kept: scored.filter(({ parts }) => parts.is_kept).length,
  };
}

/** Whether a plan asks for nothing but what the run did itself. */
export function isSamePlan(plan: ReplayPlan, own_rules: RuleSet): boolean {
  return (
    plan.weights === null && plan.formula === null && (plan.rules === "as_run" || plan.rules === own_rules)
  );
}
