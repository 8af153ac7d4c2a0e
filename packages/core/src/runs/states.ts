import { EXIT_CODES } from "../wire/index.ts";
import type { AttemptSummary, RunState } from "./types.ts";

/** What the state of a run rests on. */
export type StateFacts = {
  /** The newest attempt. */
  attempt: Pick<AttemptSummary, "verdict" | "ended" | "reason" | "exit_code" | "signal" | "attempt">;
  /** False until the host confirmed the launch. */
  launched: boolean;
  stop_requested: boolean;
};

/**
 * The state of a run from its newest attempt. Silence never ends one: only an ended attempt (proven dead and read to
 * its last line) gives an end state.
 */
export function runState({ attempt, launched, stop_requested }: StateFacts): RunState {
  if (!attempt.ended) {
    if (attempt.verdict === "unreachable") return launched ? "unreachable" : "launching";
    if (stop_requested) return "stopping";
    if (!launched || attempt.verdict === "starting" || attempt.verdict === "lost") return "launching";
    if (attempt.verdict === "stalled" || attempt.verdict === "orphaned") return attempt.verdict;
    return "running";
  }
  if (attempt.reason === "done") return "done";
  if (stop_requested || attempt.reason === "stopped") return "stopped";
  if (attempt.verdict === "lost") return "lost";
  if (attempt.reason === "interrupted" || attempt.exit_code === EXIT_CODES.interrupted) return "interrupted";
  if (attempt.reason === "failed")
    return attempt.signal === null || attempt.exit_code === EXIT_CODES.host_memory ? "failed" : "interrupted";
  return attempt.verdict === "killed" || attempt.verdict === "interrupted" ? "interrupted" : "failed";
}

/** True for states that a run does not leave by itself. */
export function isEndState(state: RunState): boolean {
  return ["done", "stopped", "interrupted", "failed", "lost"].includes(state);
}

const BY_EXIT_CODE: Record<number, string> = {
  [EXIT_CODES.bad_spec]:
    "The trainer refused the settings. Correct them and launch again; the log says which one.",
  [EXIT_CODES.missing_input]: "Data or the model is missing on the host. Send it again, then resume.",
  [EXIT_CODES.judge_unavailable]: "The judge did not answer. Bring it back, then resume.",
  [EXIT_CODES.internal]: "The trainer stopped with an error of its own. The log's end says where.",
  [EXIT_CODES.gpu_memory]: "The GPU's memory was not enough. Resume with a smaller micro-batch.",
  [EXIT_CODES.host_memory]: "The host's memory was full. Free some or take a smaller batch, then resume.",
  [EXIT_CODES.disk]: "The host's disk is full. Free some space, then resume.",
  [EXIT_CODES.interrupted]:
    "The host asked the run to leave; a checkpoint was saved. Resume goes on from it.",
  [EXIT_CODES.diverged]:
    "The loss is no number any more. Go back to a good checkpoint with half the learning rate.",
  [EXIT_CODES.host_auth]: "The host refused the connection. Check its key and the account.",
};

/** What happened to an ended attempt and what to do, in a sentence; null when all is well. */
export function endProblem(
  attempt: Pick<AttemptSummary, "verdict" | "reason" | "exit_code" | "signal">,
): string | null {
  if (attempt.reason === "done" || attempt.reason === "stopped") return null;
  if (attempt.verdict === "lost") return "Its directory is gone from the host. Launch it again.";
  if (attempt.verdict === "interrupted")
    return "The host was started anew. Resume goes on from the last checkpoint.";
  if (attempt.exit_code !== null && BY_EXIT_CODE[attempt.exit_code])
    return BY_EXIT_CODE[attempt.exit_code] ?? null;
  if (attempt.signal !== null)
    return `The trainer was ended by ${attempt.signal}. Resume goes on from the last checkpoint.`;
  if (attempt.verdict === "killed")
    return "Its processes were killed; the host may have run out of memory. Resume goes on from the last checkpoint.";
  return attempt.exit_code === null
    ? null
    : `The trainer ended with exit code ${attempt.exit_code}. The log's end says why.`;
}
