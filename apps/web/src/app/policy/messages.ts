import type { PolicySource } from "@sightline/core/policies";
import type { Generated, LoadProgress } from "./types.ts";

/** What the worker is asked. */
export type Call =
  | { type: "load"; source: PolicySource }
  | { type: "generate"; prompt: string; max_tokens: number | null }
  | { type: "judge"; question: string; think: string; letters: readonly string[] };

/** What it tells on the way: bytes that came, or a piece of text. */
export type Note = LoadProgress | { text: string };

/** What a call comes to: nothing, what was written, or a letter. */
export type Result = { loaded: true } | { generated: Generated } | { letter: string | null };
