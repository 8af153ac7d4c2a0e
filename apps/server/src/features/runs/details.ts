import type { RunDetail, RunSpec, RunSummary } from "@sightline/core/runs";
import { resumeHint } from "./guards.ts";
import type { LineStore } from "./line-store.ts";
import { type RunRecord, readOverrides } from "./schema.ts";
import type { RunStore } from "./store.ts";
import type { WatchStore } from "./watch-store.ts";

/** All that a run's page asks for at first. */
export function describeRun(
  { store, lines, watches }: { store: RunStore; lines: LineStore; watches: WatchStore },
  run: RunRecord,
  around: { summary: RunSummary; directory: string },
): RunDetail {
  const { run_id } = run;
  const hint = resumeHint(watches, run);
  return {
    run: around.summary,
    spec: JSON.parse(run.spec) as RunSpec,
    directory: around.directory,
    attempts: store.attempts(run_id).map((attempt) => ({
      attempt: attempt.attempt,
      verdict: attempt.verdict,
      ended: attempt.phase === "ended",
      reason: attempt.reason,
      exit_code: attempt.exit_code,
      signal: attempt.signal,
      problem: attempt.problem,
      resume_step: attempt.resume_step,
      last_step: attempt.last_step,
      launched_secs: attempt.launched_secs,
      ended_secs: attempt.ended_secs,
      heartbeat_age_secs: attempt.heartbeat_age_secs,
      device: attempt.device,
      versions: JSON.parse(attempt.versions) as Record<string, string>,
      cause: attempt.cause,
      why: attempt.why,
      overrides: readOverrides(attempt.overrides),
    })),
    stages: lines
      .linesOf(run_id, "stage")
      .map(({ attempt, index, name, weights, normalised, from_step, from_epoch }) => {
        return { attempt, index, name, weights, normalised, from_step, from_epoch };
      }),
    checkpoints: lines
      .linesOf(run_id, "checkpoint")
      .map(({ attempt, step, path, bytes, complete }) => ({ attempt, step, path, bytes, complete })),
    metrics: lines.metricNames(run_id),
    lines: lines.countLines(run_id),
    quarantined: lines.quarantined(run_id),
    notes: lines.notes(run_id),
    resumable: hint === null,
    resume_hint: hint,
  };
}
