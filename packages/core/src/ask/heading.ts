import { HEADINGS, type Heading } from "../worlds/types.ts";
import type { Asked } from "./prompt.ts";

/** Changes with every change of how a tiny policy is asked; stored with each of its traces. */
export const TINY_PROMPT_VERSION = "heading-1";

/** The heading question in words, for a clip that begins at a heading. */
export function formatHeadingQuestion(start: Heading): string {
  return `After the moves of this clip, which way do you face, if you start facing ${start}?`;
}

/** The question that the tiny policy can answer on any clip, from the moves alone. */
export const HEADING_QUESTION = {
  task: "heading",
  text: formatHeadingQuestion("north"),
  options: [...HEADINGS] as string[],
  kind: "choice" as const,
};

/**
 * The heading that a question starts from, where it asks for the heading at the end and offers the four in the order
 * that the tiny policy has learned.
 *
 * @returns Null for any other question.
 */
export function readHeadingStart({ text, options }: Pick<Asked, "text" | "options">): Heading | null {
  const isOrdered =
    options.length === HEADINGS.length &&
    HEADINGS.every((heading, index) => options[index]?.trim().toLowerCase() === heading);
  if (!isOrdered || !/\bwhich (?:way|direction)\b/i.test(text) || !/\bfac(?:e|es|ing)\b/i.test(text))
    return null;
  const start = /\bstart(?:s|ed|ing)?(?: out| off)? (?:by )?facing (north|east|south|west)\b/i.exec(text);
  return HEADINGS.find((heading) => heading === start?.[1]?.toLowerCase()) ?? null;
}
