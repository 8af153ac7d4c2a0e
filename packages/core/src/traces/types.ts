import type { Asked } from "../ask/prompt.ts";
import type { Strike } from "../ask/strikes.ts";
import type { TripleSet } from "../perception/types.ts";
import type { TraceReading } from "./parse.ts";

/** Who reasons: a model behind an endpoint, or a policy that runs in the browser. */
export type Reasoner =
  | { kind: "openai"; endpoint_id: string; model: string; temperature: number; max_tokens: number }
  | {
      kind: "onnx";
      /** Where the model's files lie: a run's export, a folder that was added, or a hub id. */
      source:
        | { kind: "run"; run_id: string }
        | { kind: "folder"; model_id: string }
        | { kind: "hub"; id: string };
      max_tokens: number;
    };

/** What the judge said of a reasoning: the letter that follows from question and reasoning alone. */
export type Judgement = {
  /** Null when it gave none. */
  letter: string | null;
  /** It equals the letter that was answered. */
  agrees: boolean;
  status: "ok" | "no_think" | "timeout" | "http_error" | "unparsed" | "no_judge";
  /** Model that judged, in words. */
  by: string;
};

/** One reasoning output on a clip, stored. */
export type Trace = {
  trace_id: string;
  clip_id: string;
  question_id: string;
  triple_set_id: string | null;
  reasoner: Reasoner;
  /** The question as it was asked. */
  question: Asked;
  /** The triples as they stood, before anything was struck out. */
  triples: TripleSet["triples"];
  struck: Strike[];
  /** Everything that the reasoner read. */
  prompt: string;
  prompt_version: string;
  /** The trace that this one was asked after, with something struck out or edited; null for a first one. */
  asked_after: string | null;
  /** What came, a separate reasoning put between think tags. */
  text: string;
  /** A trace that was stopped or failed keeps what had come. */
  state: "streaming" | "done" | "cancelled" | "failed";
  problem: string | null;
  /** Null while nothing has come. */
  reading: TraceReading | null;
  /** In [0, 1]; null while it streams, and where there is no gold to hold it to. */
  accuracy: number | null;
  judgement: Judgement | null;
  tokens: number | null;
  secs: number | null;
  made_secs: number;
};

/** A trace as a list shows it. */
export type TraceSummary = Omit<Trace, "text" | "prompt" | "triples">;

/** A trace as far as it has been told: `text` is the beginning of a text of `chars` UTF-16 code units. */
export type TracePart = Trace & { chars: number };

/** What has come to a trace since it was last told of: `text` goes on at `from`. */
export type TraceGrowth = Pick<
  TracePart,
  "text" | "chars" | "state" | "problem" | "reading" | "accuracy" | "judgement" | "tokens" | "secs"
> & { from: number };
