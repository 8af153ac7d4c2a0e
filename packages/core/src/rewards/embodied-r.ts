/**
 * Scoring as the released Embodied-R code does it, faults included: `train/reward/choice_accuracy_reward.py` and the
 * built-in format reward of ms-swift that its scripts name. The whole completion is searched, letters A–H in either
 * case, so that "because a shop" reads as A. Kept apart from our own scores and only for comparison.
 */

const FROM_THINK_TO_ANSWER = /<\/think>\s*<answer>/;

/**
 * Format as ms-swift checks it, from the first character to the last, no white space before or behind:
 * `^<think>.*?</think>\s*<answer>.*?</answer>$`, told in time that grows with the length only.
 */
function isFormatted(text: string): boolean {
  if (!text.startsWith("<think>") || !text.endsWith("</answer>")) return false;
  const inner = text.slice("<think>".length, -"</answer>".length);
  return FROM_THINK_TO_ANSWER.test(inner);
}

function findLast(text: string, pattern: RegExp): string | undefined {
  let last: string | undefined;
  for (const match of text.matchAll(pattern)) last = match[1];
  return last;
}

const BOXED = /\$\\boxed\{([a-h])\}\$/gi;
const AFTER_ANSWER = /answer\s+([a-h])/i;
/** These use up the character before the letter, as the released ones do: of "A B" only A is seen. */
const WITH_DOT = /(?:^|[^a-z])([a-h])\s*\./gi;
const ALONE = /(?:^|[^a-z])([a-h])(?:$|[^a-z])/gi;

export type ReleasedReading = {
  format: 0 | 1;
  letter: string | null;
  /** What is compared with the gold answer: the letter, or the whole text in capitals when there is none. */
  answer: string;
};

/** The letter by the released order of search: last boxed, first "answer X", last "X.", last lone letter. */
function findReleasedLetter(text: string): string | null {
  const found =
    findLast(text, BOXED) ??
    AFTER_ANSWER.exec(text)?.[1] ??
    findLast(text, WITH_DOT) ??
    findLast(text, ALONE);
  return found?.toUpperCase() ?? null;
}

export function readReleased(text: string): ReleasedReading {
  const stripped = text.trim();
  const letter = findReleasedLetter(stripped);
  return { format: isFormatted(text) ? 1 : 0, letter, answer: letter ?? stripped.toUpperCase() };
}
