import type { Evaluation } from "@sightline/core/evaluations";
import { toPolicyPrompt } from "@sightline/core/policies";
import { create } from "zustand";
import { client } from "../../app/clients.ts";
import { createPolicyClient, type PolicyClient } from "../../app/policy/index.ts";
import { writeByPolicy } from "../../app/reasoners/ask-policy.ts";
import type { Choice } from "../../app/reasoners/reasoners.ts";
import { refreshEvaluations } from "./use-evaluations.ts";

type PolicyChoice = Extract<Choice, { kind: "policy" }>;

/** The evaluation that this browser works on; it goes on while the workbench stays open in this tab. */
export const useWorkHere = create<{ evaluation_id: string | null; problem: string | null }>(() => ({
  evaluation_id: null,
  problem: null,
}));

let stop: AbortController | null = null;

/** Answers, one after the other, the questions that still wait. A second call ends the first. */
export function workHere(evaluation: Evaluation, choice: PolicyChoice): void {
  stopHere();
  const mine = new AbortController();
  stop = mine;
  const { evaluation_id } = evaluation;
  useWorkHere.setState({ evaluation_id, problem: null });
  const policy = createPolicyClient();
  answerAll(evaluation_id, choice, policy, mine.signal)
    .then(() => null)
    .catch((error: unknown) =>
      mine.signal.aborted ? null : error instanceof Error ? error.message : String(error),
    )
    .then((problem) => {
      policy.close();
      if (stop !== mine) return;
      stop = null;
      useWorkHere.setState({ evaluation_id: null, problem });
      void refreshEvaluations();
    });
}

export function stopHere(): void {
  stop?.abort();
  stop = null;
  useWorkHere.setState({ evaluation_id: null, problem: null });
}

async function answerAll(
  evaluation_id: string,
  choice: PolicyChoice,
  policy: PolicyClient,
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await client.evaluations.get.query({ evaluation_id });
  for (const { question_id } of rows.filter(({ state }) => state === "waiting")) {
    signal.throwIfAborted();
    const now = (await client.evaluations.list.query()).find((one) => one.evaluation_id === evaluation_id);
    // Cancelled elsewhere.
    if (now?.state !== "working") return;
    const outcome = await answerOne(evaluation_id, question_id, choice, policy, signal);
    await client.evaluations.put.mutate({ evaluation_id, question_id, ...outcome });
  }
}

async function answerOne(
  evaluation_id: string,
  question_id: string,
  choice: PolicyChoice,
  policy: PolicyClient,
  signal: AbortSignal,
): Promise<{ trace_id: string | null; problem: string | null }> {
  const question = await client.questions.get.query({ question_id });
  const triple_set_id = await client.evaluations.prepare.mutate({ evaluation_id, question_id });
  const set = await client.triples.get.query({ triple_set_id });
  const told = toPolicyPrompt(choice.policy, set.triples, [], question);
  if (told.refused !== null) return { trace_id: null, problem: told.refused };
  const began = performance.now();
  const { text, tokens, problem, judgement } = await writeByPolicy(policy, choice, told, question, {
    signal,
  });
  const { trace_id } = await client.traces.keep.mutate({
    clip_id: set.clip_id,
    question_id,
    triple_set_id,
    struck: [],
    asked_after: null,
    reasoner: choice.reasoner,
    prompt: told.prompt,
    prompt_version: told.prompt_version,
    text,
    state: "done",
    problem,
    tokens,
    secs: (performance.now() - began) / 1000,
    judgement,
  });
  return { trace_id, problem: null };
}
