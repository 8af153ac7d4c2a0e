import type { Motion } from "../motion/types.ts";
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

/** A triple as it stands now, a person's edits applied, with what else is known of its key-frame. */
export type KnownTriple = Triple & {
  /** What the pictures say of the way from the key-frame before; null at the first, and where they can't be compared. */
  motion: Motion | null;
  /** Edits that stand. */
  edits: number;
};

/** What the making of a set has cost so far. */
export type TripleCost = {
  /** Calls to the endpoint, failed ones included. */
  calls: number;
  /** Answers that were known from before and cost nothing. */
  cached: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Time at work. */
  secs: number;
};

/** A set of triples without the triples. */
export type TripleSetSummary = {
  triple_set_id: string;
  clip_id: string;
  /** `settings_hash` of the key-frame selection that they describe. */
  settings_hash: string;
  /** The version of that selection whose key-frames they describe: 0 is the extractor's own. */
  selection_version: number;
  /** The question whose objects `relevant` speaks of; null when none was asked. */
  question_id: string | null;
  /** What the perceiver was told to look for: question and options, or a person's own words; may be empty. */
  question: string;
  perceiver: Perceiver;
  /** The perceiver in words: "embedded", "qwen2.5-vl-72b · lab". */
  label: string;
  /** A set that works or was cut short holds the triples that there are. */
  state: "working" | "done" | "cancelled" | "failed";
  problem: string | null;
  made_secs: number;
  /** Key-frames to describe, and how many are described. */
  key_frames: number;
  described: number;
  /** Edits that a person made and that stand. */
  edits: number;
  cost: TripleCost;
};

/** The triples of one clip's key-frames by one perceiver. */
export type TripleSet = TripleSetSummary & {
  /** In order of `index`, with a person's edits applied. */
  triples: KnownTriple[];
};

/** What a person can change of a triple. */
export type TripleFields = Pick<Triple, "action" | "change" | "relevant">;

/** One change that a person made to a triple; taking one back is a change, too. */
export type TripleEdit = {
  edit_id: number;
  index: number;
  author: string;
  made_secs: number;
  before: TripleFields;
  after: TripleFields;
  /** The edit that this one takes back; null for any other. */
  undoes: number | null;
};
