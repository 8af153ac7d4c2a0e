/** A policy that runs in this browser: a typed client of the worker that does it. */
import type { PolicySource } from "@sightline/core/policies";
import type { Answer, Ask, Request, Result } from "./messages.ts";
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

type Listeners = { onProgress?: (progress: LoadProgress) => void; onText?: (text: string) => void };
type Waiting = Listeners & { resolve(result: Result): void; reject(error: Error): void };

const cancelled = () => new DOMException("cancelled", "AbortError");

/** The worker starts at the first call. */
export function createPolicyClient(): PolicyClient {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let nextId = 1;

  const end = (error: Error) => {
    worker?.terminate();
    worker = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const hear = (answer: Answer) => {
    const asked = waiting.get(answer.id);
    if (asked === undefined) return;
    if (answer.type === "progress") return asked.onProgress?.({ loaded: answer.loaded, total: answer.total });
    if (answer.type === "text") return asked.onText?.(answer.text);
    waiting.delete(answer.id);
    if (answer.type === "done") asked.resolve(answer.result);
    else asked.reject(answer.type === "failed" ? new Error(answer.message) : cancelled());
  };

  const post = (request: Request) => {
    if (worker === null) {
      worker = new Worker(new URL("./policy-worker.ts", import.meta.url), { type: "module" });
      worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => hear(data));
      worker.addEventListener("error", ({ message }) =>
        end(new Error(`The policy's worker stopped: ${message || "it could not be loaded"}. Try again.`)),
      );
    }
    worker.postMessage(request);
  };

  const ask = async (what: Ask, listeners: Listeners, signal?: AbortSignal): Promise<Result> => {
    signal?.throwIfAborted();
    const id = nextId;
    nextId += 1;
    const cancel = () => post({ type: "cancel", id });
    try {
      return await new Promise<Result>((resolve, reject) => {
        waiting.set(id, { resolve, reject, ...listeners });
        post({ ...what, id });
        signal?.addEventListener("abort", cancel, { once: true });
      });
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  };

  return {
    async load(source, onProgress, signal) {
      await ask({ type: "load", source }, onProgress ? { onProgress } : {}, signal);
    },
    async generate(prompt, onText, { max_tokens, signal } = {}) {
      const asked = { type: "generate", prompt, max_tokens: max_tokens ?? null } as const;
      const result = await ask(asked, { onText }, signal);
      if (!("generated" in result)) throw new Error("The policy's worker answered something else.");
      return result.generated;
    },
    async judge(question, think, letters) {
      const result = await ask({ type: "judge", question, think, letters }, {});
      return "letter" in result ? result.letter : null;
    },
    close: () => end(cancelled()),
  };
}
