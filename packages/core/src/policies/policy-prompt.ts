import { readHeadingStart, TINY_PROMPT_VERSION } from "../ask/heading.ts";
import { ASK_PROMPT_VERSION, type Asked, formatAskPrompt, showPrompt } from "../ask/prompt.ts";
import { leaveOut, type Strike } from "../ask/strikes.ts";
import { formatQuestion } from "../perception/layout.ts";
import type { TripleSet } from "../perception/types.ts";
import { checkPrompt } from "./check-prompt.ts";
import { toHeadingQuestion } from "./heading-prompt.ts";
import type { Policy } from "./types.ts";

/** What a policy is given to read, or why it can't read it. */
export type PolicyPrompt =
  | {
      prompt: string;
      prompt_version: string;
      /** What its reference judges by. */
      question: string;
      /** What a person should know of the prompt; null when there is nothing. */
      note: string | null;
      refused: null;
    }
  | { prompt: null; refused: string };

/**
 * Puts triples and question into the words of a policy. A tiny one reads the moves alone; to any other question it
 * says in plain words why it can't answer.
 */
export function toPolicyPrompt(
  { card }: Pick<Policy, "card">,
  triples: TripleSet["triples"],
  struck: readonly Strike[],
  asked: Asked,
): PolicyPrompt {
  if (card === null)
    return {
      prompt: showPrompt(formatAskPrompt(triples, struck, asked)),
      prompt_version: ASK_PROMPT_VERSION,
      question: asked.text,
      note: null,
      refused: null,
    };
  const start = readHeadingStart(asked);
  if (start === null) {
    const check = checkPrompt(card, formatQuestion(asked.text, asked.options));
    return { prompt: null, refused: check.can_read ? "This policy can't read this question." : check.reason };
  }
  const left = new Set(leaveOut(triples, struck).map(({ index }) => index));
  const legs = triples
    .filter(({ index }) => index > 0 && left.has(index))
    .map(({ action, motion }) => ({ action, yaw_deg: motion?.yaw_deg ?? null }));
  const { question, reason } = toHeadingQuestion(card, legs, start);
  if (question === null) return { prompt: null, refused: reason };
  return {
    prompt: question.prompt,
    prompt_version: TINY_PROMPT_VERSION,
    question: question.question,
    note: noteOn(question),
    refused: null,
  };
}

function noteOn({ added_up, unclear }: { added_up: readonly string[]; unclear: readonly number[] }) {
  const notes = [
    ...(added_up.length > 0
      ? [
          `The first ${added_up.length} moves are added up into the starting heading: the policy reads no more.`,
        ]
      : []),
    ...(unclear.length > 0
      ? [
          `${unclear.length} ${unclear.length === 1 ? "action is" : "actions are"} unclear and count as no turn.`,
        ]
      : []),
  ];
  return notes.length === 0 ? null : notes.join(" ");
}
