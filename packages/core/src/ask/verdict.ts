import { type RuleSet, scoreCompletion } from "../rewards/score.ts";
import { readTrace, type TraceReading } from "../traces/parse.ts";
import type { Judgement } from "../traces/types.ts";
import type { Asked } from "./prompt.ts";

/** How an output is read and what it is worth. */
export type Verdict = {
  reading: TraceReading;
  /** In [0, 1]; null where there is no gold to hold it to. */
  accuracy: number | null;
  /** Why it is null, or why it is 0 although something was said. */
  reason: string | null;
  format: number;
};

const toOptions = ({ options }: Asked) => ({ count: options.length, texts: options });

/**
 * @param ruleSet  `embodied-r` reads as the released code does, faults included.
 * @param prompt  What the model was given; one that ends in `<think>` opens the reasoning. Null when unknown.
 */
export function judgeText(
  text: string,
  question: Asked,
  ruleSet: RuleSet,
  prompt: string | null = null,
): Verdict {
  const gold = { answer: question.gold, options: toOptions(question), kind: question.kind };
  const { reading, accuracy, format } = scoreCompletion(text, gold, ruleSet, prompt);
  return {
    reading,
    accuracy: question.gold === null ? null : accuracy.raw,
    reason: question.gold === null ? "the right answer is not known" : accuracy.reason,
    format: format.raw ?? 0,
  };
}

/** The reasoning of an output; null when it has none, or an empty one. */
export function getThink(text: string, question: Asked): string | null {
  const { think } = readTrace(text, toOptions(question));
  const inner = think === null ? "" : text.slice(...think);
  return inner.trim() === "" ? null : inner;
}

/**
 * Reads what a judge said.
 *
 * @param answered  Letter that the judged output gives; null when it gives none.
 * @param by  The judge, in words.
 */
export function readJudgement(said: string, answered: string | null, question: Asked, by: string): Judgement {
  const { letter } = readTrace(said, toOptions(question));
  return {
    letter,
    agrees: letter !== null && letter === answered,
    status: letter === null ? "unparsed" : "ok",
    by,
  };
}
