import { applyMove, MOVES, type Move } from "../worlds/moves.ts";
import { HEADINGS, type Heading } from "../worlds/types.ts";
import type { PolicyCard, PolicyLevel } from "./types.ts";

/** What a tiny policy says of a prompt before it reads it. */
export type PromptCheck =
  | { can_read: true; level: PolicyLevel }
  | {
      can_read: false;
      /** In plain words, with what it can read instead. */
      reason: string;
      /** Words that are not in its vocabulary, without doubles. */
      unknown: string[];
    };

/** White space around the tags, as the tiny policy reads them: each is a word of its own. */
export function spaceTags(text: string): string {
  return text
    .replace(/(<\/?(?:think|answer)>)/g, " $1 ")
    .trim()
    .split(/\s+/)
    .join(" ");
}

/** A heading prompt taken apart. */
export type HeadingPrompt = { start: Heading; moves: Move[] };

/** @returns Null for any other prompt, also where the moves are not numbered from 1. */
export function readHeadingPrompt(prompt: string): HeadingPrompt | null {
  const match = /^start (\w+) (.+) heading \?$/.exec(spaceTags(prompt));
  const start = HEADINGS.find((heading) => heading === match?.[1]);
  const words = match?.[2]?.split(" ") ?? [];
  if (start === undefined || words.length % 2 !== 0) return null;
  const moves = words.flatMap((word, index) => {
    if (index % 2 === 0) return [];
    const isNumbered = words[index - 1] === String((index + 1) / 2);
    return isNumbered ? MOVES.filter((move) => move === word) : [];
  });
  return moves.length === words.length / 2 ? { start, moves } : null;
}

/** Fewest and most moves of a policy's heading prompts; null when it learned none. */
export function getMoveRange(card: PolicyCard): [fewest: number, most: number] | null {
  const level = card.levels.find(({ example }) => readHeadingPrompt(example) !== null);
  if (level === undefined) return null;
  return [toMoveCount(level.words[0]), toMoveCount(level.words[1])];
}

/** `start north … heading ?` has four words besides two a move. */
const toMoveCount = (words: number) => Math.floor((words - 4) / 2);

const MANY_WORDS = 6;

/** Whether a tiny policy can read a prompt: every word is known, and it is of a kind and length that it learned. */
export function checkPrompt(card: PolicyCard, prompt: string): PromptCheck {
  const words = spaceTags(prompt).split(" ").filter(Boolean);
  const known = new Set(card.vocabulary);
  const unknown = [...new Set(words.filter((word) => !known.has(word)))];
  const refuse = (reason: string): PromptCheck => ({
    can_read: false,
    reason: `${reason} ${describeLevels(card)}`,
    unknown,
  });
  if (words.length === 0) return refuse("There is nothing to read.");
  if (unknown.length > 0) {
    const shown = unknown.slice(0, MANY_WORDS).map((word) => `“${word}”`);
    const more = unknown.length > MANY_WORDS ? ` and ${unknown.length - MANY_WORDS} more` : "";
    return refuse(`This policy knows ${card.vocabulary.length} words, and not ${shown.join(", ")}${more}.`);
  }
  const heading = readHeadingPrompt(prompt);
  const alike = card.levels.filter(
    ({ example }) => (readHeadingPrompt(example) !== null) === (heading !== null),
  );
  if (alike.length === 0)
    return refuse("This policy knows the words, but has not learned questions of this kind.");
  const level = alike.find(({ words: [fewest, most] }) => words.length >= fewest && words.length <= most);
  if (level) return { can_read: true, level };
  return refuse(
    heading
      ? `This policy has not learned ${heading.moves.length} ${heading.moves.length === 1 ? "move" : "moves"}.`
      : `This policy has not learned questions of ${words.length} words.`,
  );
}

function describeLevels(card: PolicyCard): string {
  const range = getMoveRange(card);
  if (range) return `It can tell the heading after ${range[0]} to ${range[1]} moves.`;
  const [level] = card.levels;
  return level ? `It learned questions like “${level.example}”.` : "It names no question that it learned.";
}

/** The heading that a heading prompt leads to, by rule. */
export function solveHeadingPrompt({ start, moves }: HeadingPrompt): Heading {
  return moves.reduce(applyMove, start);
}
