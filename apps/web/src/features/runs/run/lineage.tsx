import type { LineageRun } from "@sightline/core/runs";
import { StatusMark } from "@sightline/ui/status";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { trpc } from "../../../app/clients.ts";
import { useRuns } from "../follow-list.ts";
import { RUN_STATES } from "../run-state.ts";
import classes from "./checkpoints-tab.module.css";

/** The runs that this one comes from and those that come from them, as a tree. */
export function Lineage({ run_id }: { run_id: string }) {
  const lineage = useQuery(trpc.runs.lineage.queryOptions({ run_id }));
  const now = useRuns().data;
  const runs = lineage.data ?? [];
  const root = runs[0];
  return (
    <section className={classes.lineage} aria-label="Lineage">
      <h3 className={classes.heading}>Lineage</h3>
      {lineage.isError && <p className={classes.quiet}>{lineage.error.message}</p>}
      {root && (
        <ul className={classes.tree}>
          <Branch
            run={root}
            runs={runs}
            here={run_id}
            stateOf={(run) => now?.find((one) => one.run_id === run.run_id)?.state ?? run.state}
          />
        </ul>
      )}
      {runs.length === 1 && (
        <p className={classes.quiet}>
          Nothing was forked from it. “Fork” beside a checkpoint begins a run from there, under another
          schedule, seed or setting.
        </p>
      )}
    </section>
  );
}

function Branch({
  run,
  runs,
  here,
  stateOf,
}: {
  run: LineageRun;
  runs: readonly LineageRun[];
  here: string;
  stateOf: (run: LineageRun) => LineageRun["state"];
}) {
  const forks = runs.filter((one) => one.forked_from?.run_id === run.run_id);
  const { tone, label } = RUN_STATES[stateOf(run)];
  return (
    <li>
      <span className={classes.node} data-here={run.run_id === here || undefined}>
        {run.forked_from && (
          <span className={classes.at} title={`Begins after step ${run.forked_from.step}`}>
            {run.forked_from.step}
          </span>
        )}
        <StatusMark tone={tone} />
        {run.run_id === here ? (
          <b className={classes.treeName} aria-current="page">
            {run.name}
          </b>
        ) : (
          <Link
            to="/runs/$runId"
            params={{ runId: run.run_id }}
            search={{ tab: "checkpoints" }}
            className={classes.treeName}
          >
            {run.name}
          </Link>
        )}
        <span className={classes.quiet}>
          {label}
          {run.step !== null && `, step ${run.step}`}
          {run.is_trashed && ", in the trash"}
        </span>
        <span className={classes.schedule}>
          {run.schedule} · seed {run.seed}
        </span>
      </span>
      {forks.length > 0 && (
        <ul>
          {forks.map((fork) => (
            <Branch key={fork.run_id} run={fork} runs={runs} here={here} stateOf={stateOf} />
          ))}
        </ul>
      )}
    </li>
  );
}
