import { Button } from "@mantine/core";
import { formatNumberOf } from "@sightline/core/format";
import type { RunSummary, SweepDetail } from "@sightline/core/runs";
import { Status } from "@sightline/ui/status";
import { IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { trpc } from "../../../app/clients.ts";
import { notifyDone, notifyFailure } from "../../../app/notify.tsx";
import { usePageTitle } from "../../../app/page-title.ts";
import { useRuns } from "../follow-list.ts";
import { HostName } from "../host-name.tsx";
import { PartsSparkline } from "../list/parts-sparkline.tsx";
import { NotShown } from "../not-shown.tsx";
import { isLive, RUN_STATES } from "../run-state.ts";
import { SimulatedBadge } from "../simulated-badge.tsx";
import { Tally } from "../tally.tsx";
import classes from "./sweep-page.module.css";

const route = getRouteApi("/runs/sweeps/$sweepId");

/** All runs of a sweep as a grid: schedules down, seeds across. */
export function SweepPage() {
  const { sweepId } = route.useParams();
  const sweep = useQuery(trpc.runs.sweep.queryOptions({ sweep_id: sweepId }));
  const all = useRuns().data;
  usePageTitle("Runs", sweep.data?.name ?? null);
  if (sweep.isError) return <NotShown what="sweep" problem={sweep.error} />;
  if (sweep.data === undefined || all === undefined)
    return <p className={classes.waiting}>Opening the sweep …</p>;
  const runs = all.filter((run) => run.sweep?.sweep_id === sweepId);
  return (
    <div className={classes.page}>
      <SweepHeader sweep={sweep.data} runs={runs} />
      <div className={classes.scroll}>
        <Grid sweep={sweep.data} runs={runs} />
      </div>
    </div>
  );
}

function SweepHeader({ sweep, runs }: { sweep: SweepDetail; runs: readonly RunSummary[] }) {
  const { sweep_id } = sweep;
  const stop = useMutation(
    trpc.runs.stopSweep.mutationOptions({
      onSuccess: () => notifyDone("Those that waited are cancelled; those that run save and end."),
      onError: (error) => notifyFailure(`Could not cancel ${sweep.name}`, error),
    }),
  );
  const resume = useMutation(
    trpc.runs.resumeSweep.mutationOptions({
      onSuccess: ({ resumed }) => notifyDone(`${formatNumberOf(resumed, "run")} queued again.`),
      onError: (error) => notifyFailure(`Could not resume ${sweep.name}`, error),
    }),
  );
  const live = runs.filter((run) => isLive(run.state));
  const canResume = runs.filter((run) => !isLive(run.state) && run.state !== "done" && run.state !== "lost");
  return (
    <header className={classes.header}>
      <h1 className={classes.title} title={sweep.name}>
        {sweep.name}
      </h1>
      {runs[0]?.simulated && <SimulatedBadge run={runs[0]} />}
      <span className={classes.quiet}>
        {formatNumberOf(sweep.schedules.length, "schedule")} × {formatNumberOf(sweep.seeds.length, "seed")}
        {sweep.host_ids.length > 1 && `, ${sweep.host_ids.length} hosts`}
      </span>
      <Tally runs={runs} />
      <span className={classes.actions}>
        <Button component={Link} to="/runs/queue" size="compact-sm" variant="subtle" color="gray">
          Queue
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlayerPlay size={14} stroke={1.7} />}
          disabled={canResume.length === 0}
          loading={resume.isPending}
          onClick={() => resume.mutate({ sweep_id })}
        >
          Resume all
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlayerStop size={14} stroke={1.7} />}
          disabled={live.length === 0}
          loading={stop.isPending}
          onClick={() => stop.mutate({ sweep_id })}
        >
          Cancel all
        </Button>
      </span>
    </header>
  );
}

function Grid({ sweep, runs }: { sweep: SweepDetail; runs: readonly RunSummary[] }) {
  return (
    <table className={classes.grid} aria-label={`Runs of ${sweep.name}`}>
      <thead>
        <tr>
          <th scope="col">Schedule</th>
          {sweep.seeds.map((seed) => (
            <th key={seed} scope="col">
              Seed {seed}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sweep.schedules.map((schedule) => (
          <tr key={schedule}>
            <th scope="row">{schedule}</th>
            {sweep.seeds.map((seed) => (
              <td key={seed}>
                {runs
                  .filter((run) => run.sweep?.schedule === schedule && run.seed === seed)
                  .map((run) => (
                    <Cell key={run.run_id} run={run} hasHosts={sweep.host_ids.length > 1} />
                  ))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell({ run, hasHosts }: { run: RunSummary; hasHosts: boolean }) {
  const { tone, label, meaning } = RUN_STATES[run.state];
  const share = run.max_steps ? Math.min(1, (run.step ?? 0) / run.max_steps) : 0;
  return (
    <Link
      to="/runs/$runId"
      params={{ runId: run.run_id }}
      className={classes.cell}
      data-run={run.run_id}
      data-state={run.state}
      title={run.queue?.why ?? run.problem ?? meaning}
    >
      <span className={classes.cellHead}>
        <Status tone={tone} label={run.queue ? `${label}, no. ${run.queue.position}` : label} />
        <span className={classes.quiet}>
          {hasHosts && (
            <>
              <HostName host_id={run.host_id} /> ·{" "}
            </>
          )}
          {run.step === null ? "" : `${run.step}${run.max_steps === null ? "" : ` / ${run.max_steps}`}`}
        </span>
      </span>
      {run.step === null ? <span className={classes.none} /> : <PartsSparkline run={run} />}
      <span className={classes.track} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
    </Link>
  );
}
