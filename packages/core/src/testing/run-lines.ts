import type { RunRow } from "../runs/types.ts";
import type { LineOf, UnknownLine, WireLine } from "../wire/index.ts";

/** Which run, attempt and clock a built line belongs to. */
export type LineWhere = { run_id?: string; attempt?: number; seq?: number; time_secs?: number };

function envelope<S extends "events" | "completions">(stream: S, where: LineWhere) {
  const { run_id = "run-a", attempt = 1, seq = 1, time_secs = 1_760_000_000 } = where;
  return { v: 1 as const, run_id, attempt, stream, seq, time_secs, mono_secs: seq };
}

export function startLine(
  where: LineWhere,
  resume_from: LineOf<"attempt.start">["resume_from"] = null,
): LineOf<"attempt.start"> {
  return {
    ...envelope("events", where),
    type: "attempt.start",
    executor: "local",
    host: "host",
    pid: 1,
    boot_id: "boot",
    spec_hash: "hash",
    resume_from,
    versions: { engine: "simulator" },
    device: { name: "simulated", count: 1, memory_bytes: 1 },
  };
}

export function metricsLine(
  where: LineWhere,
  step: number,
  values: LineOf<"metrics">["values"],
  split: "train" | "eval" = "train",
): LineOf<"metrics"> {
  return {
    ...envelope("events", where),
    type: "metrics",
    step,
    epoch: step / 100,
    split,
    max_steps: 1000,
    values,
  };
}

export function stageLine(
  where: LineWhere,
  index: number,
  from_step: number,
  weights: LineOf<"stage">["weights"],
): LineOf<"stage"> {
  const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
  return {
    ...envelope("events", where),
    type: "stage",
    index,
    name: `stage ${index + 1}`,
    weights,
    normalised: Object.fromEntries(
      Object.entries(weights).map(([part, weight]) => [part, weight / sum]),
    ) as typeof weights,
    from_step,
    from_epoch: (from_step - 1) / 100,
  };
}

export function endLine(where: LineWhere, step: number): LineOf<"attempt.end"> {
  return {
    ...envelope("events", where),
    type: "attempt.end",
    reason: "done",
    exit_code: 0,
    step,
    checkpoint: null,
  };
}

/** A completion with sound defaults; `change` overrides any field. */
export function completionLine(
  where: LineWhere,
  change: Partial<LineOf<"completion">> = {},
): LineOf<"completion"> {
  const text = "<think>left, then left</think><answer>B</answer>";
  return {
    ...envelope("completions", where),
    type: "completion",
    gen: 1,
    step: 1,
    epoch: 0,
    stage: 0,
    group_id: "g1",
    question_id: "q1",
    clip_id: null,
    task: "heading",
    k: 0,
    group_size: 4,
    prompt: null,
    gold: "B",
    text,
    tokens: 12,
    finish: "eos",
    truncated_at: null,
    parse: { think: [7, 22], answer: [38, 39], letter: "B", rule: "answer_tag" },
    rewards: {
      format: { raw: 1, weight: 0.7, null_reason: null },
      accuracy: { raw: 1, weight: 0.3, null_reason: null },
      consistency: { raw: 1, weight: 0, null_reason: null },
    },
    reward: 1,
    advantage: 0,
    judges: [{ variant: "as_written", letter: "B", agrees: true, status: "ok", ms: 3, cached: false }],
    ...change,
  };
}

/** Numbers lines as rows, from `first_id` on. */
export function asRows(lines: readonly (WireLine | UnknownLine)[], first_id = 1): RunRow[] {
  return lines.map((line, i) => ({ id: first_id + i, line }));
}
