import { Button } from "@mantine/core";
import type { RunSummary } from "@sightline/core/runs";
import { Status } from "@sightline/ui/status";
import { Link } from "@tanstack/react-router";
import { stop } from "../commands.ts";
import { formatDuration, getSecsLeft, RUN_STATES } from "../run-state.ts";
import { SimulatedBadge } from "../simulated-badge.tsx";
import classes from "./queue-page.module.css";

/** A run that holds a place on the host. */
export function RunningRow({ run }: { run: RunSummary }) {
  const { tone, label, meaning } = RUN_STATES[run.state];
  const share = run.max_steps ? Math.min(1, (run.step ?? 0) / run.max_steps) : 0;
  const left = getSecsLeft(run);
  return (
    <li className={classes.running}>
      <span className={classes.name}>
        <Link to="/runs/$runId" params={{ runId: run.run_id }} className={classes.link}>
          {run.name}
        </Link>
        <SimulatedBadge run={run} />
      </span>
      <Status tone={tone} label={label} title={run.problem ?? meaning} />
      <span className={classes.track} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span className={classes.number}>
        step {run.step ?? 0}
        {run.max_steps !== null && ` / ${run.max_steps}`}
        {left !== null && `, about ${formatDuration(left)} left`}
      </span>
      <Button
        size="compact-xs"
        variant="default"
        disabled={run.state === "stopping"}
        aria-label={`Stop ${run.name}`}
        onClick={() => void stop(run)}
      >
        Stop
      </Button>
    </li>
  );
}
