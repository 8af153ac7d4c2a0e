import type { Asked, Strike } from "@sightline/core/ask";
import type { TripleSet } from "@sightline/core/perception";
import { toPolicyPrompt } from "@sightline/core/policies";
import type { TracePart } from "@sightline/core/traces";
import { useCallback, useEffect, useRef, useState } from "react";
import { client } from "../../app/clients.ts";
import { createPolicyClient, type PolicyClient } from "../../app/policy/index.ts";
import { writeByPolicy } from "../../app/reasoners/ask-policy.ts";
import type { Choice } from "../../app/reasoners/reasoners.ts";
import { putTrace } from "./use-trace.ts";

export type Ask = {
  choice: Choice;
  question_id: string;
  asked: Asked;
  set: TripleSet;
  struck: Strike[];
  asked_after: string | null;
  /** Model that judges what an endpoint's model says; null for none. */
  judge: { endpoint_id: string; model: string } | null;
};

/** What the policy in this browser has written so far. */
export type Writing = { text: string; phase: "loading" | "writing" | "judging"; share: number | null };

type Kept = Parameters<typeof client.traces.keep.mutate>[0];

export type Asking = {
  /** Null when no policy works in this browser. */
  writing: Writing | null;
  /** An endpoint is being called for the first time. */
  is_sending: boolean;
  /** Why the last one could not be asked or kept, in plain words. */
  problem: string | null;
  /** A trace that the server did not take; it can be kept again. */
  unkept: Kept | null;
  ask(ask: Ask): void;
  /** Stops the policy of this browser. */
  stop(): void;
  keepAgain(): void;
  clear(): void;
};

const say = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * Asks a reasoner: a model behind an endpoint through the server, a policy in this browser.
 *
 * @param onTrace  Called with each new trace, once the server has it.
 */
export function useAsk(onTrace: (trace: TracePart) => void): Asking {
  const [writing, setWriting] = useState<Writing | null>(null);
  const [is_sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [unkept, setUnkept] = useState<Kept | null>(null);
  const policy = useRef<PolicyClient | null>(null);
  const stopping = useRef<AbortController | null>(null);
  useEffect(
    () => () => {
      stopping.current?.abort();
      policy.current?.close();
      policy.current = null;
    },
    [],
  );

  const keep = async (kept: Kept) => {
    try {
      const trace = await client.traces.keep.mutate(kept);
      setUnkept(null);
      putTrace(trace);
      onTrace(trace);
    } catch (error) {
      setUnkept(kept);
      setProblem(`The trace could not be kept: ${say(error)}`);
    }
  };

  const askPolicy = async ({ choice, asked, set, struck, question_id, asked_after }: Ask) => {
    if (choice.kind !== "policy") return;
    const told = toPolicyPrompt(choice.policy, set.triples, struck, asked);
    if (told.refused !== null) return setProblem(told.refused);
    const stop = new AbortController();
    stopping.current = stop;
    policy.current ??= createPolicyClient();
    const { reasoner } = choice;
    const began = performance.now();
    let text = "";
    const make = (rest: Pick<Kept, "state" | "problem" | "tokens" | "judgement">): Kept => ({
      clip_id: set.clip_id,
      question_id,
      triple_set_id: set.triple_set_id,
      struck,
      asked_after,
      reasoner,
      prompt: told.prompt,
      prompt_version: told.prompt_version,
      text,
      secs: (performance.now() - began) / 1000,
      ...rest,
    });
    try {
      const written = await writeByPolicy(policy.current, choice, told, asked, {
        signal: stop.signal,
        onPhase: (phase) => setWriting({ text, share: null, ...phase }),
        onText(piece) {
          text += piece;
          setWriting({ text, phase: "writing", share: null });
        },
      });
      text = written.text;
      const { tokens, problem: cut, judgement } = written;
      await keep(make({ state: "done", problem: cut, tokens, judgement }));
    } catch (error) {
      const is_stopped = stop.signal.aborted;
      if (!is_stopped) setProblem(say(error));
      if (text !== "")
        await keep(
          make({
            state: is_stopped ? "cancelled" : "failed",
            problem: is_stopped ? null : say(error),
            tokens: null,
            judgement: null,
          }),
        );
    } finally {
      setWriting(null);
    }
  };

  const askEndpoint = async ({ choice, set, struck, question_id, asked_after, judge }: Ask) => {
    if (choice.kind !== "endpoint") return;
    setSending(true);
    try {
      const trace = await client.traces.ask.mutate({
        clip_id: set.clip_id,
        question_id,
        triple_set_id: set.triple_set_id,
        struck,
        asked_after,
        reasoner: choice.reasoner,
        judge,
      });
      putTrace(trace);
      onTrace(trace);
    } catch (error) {
      setProblem(say(error));
    } finally {
      setSending(false);
    }
  };

  return {
    writing,
    is_sending,
    problem,
    unkept,
    ask(ask) {
      setProblem(null);
      void (ask.choice.kind === "policy" ? askPolicy(ask) : askEndpoint(ask));
    },
    stop: () => stopping.current?.abort(),
    keepAgain() {
      setProblem(null);
      if (unkept) void keep(unkept);
    },
    clear: useCallback(() => setProblem(null), []),
  };
}
