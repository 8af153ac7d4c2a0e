import type { PolicySource } from "@sightline/core/policies";
import type { Generated, LoadProgress } from "./types.ts";

/** What the worker is asked. */
export type Request =
  | { type: "load"; id: number; source: PolicySource }
  | { type: "generate"; id: number; prompt: string; max_tokens: number | null }
  | { type: "judge"; id: number; question: string; think: string; letters: readonly string[] }
  | { type: "cancel"; id: number };

/** A request without its number. */
export type Ask = Request extends infer R ? (R extends { type: "cancel" } ? never : Omit<R, "id">) : never;

/** What a request comes to: nothing, what was written, or a letter. */
export type Result = { loaded: true } | { generated: Generated } | { letter: string | null };

/** What it answers; the last message to an id is done, failed or cancelled. */
export type Answer =
  | ({ type: "progress"; id: number } & LoadProgress)
  | { type: "text"; id: number; text: string }
  | { type: "done"; id: number; result: Result }
  | { type: "failed"; id: number; message: string }
  | { type: "cancelled"; id: number };
