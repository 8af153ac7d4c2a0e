import {
  appendBatch,
  emptySeries,
  type FollowBatch,
  isKnown,
  type RunSeries,
  type RunSummary,
} from "@sightline/core/runs";
import { skipToken, useQuery } from "@tanstack/react-query";
import { client, queryClient, trpc } from "../../app/clients.ts";
import { followSoon, gather, useFollow } from "../../app/follow.ts";

/** A run as its stream has told it so far. */
export type FollowedRun = {
  series: RunSeries;
  /** As last heard; null before the stream said anything of its state. */
  summary: RunSummary | null;
  /** Steps of the last minute with the trainer's own clock, for the pace. */
  recent: readonly { step: number; time_secs: number }[];
  /** From where the stream goes on when it is opened again. */
  event_id: string | null;
};

type Heard = { event_id: string; batch: FollowBatch };

// Columns share storage between versions of a run; comparing them piece by piece would cost more than drawing.
queryClient.setQueryDefaults(["runs", "followed"], { structuralSharing: false });

const keyOf = (run_id: string) => ["runs", "followed", run_id];

function empty(run_id: string): FollowedRun {
  return { series: emptySeries(run_id), summary: null, recent: [], event_id: null };
}

/** Folds what was heard of one run, in order. Pure. */
export function foldHeard(run: FollowedRun, heard: readonly Heard[]): FollowedRun {
  const { run_id } = run.series;
  let runs: ReadonlyMap<string, RunSeries> = new Map([[run_id, run.series]]);
  let { summary, recent, event_id } = run;
  for (const one of heard) {
    runs = appendBatch(runs, one.batch);
    if (one.batch.kind === "state")
      summary = one.batch.runs.find((other) => other.run_id === run_id) ?? summary;
    recent = foldRecent(recent, one.batch, run_id);
    event_id = one.event_id;
  }
  return { series: runs.get(run_id) ?? run.series, summary, recent, event_id };
}

const RECENT_SECS = 60;

function foldRecent(
  recent: FollowedRun["recent"],
  batch: FollowBatch,
  run_id: string,
): FollowedRun["recent"] {
  const rows =
    batch.kind === "rows"
      ? batch.rows
      : batch.kind === "history"
        ? batch.histories.flatMap((history) => (history.run_id === run_id ? history.rows : []))
        : [];
  const next = [...recent];
  for (const { line } of rows) {
    if (line.run_id !== run_id) continue;
    if (isKnown(line, "attempt.start")) next.length = 0;
    if (isKnown(line, "metrics") && line.split === "train")
      next.push({ step: line.step, time_secs: line.time_secs });
  }
  const newest = next.at(-1)?.time_secs ?? 0;
  return next.filter(({ time_secs }) => Math.abs(newest - time_secs) <= RECENT_SECS);
}

/** The run as the list would show it, with the newest step and pace that the stream told. */
export function getSummary({ series, summary, recent }: FollowedRun): RunSummary | null {
  if (summary === null) return null;
  const [first, last] = [recent[0], recent.at(-1)];
  const secs = first && last ? last.time_secs - first.time_secs : 0;
  return {
    ...summary,
    step: series.step ?? summary.step,
    max_steps: series.max_steps ?? summary.max_steps,
    steps_per_sec: first && last && secs > 0 ? (last.step - first.step) / secs : summary.steps_per_sec,
  };
}

/** True when something happened that only `runs.get` tells: an attempt, an end, a checkpoint, a bad line. */
function isDetailStale(before: FollowedRun, after: FollowedRun): boolean {
  const [old, now] = [before.summary, after.summary];
  return (
    old?.state !== now?.state ||
    old?.attempts !== now?.attempts ||
    old?.problem !== now?.problem ||
    before.series.marks.length !== after.series.marks.length
  );
}

/** Buckets of a metric that a long run opens with: two points of each are more than a chart draws of a line. */
const OPENING_POINTS = 256;

const nameOf = (run_id: string) => `run ${run_id}`;

function start(run_id: string) {
  const key = keyOf(run_id);
  const put = gather<Heard>((heard) => {
    const before = queryClient.getQueryData<FollowedRun>(key) ?? empty(run_id);
    const after = foldHeard(before, heard);
    queryClient.setQueryData<FollowedRun>(key, after);
    if (isDetailStale(before, after))
      void queryClient.invalidateQueries({ queryKey: trpc.runs.get.queryKey({ run_id }) });
  });
  const lastEventId = queryClient.getQueryData<FollowedRun>(key)?.event_id ?? undefined;
  return client.runs.follow.subscribe(
    { run_ids: [run_id], points: OPENING_POINTS, lastEventId },
    { onData: ({ id, data }) => put([{ event_id: id, batch: data }]) },
  );
}

/** Opens a run's stream for a page that is still on its way. */
export function followRunSoon(run_id: string): void {
  followSoon(nameOf(run_id), () => start(run_id));
}

/**
 * One run, live: read outside React and put into the query cache at most five times a second. After a reload the
 * stream replays; after a break it goes on where it was.
 */
export function useFollowedRun(run_id: string): FollowedRun | null {
  useFollow(nameOf(run_id), () => start(run_id));
  return useQuery<FollowedRun>({ queryKey: keyOf(run_id), queryFn: skipToken }).data ?? null;
}
