import type { LineOf } from "../wire/index.ts";
import type { FindFilter } from "./filter.ts";

/** A piece of a completion's text around the first hit, or its beginning. Offsets are UTF-16 units of `text`. */
export type Snippet = {
  text: string;
  hits: [from: number, to: number][];
  cut_before: boolean;
  cut_after: boolean;
};

/** A completion in a list of those found. */
export type FoundCompletion = {
  /** Of its stored line; names it for good. */
  completion_id: number;
  attempt: number;
  gen: number;
  step: number;
  stage: number;
  group_id: string;
  question_id: string;
  task: string;
  k: number;
  gold: string | null;
  letter: string | null;
  rule: string;
  tokens: number;
  reward: number | null;
  format: number | null;
  accuracy: number | null;
  consistency: number | null;
  judge_agrees: boolean | null;
  is_clipped: boolean;
  split: "train" | "eval";
  snippet: Snippet;
  /** Tags that people gave it. */
  tags: string[];
  notes: number;
};

/** How far the words of all completions are indexed. */
export type IndexProgress = { done: number; total: number };

export type FoundPage = {
  rows: FoundCompletion[];
  /** How many there are, up to `MOST_COUNTED`; one more than that says that there are more. */
  total: number;
  indexed: IndexProgress;
};

/** Further than this nobody counts. */
export const MOST_COUNTED = 10_000;

/** A note or a tag of a completion, in the order in which they were made. */
export type Remark = {
  remark_id: number;
  completion_id: number;
  kind: "note" | "tag";
  text: string;
  author: string;
  made_secs: number;
  /** Who took it back and when; null while it stands. */
  undone: { author: string; made_secs: number } | null;
};

/** One completion with all that was written of it. */
export type OpenedCompletion = { completion_id: number; line: LineOf<"completion">; remarks: Remark[] };

/** A filter that somebody named. */
export type FindView = {
  view_id: number;
  name: string;
  filter: FindFilter;
  author: string;
  made_secs: number;
};

/** What became of one question at one step of one attempt of a run. */
export type QuestionPoint = {
  run_id: string;
  attempt: number;
  step: number;
  /** Completions, and how many of them could be scored for accuracy. */
  n: number;
  scored: number;
  /** Means over those that were scored; null where none was. */
  accuracy: number | null;
  format: number | null;
  consistency: number | null;
  reward: number | null;
  /** How many gave each letter; "" where none was read. */
  letters: Record<string, number>;
};
