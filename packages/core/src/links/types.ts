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
export const LINK_RULES = 2;

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

/** A report with the way from it to the frames. */
export type CheckedLinks = LinkReport & {
  /** Of the stored completion; null for a trace that somebody asked for on a clip. */
  completion_id: number | null;
  /** The clip that the question is about; null while there is none. */
  clip: { clip_id: string; name: string } | null;
  /** A set of triples of that clip, to be shown beside its frames. */
  triple_set_id: string | null;
  /** What the way to a frame still lacks and can be made; null when it is whole, or can't be. */
  lacks: "clip" | "key_frames" | "triples" | null;
  /** How long the clip that can be rendered lasts, in seconds; null unless it is the clip that lacks. */
  film_secs: number | null;
};

/** How often each link broke first, over the wrong answers of a run. */
export type LinkCounts = {
  /** Wrong answers, and how many of them were looked at by these rules. */
  wrong: number;
  checked: number;
  is_checking: boolean;
  /** Steps a column of `cells`. */
  width: number;
  /** `broken` null: no link was found broken. `untold`: of how many something before it could not be told. */
  cells: { broken: Link | null; task: string; column: number; n: number; untold: number }[];
};
