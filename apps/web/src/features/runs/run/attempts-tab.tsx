import { NumberInput } from "@mantine/core";
import type { AttemptSummary, RunDetail, RunSummary } from "@sightline/core/runs";
import { Status } from "@sightline/ui/status";
import { useMutation } from "@tanstack/react-query";
import { queryClient, trpc } from "../../../app/clients.ts";
import { notifyFailure } from "../../../app/notify.tsx";
import { formatDuration, getVerdict } from "../run-state.ts";
import classes from "./table.module.css";

/** Every process that worked on the run: what became of it, and why. */
export function AttemptsTab({ detail }: { detail: RunDetail | null }) {
  if (detail === null) return <p className={classes.hint}>Reading …</p>;
  if (detail.attempts.length === 0) return <p className={classes.hint}>No process was started yet.</p>;
  return (
    <div className={classes.scroll}>
      {!detail.run.watched && <Retries run={detail.run} />}
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

/** How often the run goes on without anybody asking. */
function Retries({ run: { run_id, name, max_retries } }: { run: RunSummary }) {
  const set = useMutation(
    trpc.runs.setMaxRetries.mutationOptions({
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.runs.get.queryKey({ run_id }) }),
      onError: (error) => notifyFailure(`Could not change how often ${name} tries by itself`, error),
    }),
  );
  return (
    <div className={classes.retries}>
      <NumberInput
        size="xs"
        w={64}
        min={0}
        max={20}
        allowDecimal={false}
        aria-label="Tries by itself"
        value={max_retries}
        onChange={(value) => {
          if (typeof value === "number" && value !== max_retries)
            set.mutate({ run_id, max_retries: Math.min(20, value) });
        }}
      />
      automatic attempts at most after an interruption, a kill, full memory or a loss that is no number; what
      only a person can mend is never tried again
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
