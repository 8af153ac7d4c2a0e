import type { Question } from "../benchmarks/types.ts";
import { formatQuestion, formatVideoText } from "../perception/layout.ts";
import type { Triple } from "../perception/types.ts";
import { leaveOut, type Strike } from "./strikes.ts";

/** Changes with every change of the words below; stored with each trace. */
export const ASK_PROMPT_VERSION = "ask-1";

/** What a question is to a reasoner and to the one who scores its answer. */
export type Asked = Pick<Question, "text" | "options" | "gold" | "kind" | "task">;

/** Messages for a model that reads prose. */
export type ChatPrompt = { system: string; user: string };

const THINK =
  "You are given a written account of what an agent saw on its way, and a question about it. Reason first, step by step, between <think> and </think>, and name the frames that you rely on, such as Frame 3.";
const CHOOSE =
  "Then write the letter of one option, and nothing else, between <answer> and </answer>. It must be the option that your reasoning leads to.";
const COUNT =
  "Then write one number, and nothing else, between <answer> and </answer>. It must be the number that your reasoning leads to.";

/** What a model behind an endpoint is asked: the account that is left of the triples, then the question. */
export function formatAskPrompt(
  triples: readonly Triple[],
  strikes: readonly Strike[],
  question: Asked,
): ChatPrompt {
  return {
    system: `${THINK} ${question.kind === "number" ? COUNT : CHOOSE}`,
    user: formatVideoText(leaveOut(triples, strikes), formatQuestion(question.text, question.options)),
  };
}

/** What the judge is asked: question and reasoning alone, without the account. */
export function formatJudgePrompt(question: Asked, think: string): ChatPrompt {
  return {
    system:
      "A question follows, and somebody's reasoning about it. You can't see what it is about. Say which option the reasoning leads to, with one letter only.",
    user: `Question: ${formatQuestion(question.text, question.options)}\n\nReasoning: ${think.trim()}`,
  };
}

/** One text of both messages, as it is stored and shown. */
export function showPrompt({ system, user }: ChatPrompt): string {
  return `${system}\n\n${user}`;
}
