import type { AttemptSummary, RunDetail } from "@sightline/core/runs";
import { Status } from "@sightline/ui/status";
import { formatDuration, getVerdict } from "../run-state.ts";
import classes from "./table.module.css";

/** Every process that worked on the run: what became of it, and why. */
export function AttemptsTab({ detail }: { detail: RunDetail | null }) {
  if (detail === null) return <p className={classes.hint}>Reading …</p>;
  if (detail.attempts.length === 0) return <p className={classes.hint}>No process was started yet.</p>;
  return (
    <div className={classes.scroll}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th>Attempt</th>
            <th>Verdict</th>
            <th>Steps</th>
            <th>Began</th>
            <th>Took</th>
            <th>Exit</th>
            <th>What happened</th>
          </tr>
        </thead>
        <tbody>
          {[...detail.attempts].reverse().map((attempt) => (
            <AttemptRow key={attempt.attempt} attempt={attempt} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AttemptRow({ attempt }: { attempt: AttemptSummary }) {
  const verdict = getVerdict(attempt);
  const ended = attempt.ended_secs ?? Date.now() / 1000;
  return (
    <tr>
      <td>{attempt.attempt}</td>
      <td>
        <Status tone={verdict.tone} label={verdict.label} />
      </td>
      <td className={classes.number}>
        {attempt.resume_step ?? 0} → {attempt.last_step ?? "–"}
      </td>
      <td>{formatMoment(attempt.launched_secs)}</td>
      <td className={classes.number}>{formatDuration(Math.max(0, ended - attempt.launched_secs))}</td>
      <td className={classes.number}>{attempt.signal ?? attempt.exit_code ?? "–"}</td>
      <td className={classes.words}>
        {attempt.why !== null && <div>{attempt.why}</div>}
        {attempt.problem ?? attempt.reason ?? ""}
      </td>
    </tr>
  );
}

/** A moment in the reader's own time zone. */
export function formatMoment(time_secs: number): string {
  return new Date(time_secs * 1000).toLocaleString(undefined, {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
}
