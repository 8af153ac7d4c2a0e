import type { RunState, RunSummary } from "@sightline/core/runs";
import { Status } from "@sightline/ui/status";
import { RUN_STATES } from "./run-state.ts";
import classes from "./tally.module.css";

/** How many of the runs are in which state. */
export function Tally({ runs }: { runs: readonly RunSummary[] }) {
  const counts = new Map<RunState, number>();
  for (const { state } of runs) counts.set(state, (counts.get(state) ?? 0) + 1);
  return (
    <span className={classes.tally}>
      {[...counts].map(([state, count]) => (
        <Status
          key={state}
          tone={RUN_STATES[state].tone}
          label={`${count} ${RUN_STATES[state].label}`}
          title={RUN_STATES[state].meaning}
        />
      ))}
    </span>
  );
}
