import type { Question } from "../benchmarks/types.ts";
import type { TripleFields } from "../perception/types.ts";
import type { Action, World } from "../worlds/types.ts";

/** From the video to the letter, in the order in which each leads to the next. */
export const LINKS = [
  "clip",
  "key_frames",
  "triples",
  "fact",
  "reasoning",
  "conclusion",
  "extraction",
] as const;
export type Link = (typeof LINKS)[number];

/** Raised whenever the rules say something else of the same evidence: what was stored under another one is looked at anew. */
export const LINK_RULES = 1;

/** What each link says when it holds, for headings. */
export const LINK_WORDS: Record<Link, string> = {
  clip: "Clip decoded",
  key_frames: "Key-frames cover the moment",
  triples: "Triples agree with the truth",
  fact: "The needed fact is in the triples",
  reasoning: "The reasoning states it",
  conclusion: "The conclusion follows",
  extraction: "The answer was read as meant",
};

/** The same in one or two words, for tables. */
export const LINK_NAMES: Record<Link, string> = {
  clip: "clip",
  key_frames: "key-frames",
  triples: "triples",
  fact: "fact",
  reasoning: "reasoning",
  conclusion: "conclusion",
  extraction: "reading",
};

/** `unknown`: there is nothing to tell by. */
export type LinkState = "holds" | "fails" | "unknown";

/** Something to look at. Spans are UTF-16 code units. */
export type Look = {
  /** In a word or two: "move 3", "key-frame 4". */
  label: string;
  /** Number of the move in the prompt (from 1), or of the key-frame (from 0), that it is about; null for none. */
  point: number | null;
} & (
  | { kind: "frame"; frame: number; time_secs: number }
  /** A piece of the completion, or of the prompt. */
  | { kind: "text" | "prompt"; from: number; to: number }
);

export type LinkCheck = {
  link: Link;
  state: LinkState;
  /** Why, in words for a person. */
  sentence: string;
  looks: Look[];
};

export type LinkReport = {
  /** `LINK_RULES` of those that said it. */
  rules: number;
  /** One of each link, in order. */
  checks: LinkCheck[];
  /** The first that fails; null when none does. */
  broken: Link | null;
  /** Those before it, or all where none fails, of which nothing can be told. */
  untold: Link[];
  sentence: string;
};

/** A key-frame of the clip, in the order of time. */
export type LinkFrame = { frame: number; time_secs: number };

/** A triple as the policy was given it, with what others say of its action. */
export type LinkTriple = TripleFields & {
  index: number;
  /** Whether geometry's word on the action agrees, and what it saw; null where it has none. */
  geometry: { agrees: boolean; reason: string } | null;
  /** A person's word on the action: what is right, null where only that it is wrong; undefined where nobody spoke. */
  person?: Action | "unclear" | null;
};

/** All that a verdict may rest on. What is not known is null. */
export type LinkEvidence = {
  /** The completion, whole. */
  text: string;
  prompt: string | null;
  /** It was cut at the longest length. */
  is_cut: boolean;
  /** The letter that counted; null when none was read. */
  letter: string | null;
  question: Pick<Question, "text" | "options" | "gold" | "kind" | "task">;
  judges: readonly { variant: string; letter: string | null; status: string }[];
  /** The world that the question asks about. */
  world: World | null;
  /** True when the prompt was written from the world's truth, not from triples of the clip. */
  is_from_truth: boolean;
  clip: { state: "ready" | "partial" | "reading" | "refused"; problem: string | null } | null;
  key_frames: readonly LinkFrame[] | null;
  /** Times of all frames of the clip by their ordinal; null without a clip. */
  frame_times: ArrayLike<number> | null;
  /** The triples of the prompt where they are stored; null where the prompt alone has them. */
  triples: readonly LinkTriple[] | null;
  /** The stretch of the clip that the question asks about, in seconds. */
  moment: readonly [from_secs: number, to_secs: number] | null;
};
