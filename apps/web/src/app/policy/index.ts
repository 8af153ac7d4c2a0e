/** A policy that runs in this browser: a typed client of the worker that does it. */
import type { PolicySource } from "@sightline/core/policies";

/** Files of a model that are being fetched, in bytes; `total` is null while it is unknown. */
export type LoadProgress = { loaded: number; total: number | null };

export type GenerateOptions = {
  /** Most tokens to write; the policy's own limit by default. */
  max_tokens?: number;
  signal?: AbortSignal;
};

/** What was written. `finish` is `length` when the limit came before the policy's own end. */
export type Generated = { text: string; tokens: number; finish: "eos" | "length" };

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
  /** Ends the worker and frees its memory; calls that wait are rejected. */
  close(): void;
};

export function createPolicyClient(): PolicyClient {
  const notYet = async (): Promise<never> => {
    throw new Error("Policies can't run in the browser yet.");
  };
  return { load: notYet, generate: notYet, judge: notYet, close() {} };
}
