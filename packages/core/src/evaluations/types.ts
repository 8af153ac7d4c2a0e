import type { Reasoner, Trace } from "../traces/types.ts";

/** One question of an evaluation and what came of it. */
export type EvaluationRow = {
  question_id: string;
  /** 0-based place in the evaluation. */
  place: number;
  clip_id: string | null;
  task: string;
  text: string;
  gold: string | null;
  /**
   * waiting: not asked yet; answered: a trace came to its end; failed: the reasoner could not be asked, or broke off;
   * left_out: the question can't be asked, and `problem` says why.
   */
  state: "waiting" | "answered" | "failed" | "left_out";
  problem: string | null;
  trace_id: string | null;
  letter: string | null;
  /** In [0, 1]; null while waiting, and where there is no gold. */
  accuracy: number | null;
  /** 1 when the tags are as they should be, 0 when not; null where nothing was written. */
  format: number | null;
  tokens: number | null;
  /** What the judge said; null where nobody judged. */
  agrees: boolean | null;
  /** The label prior's guess; see `guessByPrior`. */
  prior: string | null;
};

/** A model that a run on a host asked: a checkpoint of another run there, or a model as it is. */
export type HostModel = {
  kind: "host";
  run_id: string;
  host_id: string;
  model: string;
  /** `RUN_ID/STEP`; null for the model before any training. */
  checkpoint: string | null;
  /** Which questions of the set were set aside when it began, and why; null for none. */
  set_aside: string | null;
};

/** A model that a run on a host may ask: a checkpoint of a run, on its host, or a model that a host has fetched. */
export type HostChoice =
  | { kind: "checkpoint"; run_id: string; step: number }
  | {
      kind: "hub";
      host_id: string;
      model: string;
      /** Tokens that its longest answer may have. */
      max_tokens: number;
    };

/** What of a set a model on a host can be asked, before anything begins. */
export type HostPlan = {
  questions: number;
  /** A sentence each, with a count. */
  set_aside: string[];
};

/** How it was asked, by name: what two evaluations must share to be compared. */
export type EvaluationCard = Record<string, string | number | boolean | null>;

/** Answers of one reasoner to one question set. */
export type Evaluation = {
  evaluation_id: string;
  name: string;
  set_id: string;
  /** Null for the whole set. */
  side: "train" | "val" | "test" | null;
  reasoner: Reasoner | HostModel;
  /** Null while a host has not said it yet. */
  card: { hash: string; values: EvaluationCard } | null;
  judge: { endpoint_id: string; model: string } | null;
  /**
   * working: an onnx reasoner works in a browser, as long as its page is open; cancelling: a run on a host was told to
   * end, and has not yet.
   */
  state: "working" | "cancelling" | "done" | "cancelled" | "failed";
  problem: string | null;
  made_secs: number;
  questions: number;
  waiting: number;
};

/** True where something failed on the way to an answer, which may go well another time. */
export function canBeAskedAgain({ state, clip_id }: Pick<EvaluationRow, "state" | "clip_id">): boolean {
  return state === "failed" || (state === "left_out" && clip_id !== null);
}

/** Rows that count for accuracy: those with a gold answer that were asked. What could not be read counts as wrong. */
export type Tally = {
  n: number;
  /** Mean accuracy in [0, 1]; null when n is 0. */
  accuracy: number | null;
  /** 95 % interval of the accuracy, answers on one clip taken together; null when n is 0. */
  interval: readonly [low: number, high: number] | null;
  /** Clips that the questions are on. */
  clips: number;
  /** Accuracy in [0, 1] of the label prior on the same questions; null where it knows no such question. */
  prior: number | null;
  /** Share of well-formed outputs in [0, 1]; null where nothing was written. */
  format: number | null;
  /** Middle length of the outputs in tokens; null where no lengths are known. */
  tokens: number | null;
  /** Judged right answers, and those of them that are consistent. */
  judged: number;
  consistent: number;
};

export type EvaluationTally = {
  tasks: ({ task: string } & Tally)[];
  /** Over all questions. */
  micro: Tally;
  /** Mean of the tasks' accuracies, and of the label prior's; null where there is none. */
  macro: number | null;
  macro_prior: number | null;
  /** How often each letter was answered, and how often it was right, A first; what was read as no letter is left out. */
  letters: { letter: string; answered: number; gold: number }[];
};

/** An outcome as it is put down. */
export type Outcome = { trace: Pick<Trace, "trace_id">; problem: null } | { trace: null; problem: string };
