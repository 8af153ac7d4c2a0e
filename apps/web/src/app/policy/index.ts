/** A policy that runs in this browser: a typed client of the worker that does it. */
import type { PolicySource } from "@sightline/core/policies";
import { createWorkerCalls } from "../worker-calls/client.ts";
import type { Call, Note, Result } from "./messages.ts";
import type { Generated, GenerateOptions, LoadProgress } from "./types.ts";

export type { Generated, GenerateOptions, LoadProgress } from "./types.ts";

/**
 * One worker for policies. Promises reject with an Error whose message is a sentence, or with an AbortError when
 * their signal fired.
 */
export type PolicyClient = {
  /** Fetches a policy's files and makes it ready; what was loaded before goes. Loading the same again costs nothing. */
  load(
    source: PolicySource,
    onProgress?: (progress: LoadProgress) => void,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Writes greedily what follows a prompt; `onText` gets each piece as it comes. */
  generate(prompt: string, onText: (text: string) => void, options?: GenerateOptions): Promise<Generated>;
  /**
   * The letter that the policy's frozen reference reads out of a reasoning, by the greatest logit, as the trainer's
   * judge does; it sees question and reasoning only.
   *
   * @param letters  Of the question's options, in order.
   * @returns Null when the policy has no reference.
   */
  judge(question: string, think: string, letters: readonly string[]): Promise<string | null>;
  /** Ends the worker and frees its memory; calls that wait are rejected. A later call starts another one. */
  close(): void;
};

/** The worker starts at the first call. */
export function createPolicyClient(): PolicyClient {
  const { call, close } = createWorkerCalls<Call, Note, Result>(
    () => new Worker(new URL("./policy-worker.ts", import.meta.url), { type: "module" }),
    "The policy's worker",
  );
  return {
    async load(source, onProgress, signal) {
      const onNote = (note: Note) => "loaded" in note && onProgress?.(note);
      await call({ type: "load", source }, { onNote, signal });
    },
    async generate(prompt, onText, { max_tokens, signal } = {}) {
      const onNote = (note: Note) => "text" in note && onText(note.text);
      const result = await call(
        { type: "generate", prompt, max_tokens: max_tokens ?? null },
        { onNote, signal },
      );
      if (!("generated" in result)) throw new Error("The policy's worker answered something else.");
      return result.generated;
    },
    async judge(question, think, letters) {
      const result = await call({ type: "judge", question, think, letters });
      return "letter" in result ? result.letter : null;
    },
    close,
  };
}
