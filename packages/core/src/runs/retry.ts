import { EXIT_CODES } from "../wire/index.ts";
import type { AttemptSummary, RunSpec } from "./types.ts";

/** How an attempt failed, as far as trying again goes. */
export type FailureClass =
  | "interrupted"
  | "killed"
  | "gpu_memory"
  | "host_memory"
  | "diverged"
  | "judge_unavailable"
  /** Bad settings, missing data, a refused connection, a full disk, an error of the trainer: a person must act. */
  | "hopeless";

export type Failed = Pick<AttemptSummary, "verdict" | "reason" | "exit_code" | "signal">;

/** The class of an ended attempt; null when it did not fail: it is done, or somebody stopped it. */
export function failureClass({ verdict, reason, exit_code, signal }: Failed): FailureClass | null {
  if (reason === "done" || reason === "stopped") return null;
  if (verdict === "lost") return "hopeless";
  if (exit_code === EXIT_CODES.host_memory) return "host_memory";
  if (exit_code === EXIT_CODES.gpu_memory) return "gpu_memory";
  if (exit_code === EXIT_CODES.diverged) return "diverged";
  if (exit_code === EXIT_CODES.judge_unavailable) return "judge_unavailable";
  if (exit_code === 137 || signal === "SIGKILL" || verdict === "killed") return "killed";
  const isSignalled = exit_code === 130 || exit_code === 143 || signal !== null;
  if (verdict === "interrupted" || reason === "interrupted" || isSignalled) return "interrupted";
  return exit_code === EXIT_CODES.interrupted ? "interrupted" : "hopeless";
}

type Rule = {
  /** Of this class, since a person last started the run. */
  most: number;
  /** Before the first of them; each further one waits three times as long. */
  delay_secs: number;
  /** What the next attempt does otherwise. */
  eases: "micro_batch" | "learning_rate" | null;
  /** Trying again without easing it would fail in the same way. */
  must_ease: boolean;
  says: string;
};

/**
 * What is tried again by itself, and how often. What is missing here needs a person.
 *
 * @see facts of the trainer, failure table: killed and host memory once with a smaller micro-batch, GPU memory twice,
 *   diverged once from the last good checkpoint with half the learning rate
 */
export const RETRY_RULES: Record<Exclude<FailureClass, "hopeless">, Rule> = {
  interrupted: {
    most: 10,
    delay_secs: 2,
    eases: null,
    must_ease: false,
    says: "the host or a scheduler ended it",
  },
  killed: { most: 1, delay_secs: 2, eases: "micro_batch", must_ease: false, says: "it was killed" },
  gpu_memory: {
    most: 2,
    delay_secs: 2,
    eases: "micro_batch",
    must_ease: true,
    says: "the GPU's memory was not enough",
  },
  host_memory: {
    most: 1,
    delay_secs: 10,
    eases: "micro_batch",
    must_ease: true,
    says: "the host's memory was full",
  },
  diverged: {
    most: 1,
    delay_secs: 2,
    eases: "learning_rate",
    must_ease: true,
    says: "its loss was no number any more",
  },
  judge_unavailable: {
    most: 3,
    delay_secs: 30,
    eases: null,
    must_ease: false,
    says: "the judge did not answer",
  },
};

/** Longest wait before a run goes on by itself, in seconds. */
export const LONGEST_DELAY_SECS = 1800;

/** Where the spec leaves a setting out, the trainer takes these. */
const DEFAULTS = { micro_batch: 64, learning_rate: 1.2e-4 };

/** An attempt that is made without anybody asking. */
export type Retry = { delay_secs: number; overrides: Record<string, number>; why: string };

/**
 * Whether a run whose newest attempt has just ended goes on by itself, and how.
 *
 * @param attempts  All of the run, in order; the last one has ended.
 * @param max_retries  Automatic attempts one after the other, of all classes together.
 * @returns Null when a person is needed, or nothing failed.
 */
export function planRetry(
  attempts: readonly (Failed & Pick<AttemptSummary, "cause" | "overrides">)[],
  settings: RunSpec["settings"],
  max_retries: number,
): Retry | null {
  const last = attempts.at(-1);
  const failure = last ? failureClass(last) : null;
  if (!last || failure === null || failure === "hopeless") return null;
  const rule = RETRY_RULES[failure];
  const begun = attempts.findLastIndex(({ cause }) => cause === "person");
  const recent = attempts.slice(Math.max(0, begun));
  const made = recent.length - 1;
  const alike = recent.slice(0, -1).filter((attempt) => failureClass(attempt) === failure).length;
  if (made >= max_retries || alike >= rule.most) return null;
  const eased = rule.eases === null ? {} : ease(rule.eases, settings, last.overrides);
  if (rule.must_ease && Object.keys(eased).length === 0) return null;
  const delay_secs = Math.min(LONGEST_DELAY_SECS, rule.delay_secs * 3 ** alike);
  const changes = Object.entries(eased).map(([name, value]) => ` with ${name} ${value}`);
  return {
    delay_secs,
    overrides: { ...last.overrides, ...eased },
    why: `Automatic attempt ${made + 1} of at most ${max_retries}${changes.join()}: ${rule.says}.`,
  };
}

function ease(
  name: "micro_batch" | "learning_rate",
  settings: RunSpec["settings"],
  overrides: Record<string, number>,
): Record<string, number> {
  const value = Number(overrides[name] ?? settings[name] ?? DEFAULTS[name]);
  if (!(value > 0)) return {};
  if (name === "learning_rate") return { learning_rate: value / 2 };
  return value >= 2 && value % 2 === 0 ? { micro_batch: value / 2 } : {};
}
