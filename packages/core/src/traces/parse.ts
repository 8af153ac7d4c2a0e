import {
  type Block,
  findBlocks,
  findCompletionStart,
  findContentEnd,
  opensThink,
  type Span,
} from "./blocks.ts";
import { type LetterRule, type Options, readLetter } from "./letter.ts";

/** How one reasoning output was read. */
export type TraceReading = {
  /** Inside of the reasoning that counts, the first one; null without any. */
  think: Span | null;
  /** Inside of the answer block that was graded, the last one; null without any. */
  answer: Span | null;
  letter: string | null;
  /** The rule by which the letter was read, or "none". */
  rule: LetterRule | "none";
  /** Why no letter was read; null when one was. */
  reason: string | null;
  /** One reasoning, then one answer, both opened and closed, and nothing around them. */
  is_well_formed: boolean;
  /** What is wrong with the tags, in words; empty when well-formed. */
  problems: string[];
  /** All blocks, for a view that shows them. */
  blocks: Block[];
};

function listProblems(
  text: string,
  from: number,
  to: number,
  blocks: readonly Block[],
  isOpened: boolean,
): string[] {
  const problems: string[] = [];
  for (const tag of ["think", "answer"] as const) {
    const own = blocks.filter((block) => block.tag === tag);
    if (own.length === 0) problems.push(`no ${tag} block`);
    if (own.length > 1) problems.push(`${own.length} ${tag} blocks`);
    if (own.some((block) => !block.opened) && !isOpened) problems.push(`opening ${tag} tag missing`);
    if (own.some((block) => !block.closed)) problems.push(`${tag} tag not closed`);
  }
  const firstThink = blocks.findIndex((block) => block.tag === "think");
  const firstAnswer = blocks.findIndex((block) => block.tag === "answer");
  if (firstThink >= 0 && firstAnswer >= 0 && firstAnswer < firstThink) problems.push("answer before think");
  let outside = "";
  let at = from;
  for (const block of blocks) {
    outside += text.slice(at, block.outer[0]);
    at = Math.max(at, block.outer[1]);
  }
  outside += text.slice(at, to);
  if (outside.trim() !== "" && blocks.length > 0) problems.push("text outside the tags");
  return problems;
}

/**
 * Reads one reasoning output by the rule set `sightline`.
 *
 * @param text  The completion; when it holds its prompt too, only what follows the last assistant marker is read.
 * @param prompt  What the model was given; null when unknown. A prompt that ends in `<think>` opens the reasoning.
 */
export function readTrace(text: string, options: Options, prompt: string | null = null): TraceReading {
  const from = findCompletionStart(text);
  const to = Math.max(from, findContentEnd(text));
  const isOpened = opensThink(prompt) || opensThink(text.slice(0, from));
  const found = findBlocks(text, from, to);
  const blocks =
    isOpened && !found.some((block) => block.tag === "think")
      ? [
          { tag: "think", outer: [from, to], inner: [from, to], opened: false, closed: false } as Block,
          ...found,
        ]
      : found;
  const problems = listProblems(text, from, to, blocks, isOpened);
  const think = blocks.find((block) => block.tag === "think")?.inner ?? null;
  const graded = blocks.findLast((block) => block.tag === "answer");
  const lastThink = blocks.findLast((block) => block.tag === "think" && block.closed);
  const reading = graded
    ? readLetter(text.slice(...graded.inner), options, true)
    : readLetter(text.slice(lastThink?.outer[1] ?? from, to), options, false);
  return {
    think,
    answer: graded?.inner ?? null,
    letter: reading.letter,
    rule: reading.rule ?? "none",
    reason: reading.reason,
    is_well_formed: problems.length === 0,
    problems,
    blocks,
  };
}

/**
 * The letter of a gold answer, bare (`B`, `b`, `B.`) or wrapped (`<answer>B</answer>`).
 *
 * @returns Null when it can't be read as one of the options; then nothing can be scored against it.
 */
export function readGold(gold: string | null, options: Options): string | null {
  if (gold === null) return null;
  const inner = /<answer>([\s\S]*?)<\/answer>/.exec(gold)?.[1] ?? gold;
  const reading = readLetter(inner, options, true);
  return reading.rule === "declared" || reading.rule === "bracketed" ? null : reading.letter;
}
