import {
  ASK_PROMPT_VERSION,
  type Asked,
  formatAskPrompt,
  getThink,
  judgeText,
  leaveOut,
  readHeadingStart,
  type Strike,
  showPrompt,
  TINY_PROMPT_VERSION,
} from "@sightline/core/ask";
import { formatQuestion, type TripleSet } from "@sightline/core/perception";
import { checkPrompt, type Policy, toHeadingQuestion } from "@sightline/core/policies";
import type { Judgement } from "@sightline/core/traces";
import type { PolicyClient } from "../policy/index.ts";

import type { Choice } from "./reasoners.ts";

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
  { card }: Policy,
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

/** What a policy wrote, and what its reference made of it. */
export type Written = {
  text: string;
  tokens: number;
  /** A sentence where it was cut; null when it came to its own end. */
  problem: string | null;
  judgement: Judgement;
};

/** Where the policy's work stands; `share` of the files that are fetched is null while it is unknown. */
export type Phase = { phase: "loading"; share: number | null } | { phase: "writing" | "judging" };

/**
 * Lets a policy of this browser reason, and its reference judge.
 *
 * @param onText  Called with each piece as it comes.
 * @throws An Error with a sentence, or an AbortError when the signal fired.
 */
export async function writeByPolicy(
  client: PolicyClient,
  { policy, reasoner }: Extract<Choice, { kind: "policy" }>,
  told: Extract<PolicyPrompt, { refused: null }>,
  asked: Asked,
  {
    signal,
    onPhase,
    onText,
  }: { signal: AbortSignal; onPhase?: (phase: Phase) => void; onText?: (piece: string) => void },
): Promise<Written> {
  const { source, max_tokens } = reasoner;
  onPhase?.({ phase: "loading", share: null });
  await client.load(
    source,
    ({ loaded, total }) => onPhase?.({ phase: "loading", share: total === null ? null : loaded / total }),
    signal,
  );
  onPhase?.({ phase: "writing" });
  const { text, tokens, finish } = await client.generate(told.prompt, (piece) => onText?.(piece), {
    max_tokens,
    signal,
  });
  onPhase?.({ phase: "judging" });
  const judgement = await judgeByReference(client, policy, text, asked, told.question);
  const problem = finish === "length" ? `Cut at the longest length, ${max_tokens} tokens.` : null;
  return { text, tokens, problem, judgement };
}

/** What the policy's frozen reference makes of a reasoning. */
async function judgeByReference(
  client: PolicyClient,
  policy: Policy,
  text: string,
  asked: Asked,
  question: string,
): Promise<Judgement> {
  const by = `reference of ${policy.name}`;
  const think = getThink(text, asked);
  if (think === null) return { letter: null, agrees: false, status: "no_think", by };
  const letters = asked.options.map((_, index) => "ABCDEFGHIJ".charAt(index));
  const letter = await client.judge(question, think, letters);
  const answered = judgeText(text, asked, "sightline").reading.letter;
  return {
    letter,
    agrees: letter !== null && letter === answered,
    status: letter === null ? "no_judge" : "ok",
    by,
  };
}
