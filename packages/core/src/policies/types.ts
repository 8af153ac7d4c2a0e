import { z } from "zod";
import type { Reasoner } from "../traces/types.ts";

/** Where a policy's files lie: a run's export, a folder that was added under `models`, or a hub id. */
export type PolicySource = Extract<Reasoner, { kind: "onnx" }>["source"];

/** One kind of question that a tiny policy was trained on. */
const PolicyLevel = z.object({
  task: z.string(),
  /** A prompt that it was trained on. */
  example: z.string(),
  /** Fewest and most words of its prompts. */
  words: z.tuple([z.int(), z.int()]),
  /** The options of all its questions, in their fixed order; null where they differ. */
  options: z.array(z.string()).nullable(),
});
export type PolicyLevel = z.infer<typeof PolicyLevel>;

/** `policy.json` of an export: what the tiny policy is, and what it can read. Written by the trainer. */
export const PolicyCard = z.object({
  version: z.literal(1),
  run_id: z.string(),
  /** Name of the run when it was exported. */
  name: z.string(),
  step: z.int(),
  seed: z.int(),
  is_tiny: z.literal(true),
  parameters: z.int(),
  /** Every word that it knows, special tokens included, in the order of their ids. */
  vocabulary: z.array(z.string()),
  levels: z.array(PolicyLevel),
  max_completion_tokens: z.int(),
  /** The frozen reference, which judges, lies in `reference/`. */
  has_reference: z.boolean(),
  /** Held-out answers at this step; null when none were asked then. */
  held_out: z
    .object({
      n: z.number(),
      accuracy: z.number().nullable(),
      low: z.number().nullable(),
      high: z.number().nullable(),
      format: z.number().nullable(),
    })
    .nullable(),
  made_secs: z.number(),
});
export type PolicyCard = z.infer<typeof PolicyCard>;

/** Weights of a model folder in transformers.js's names. */
export type PolicyDtype = "fp32" | "fp16" | "q8" | "q4" | "q4f16";

/** A policy that a browser can run. */
export type Policy = {
  source: PolicySource;
  name: string;
  /** Null for a model that is not one of ours. */
  card: PolicyCard | null;
  /** The smallest loss of precision among the files that are there; null for the hub, where the browser looks. */
  dtype: PolicyDtype | null;
  /** Null for the hub, whose files aren't here. */
  bytes: number | null;
  made_secs: number;
  /** Why it can't be loaded, and what to do; null when it can. */
  problem: string | null;
};

/** Path below `/media/policies/` under which a source's files are served; the server sends on to the hub's. */
export function getPolicyPath(source: PolicySource): string {
  if (source.kind === "run") return `runs/${source.run_id}`;
  if (source.kind === "folder") return `folders/${source.model_id}`;
  return `hub/${source.id}`;
}
