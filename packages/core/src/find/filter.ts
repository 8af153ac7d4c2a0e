import { z } from "zod";
import { LINKS } from "../links/types.ts";

const PartValue = z.enum(["full", "part", "none", "unscored"]);

export const FLAGS = [
  "clipped",
  "tag_missing",
  "tag_doubled",
  "tag_out_of_order",
  "judge_failed",
  "zero_signal",
] as const;
/** Something that catches the eye of a completion, or of its group. */
export type Flag = (typeof FLAGS)[number];

/** Which completions of a run to find; what is left out is not asked for. The URL and a saved view hold this. */
export const FindFilter = z.object({
  /** Words that the text holds: see `parseWords`. */
  words: z.string().max(500).optional(),
  task: z.string().max(200).optional(),
  question: z.string().max(500).optional(),
  /** 0-based index. */
  stage: z.int().min(0).optional(),
  /** How the letter was read. */
  rule: z.string().max(200).optional(),
  /** The letter that was read; "" where none was. */
  letter: z.string().max(20).optional(),
  /** Raw values of the reward parts: 1, between, 0, or not scored. */
  format: PartValue.optional(),
  accuracy: PartValue.optional(),
  consistency: PartValue.optional(),
  /** What the judge said of the reasoning. */
  judge: z.enum(["agrees", "disagrees", "failed", "none"]).optional(),
  flag: z.enum(FLAGS).optional(),
  /** The first link that broke, of wrong answers; "none": no link was found broken. */
  broken: z.enum([...LINKS, "none"]).optional(),
  /** Length in tokens, both ends included. */
  shortest: z.int().min(0).optional(),
  longest: z.int().min(0).optional(),
  from_step: z.int().min(0).optional(),
  to_step: z.int().min(0).optional(),
  split: z.enum(["train", "eval"]).optional(),
  /** A tag that somebody gave. */
  tag: z.string().max(60).optional(),
});
export type FindFilter = z.infer<typeof FindFilter>;
