import { type Options, readGold, readTrace, type TraceReading } from "../traces/index.ts";
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
