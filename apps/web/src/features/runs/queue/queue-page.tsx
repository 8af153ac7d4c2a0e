import { Button, NumberInput } from "@mantine/core";
import { formatNumberOf } from "@sightline/core/format";
import type { HostQueue, RunSummary } from "@sightline/core/runs";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconListNumbers } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queryClient, trpc } from "../../../app/clients.ts";
import { useKeys } from "../../../app/keys.ts";
import { notifyFailure } from "../../../app/notify.tsx";
import { usePageTitle } from "../../../app/page-title.ts";
import { useRuns } from "../follow-list.ts";
import { isLive } from "../run-state.ts";
import classes from "./queue-page.module.css";
import { RunningRow } from "./running-row.tsx";
import { WaitingList } from "./waiting-list.tsx";

/** What each host works on, and in which order the rest waits for it. */
export function QueuePage() {
  usePageTitle("Runs", "Queue");
  const runs = useRuns();
  const queues = useQuery(trpc.runs.queues.queryOptions());
  const hosts = useQuery(trpc.hosts.list.queryOptions()).data;
  useKeys("Queue", [
    { key: "alt+ArrowUp alt+ArrowDown", label: "Move the run that has the focus up or down" },
    { key: "alt+Home", label: "Move it to the top" },
    { key: "Delete", label: "Cancel it" },
  ]);
  if (runs.isError || queues.isError)
    return (
      <EmptyState
        title="The queue could not be read"
        actions={<Button onClick={() => void refetch()}>Try again</Button>}
      >
        {(runs.error ?? queues.error)?.message}
      </EmptyState>
    );
  if (runs.data === undefined || queues.data === undefined)
    return <p className={classes.wait}>Reading the queue …</p>;
  const nameOf = (host_id: string) => hosts?.find((one) => one.host_id === host_id)?.name ?? host_id;
  return (
    <div className={classes.page}>
      <header className={classes.bar}>
        <h1 className={classes.title}>Queue</h1>
        <span className={classes.quiet}>
          A host takes its runs in this order. Drag one, or move it by its buttons.
        </span>
        <Button component={Link} to="/runs" size="xs" variant="subtle" color="gray" ml="auto">
          All runs
        </Button>
        <Button component={Link} to="/runs/launch" size="xs">
          Launch a run
        </Button>
      </header>
      <div className={classes.hosts}>
        {queues.data.map((queue) => (
          <HostSection
            key={queue.host_id}
            queue={queue}
            name={nameOf(queue.host_id)}
            runs={(runs.data ?? []).filter((run) => run.host_id === queue.host_id)}
          />
        ))}
      </div>
    </div>
  );
}

const refetch = () => queryClient.invalidateQueries({ queryKey: trpc.runs.queues.queryKey() });

function HostSection({ queue, name, runs }: { queue: HostQueue; name: string; runs: readonly RunSummary[] }) {
  const waiting = runs
    .filter((run) => run.queue !== null)
    .sort((a, b) => (a.queue?.position ?? 0) - (b.queue?.position ?? 0));
  const running = runs.filter((run) => isLive(run.state) && run.queue === null);
  return (
    <section className={classes.host} aria-label={name}>
      <header className={classes.hostHead}>
        <h2 className={classes.hostName}>{name}</h2>
        <span className={classes.quiet}>
          {formatNumberOf(running.length, "run")} going on, {waiting.length} waiting
        </span>
        <AtOnce queue={queue} name={name} />
      </header>
      {running.length > 0 && (
        <ul className={classes.rows} aria-label={`Going on on ${name}`}>
          {running.map((run) => (
            <RunningRow key={run.run_id} run={run} />
          ))}
        </ul>
      )}
      {waiting.length > 0 && <WaitingList waiting={waiting} host={name} />}
      {running.length + waiting.length === 0 && (
        <p className={classes.empty}>
          <IconListNumbers size={16} stroke={1.5} aria-hidden /> Nothing runs or waits here.
        </p>
      )}
    </section>
  );
}

function AtOnce({ queue, name }: { queue: HostQueue; name: string }) {
  const set = useMutation(
    trpc.runs.setRunsAtOnce.mutationOptions({
      onSettled: refetch,
      onError: (error) => notifyFailure(`Could not change how many runs ${name} takes`, error),
    }),
  );
  // What was typed stands until the server has said so, for a second digit may follow.
  const shown = set.isPending ? set.variables.runs_at_once : queue.runs_at_once;
  return (
    <div className={classes.atOnce}>
      Runs at a time
      <NumberInput
        size="xs"
        w={96}
        min={1}
        max={64}
        allowDecimal={false}
        aria-label={`Runs at a time on ${name}`}
        title="Empty: one that trains, and any number of simulated ones"
        placeholder="1 training"
        value={shown ?? ""}
        onChange={(value) => {
          const runs_at_once = typeof value === "number" && value >= 1 ? Math.min(64, value) : null;
          if (runs_at_once !== shown) set.mutate({ host_id: queue.host_id, runs_at_once });
        }}
      />
    </div>
  );
}
