import type { RunSummary } from "@sightline/core/runs";
import classes from "./simulated-badge.module.css";

/** Says wherever a run shows that its numbers were not trained here. */
export function SimulatedBadge({ run }: { run: Pick<RunSummary, "simulated" | "recorded"> }) {
  if (run.simulated)
    return (
      <span className={classes.badge} title="Made by a seeded model of learning, not by training">
        simulated
      </span>
    );
  if (run.recorded)
    return (
      <span className={classes.badge} title="Recorded elsewhere and brought in">
        recorded
      </span>
    );
  return null;
}
