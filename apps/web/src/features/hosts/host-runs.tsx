import { formatCount } from "@sightline/core/format";
import { isEndState, type RunSummary } from "@sightline/core/runs";
import { StatusMark } from "@sightline/ui/status";
import { Link } from "@tanstack/react-router";
import { useRuns } from "../../app/runs.ts";
import classes from "./host-runs.module.css";

/** Waits for its turn, or for its process. */
const WAITS: ReadonlySet<RunSummary["state"]> = new Set(["queued", "launching"]);

/** What runs on a host and what waits there, each with the way to it. */
export function HostRuns({ host_id }: { host_id: string }) {
  const runs = (useRuns().data ?? []).filter((run) => run.host_id === host_id && !isEndState(run.state));
  const running = runs.filter(({ state }) => !WAITS.has(state));
  const waiting = runs
    .filter(({ state }) => WAITS.has(state))
    .sort((a, b) => (a.queue?.position ?? 0) - (b.queue?.position ?? 0));
  return (
    <div className={classes.runs}>
      <Group label="Runs" runs={running} none="Nothing runs here." />
      {waiting.length > 0 && <Group label="Waits" runs={waiting} none="" />}
    </div>
  );
}

function Group({ label, runs, none }: { label: string; runs: readonly RunSummary[]; none: string }) {
  return (
    <div className={classes.group}>
      <span className={classes.label}>{label}</span>
      {runs.length === 0 && <span className={classes.none}>{none}</span>}
      <ul className={classes.list} aria-label={label}>
        {runs.map((run) => (
          <li key={run.run_id}>
            <StatusMark
              tone={run.state === "running" ? "busy" : run.state === "queued" ? "waiting" : "part"}
            />
            <Link to="/runs/$runId" params={{ runId: run.run_id }}>
              {run.name}
            </Link>
            <span className={classes.progress}>{describe(run)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function describe({ state, step, max_steps, queue, simulated }: RunSummary): string {
  const said = [
    state === "queued" && queue !== null ? `place ${queue.position}` : state === "running" ? null : state,
    step === null ? null : max_steps === null ? `step ${step}` : `step ${step} of ${formatCount(max_steps)}`,
    simulated ? "simulated" : null,
  ];
  return said.filter((word) => word !== null).join(" · ");
}
