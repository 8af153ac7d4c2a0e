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

/**
 * Who gave the triples.
 *
 * `embedded`: geometry and a small detector, no network. `openai`: a vision model behind an OpenAI-compatible endpoint.
 * `oracle`: the ground truth of a world. `imported`: a file made elsewhere.
 */
export type Perceiver =
  | { kind: "embedded"; version: string }
  | {
      kind: "openai";
      endpoint_id: string;
      model: string;
      prompt_version: string;
      temperature: number;
      /** Longer side of the pictures that were sent, in pixels. */
      image_px: number;
    }
  | { kind: "oracle"; version: string }
  | { kind: "imported"; source: string };

/** The triples of one clip's key-frames by one perceiver. */
export type TripleSet = {
  triple_set_id: string;
  clip_id: string;
  /** `settings_hash` of the key-frame selection that they describe. */
  settings_hash: string;
  /** The question whose objects `relevant` speaks of; null when none was asked. */
  question_id: string | null;
  perceiver: Perceiver;
  /** A set that works or was cut short holds the triples that there are. */
  state: "working" | "done" | "cancelled" | "failed";
  problem: string | null;
  made_secs: number;
  /** In order of `index`, with a person's edits applied. */
  triples: Triple[];
};
