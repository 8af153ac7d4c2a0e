import { type Options, readGold, readTrace, type TraceReading } from "../traces/index.ts";
import { REWARD_PARTS, type RewardPart, type RewardWeights } from "../wire/index.ts";
import { readReleased } from "./embodied-r.ts";
import { meanRelativeAccuracy, readNumber } from "./numeric.ts";

/**
 * The two named ways of scoring. `sightline` reads the answer block; `embodied-r` does as the released code does,
 * faults included, so that published numbers can be compared.
 */
export type RuleSet = "sightline" | "embodied-r";

/** A raw reward in [0, 1], or null with the reason why none can be given. */
export type RawReward = { raw: number; reason: string | null } | { raw: null; reason: string };

/** What a completion is scored against. */
export type Gold = { answer: string | null; options: Options; kind: "choice" | "number" };

export type Score = { format: RawReward; accuracy: RawReward; reading: TraceReading };

const GOLD_UNREADABLE = { raw: null, reason: "gold not readable" } as const;

function scoreNumber(text: string, gold: Gold): RawReward {
  const wanted = Number.parseFloat(gold.answer ?? "");
  if (!Number.isFinite(wanted)) return GOLD_UNREADABLE;
  const answer = readNumber(text);
  if (answer.value === null) return { raw: 0, reason: answer.reason };
  return { raw: meanRelativeAccuracy(answer.value, wanted), reason: null };
}

function scoreChoice(reading: TraceReading, gold: Gold): RawReward {
  const wanted = readGold(gold.answer, gold.options);
  if (wanted === null) return GOLD_UNREADABLE;
  if (reading.letter === null) return { raw: 0, reason: reading.reason };
  return { raw: reading.letter === wanted ? 1 : 0, reason: null };
}

/**
 * Scores format and accuracy of one completion, each on its own: a slip of format never hides a right answer.
 *
 * @param prompt  What the model was given; null when unknown.
 */
export function scoreCompletion(
  text: string,
  gold: Gold,
  ruleSet: RuleSet,
  prompt: string | null = null,
): Score {
  const reading = readTrace(text, gold.options, prompt);
  if (ruleSet === "embodied-r") {
    const released = readReleased(text);
    const wanted = gold.answer === null ? null : readReleased(gold.answer).answer;
    return {
      format: { raw: released.format, reason: null },
      accuracy: wanted === null ? GOLD_UNREADABLE : { raw: released.answer === wanted ? 1 : 0, reason: null },
      reading: { ...reading, letter: released.letter, rule: reading.rule },
    };
  }
  return {
    format: { raw: reading.is_well_formed ? 1 : 0, reason: reading.problems.join("; ") || null },
    accuracy: gold.kind === "number" ? scoreNumber(text, gold) : scoreChoice(reading, gold),
    reading,
  };
}

/**
 * Logical consistency of a right answer: does the judge, who sees question and reasoning only, come to the same letter?
 *
 * @param judged  The judge's letter; null when the judge failed.
 * @returns 0 without asking for a wrong answer or a missing reasoning; null when the judge failed.
 * @see Embodied-R, the consistency reward: 1 iff a = a′ = g
 */
export function scoreConsistency(
  reading: TraceReading,
  accuracy: RawReward,
  judged: string | null,
): RawReward {
  if (accuracy.raw !== 1) return { raw: 0, reason: "skipped_wrong_answer" };
  if (reading.think === null) return { raw: 0, reason: "no_think" };
  if (judged === null) return { raw: null, reason: "judge failed" };
  return { raw: judged === reading.letter ? 1 : 0, reason: null };
}

/** Weights that sum to 1. @throws RangeError when all are 0. */
export function normaliseWeights(weights: RewardWeights): RewardWeights {
  const sum = REWARD_PARTS.reduce((total, part) => total + weights[part], 0);
  if (sum <= 0) throw new RangeError("the weights of format, accuracy and consistency are all 0");
  return {
    format: weights.format / sum,
    accuracy: weights.accuracy / sum,
    consistency: weights.consistency / sum,
  };
}

/**
 * The weighted sum of the parts, with weights made to sum to 1; null when a part that carries weight is null.
 * @see Embodied-R, total reward r = ω1 r′ + ω2 r″ + ω3 r‴
 */
export function combineRewards(
  raw: Record<RewardPart, number | null>,
  weights: RewardWeights,
): number | null {
  const normalised = normaliseWeights(weights);
  let total = 0;
  for (const part of REWARD_PARTS) {
    const value = raw[part];
    if (normalised[part] === 0) continue;
    if (value === null) return null;
    total += value * normalised[part];
  }
  return total;
}

/**
 * Each reward of a group relative to the others: (r − mean) / (std + ε), with the sample standard deviation, as TRL
 * computes it. A group of equal rewards gives zeros.
 */
export function groupAdvantages(rewards: readonly number[], epsilon = 1e-4): number[] {
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  if (rewards.length < 2) return rewards.map(() => 0);
  const variance = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / (rewards.length - 1);
  return rewards.map((reward) => (reward - mean) / (Math.sqrt(variance) + epsilon));
}
