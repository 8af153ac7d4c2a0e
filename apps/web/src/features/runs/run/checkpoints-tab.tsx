import { Button } from "@mantine/core";
import { modals } from "@mantine/modals";
import { formatBytes, formatNumberOf } from "@sightline/core/format";
import type { CheckpointRow, RunDetail, RunSummary } from "@sightline/core/runs";
import { Status } from "@sightline/ui/status";
import { IconDownload, IconGitFork, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { queryClient, trpc } from "../../../app/clients.ts";
import { useJobs } from "../../../app/jobs.ts";
import { notifyDone, notifyFailure } from "../../../app/notify.tsx";
import { formatMoment } from "./attempts-tab.tsx";
import classes from "./checkpoints-tab.module.css";
import { FetchDialog } from "./fetch-dialog.tsx";
import { Lineage } from "./lineage.tsx";
import { chooseWhatGoes } from "./prune.ts";
import { PruneDialog } from "./prune-dialog.tsx";
import table from "./table.module.css";

/** What the host keeps of a run, what can be begun from it, and where the run itself comes from. */
export function CheckpointsTab({ run_id, detail }: { run_id: string; detail: RunDetail | null }) {
  const list = useQuery(trpc.runs.checkpoints.queryOptions({ run_id }));
  const saved = detail?.checkpoints.length ?? 0;
  const fetching = useJobs().filter((job) => job.kind === "checkpoint");
  const over = fetching.filter((job) => job.state !== "running" && job.state !== "waiting").length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked anew when a checkpoint was saved or a fetch has ended
  useEffect(() => void refresh(run_id), [run_id, saved, over]);
  if (detail === null || list.isPending) return <p className={table.hint}>Asking the host …</p>;
  if (list.isError) return <p className={table.hint}>{list.error.message}</p>;
  const { checkpoints, problem } = list.data;
  return (
    <div className={classes.tab}>
      <div className={classes.list}>
        {problem !== null && (
          <p className={classes.problem} role="status">
            {problem}
          </p>
        )}
        <Bar run={detail.run} checkpoints={checkpoints} canPrune={problem === null} />
        {checkpoints.length === 0 ? (
          <p className={table.hint}>
            No checkpoint yet. One is saved every {String(detail.spec.settings.save_steps ?? 32)} steps, and
            where a stage ends.
          </p>
        ) : (
          <Rows run={detail.run} checkpoints={checkpoints} />
        )}
      </div>
      <Lineage run_id={run_id} />
    </div>
  );
}

function refresh(run_id: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: trpc.runs.checkpoints.queryKey({ run_id }) });
}

function Bar({
  run,
  checkpoints,
  canPrune,
}: {
  run: RunSummary;
  checkpoints: readonly CheckpointRow[];
  canPrune: boolean;
}) {
  const [isOpen, setOpen] = useState(false);
  const hosts = useQuery(trpc.hosts.list.queryOptions()).data;
  const host = hosts?.find(({ host_id }) => host_id === run.host_id)?.name ?? run.host_id;
  const bytes = checkpoints.reduce((sum, one) => sum + one.bytes, 0);
  const prune = useMutation(
    trpc.runs.pruneCheckpoints.mutationOptions({
      onSuccess: ({ removed, freed_bytes }) =>
        notifyDone(`Deleted ${formatNumberOf(removed.length, "checkpoint")}, ${formatBytes(freed_bytes)}.`),
      onError: (error) => notifyFailure("Could not delete checkpoints", error),
      onSettled: () => refresh(run.run_id),
    }),
  );
  if (checkpoints.length === 0) return null;
  return (
    <div className={classes.bar}>
      <span className={classes.quiet}>
        {formatNumberOf(checkpoints.length, "checkpoint")} on{" "}
        {run.host_id === "local" ? "this machine" : host}, {formatBytes(bytes)}
      </span>
      {run.watched ? (
        <span className={classes.quiet}>
          Read-only: it was started elsewhere, so it is pruned and forked there.
        </span>
      ) : (
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconTrash size={13} stroke={1.7} />}
          disabled={!canPrune}
          loading={prune.isPending}
          onClick={() => setOpen(true)}
        >
          Prune …
        </Button>
      )}
      {isOpen && (
        <PruneDialog
          checkpoints={checkpoints}
          onClose={() => setOpen(false)}
          onPrune={(choice) => {
            setOpen(false);
            const steps = chooseWhatGoes(checkpoints, choice).map(({ step }) => step);
            if (steps.length > 0) prune.mutate({ run_id: run.run_id, steps });
          }}
        />
      )}
    </div>
  );
}

function Rows({ run, checkpoints }: { run: RunSummary; checkpoints: readonly CheckpointRow[] }) {
  return (
    <table className={`${table.table} ${classes.table}`}>
      <thead>
        <tr>
          <th>Step</th>
          <th>State</th>
          <th>Size</th>
          <th>Saved</th>
          <th>Kept for</th>
          <th>Fetched</th>
          <th aria-label="Actions" />
        </tr>
      </thead>
      <tbody>
        {[...checkpoints].reverse().map((one) => (
          <Row key={one.step} run={run} checkpoint={one} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ run, checkpoint }: { run: RunSummary; checkpoint: CheckpointRow }) {
  const { step, complete, bytes, time_secs, ends_stage, forks, is_needed, fetched, fetched_bytes } =
    checkpoint;
  const reasons = [
    is_needed ? "resuming" : null,
    ends_stage === null ? null : `end of ${ends_stage}`,
    forks.length > 0 ? formatNumberOf(forks.length, "fork") : null,
  ].filter((reason) => reason !== null);
  const fetch = () =>
    modals.open({
      title: `Fetch step ${step} of ${run.name}`,
      children: <FetchDialog run_id={run.run_id} step={step} onDone={() => modals.closeAll()} />,
    });
  return (
    <tr data-step={step}>
      <td className={table.number}>{step}</td>
      <td>
        <Status
          tone={complete ? "done" : "part"}
          label={complete ? "whole" : "not whole"}
          title={complete ? undefined : "It is being written, or was cut: nothing goes on from it."}
        />
      </td>
      <td className={table.number}>{formatBytes(bytes)}</td>
      <td>{time_secs === null ? "–" : formatMoment(time_secs)}</td>
      <td className={table.words}>{reasons.join(", ") || "–"}</td>
      <td title={fetched ?? undefined}>
        {fetched !== null
          ? "whole"
          : fetched_bytes > 0
            ? `${Math.floor((100 * fetched_bytes) / Math.max(1, bytes))} %`
            : "–"}
      </td>
      <td>
        {complete && (
          <span className={classes.actions}>
            <Button
              size="compact-xs"
              variant="subtle"
              leftSection={<IconDownload size={13} stroke={1.7} />}
              aria-label={`Fetch step ${step}`}
              onClick={fetch}
            >
              {fetched_bytes > 0 ? "Go on fetching" : "Fetch"}
            </Button>
            {!run.watched && (
              <Button
                size="compact-xs"
                variant="subtle"
                leftSection={<IconGitFork size={13} stroke={1.7} />}
                aria-label={`Fork from step ${step}`}
                renderRoot={(props) => (
                  <Link to="/runs/launch" search={{ fork: run.run_id, step }} {...props} />
                )}
              >
                Fork
              </Button>
            )}
          </span>
        )}
      </td>
    </tr>
  );
}
