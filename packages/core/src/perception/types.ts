import type { Action } from "../worlds/types.ts";

/** What is wrong with a triple as it was given. */
export type TripleProblem =
  /** The text could not be split into its three points; it stands whole in `raw`. */
  | "unplaced"
  | "no_action"
  | "unknown_action"
  | "several_actions"
  | "no_change"
  | "no_relevant"
  /** It names an option or an answer, against the instruction. */
  | "leaked_answer"
  /** The pictures contradict the stated action. */
  | "contradicts_geometry";

/** What changed at one key-frame. */
export type Triple = {
  /** Position among the clip's key-frames, 0-based. */
  index: number;
  /** Ordinal of the key-frame in the clip. */
  frame: number;
  time_secs: number;
  /** Null at the first key-frame and where none could be read; "unclear" when the perceiver says that it can't tell. */
  action: Action | "unclear" | null;
  /** New objects and changed relations; at the first key-frame the whole view. */
  change: string;
  /** What matters to the question; empty when nothing does. */
  relevant: string;
  /** The perceiver's own words. */
  raw: string;
  problems: TripleProblem[];
};
