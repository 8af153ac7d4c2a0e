import { isEndState, type RunSpec, type RunSummary } from "@sightline/core/runs";
import { TRPCError } from "@trpc/server";
import type { Logger } from "pino";
import type { Db } from "../../db/open.ts";
import type { LaunchOrder } from "../../executors/executor.ts";
import { createIngest } from "../../ingest/ingest.ts";
import type { Hosts } from "../hosts/service.ts";
import type { Jobs } from "../jobs/tray.ts";
import { adoptRuns } from "./adopt.ts";
import { createCheckpoints } from "./checkpoints.ts";
import { listGroups } from "./completions.ts";
import { createControls } from "./controls.ts";
import { describeRun } from "./details.ts";
import { follow, followList } from "./follow.ts";
import { createForkStore } from "./fork-store.ts";
import { clearForks } from "./forks.ts";
import { getKnownRun, getKnownSweep, refuseWatched } from "./guards.ts";
import { createRunHub } from "./hub.ts";
import { createHostKeepers } from "./keepers.ts";
import { createLaunches } from "./launches.ts";
import { createLineStore } from "./line-store.ts";
import { findLineage } from "./lineage.ts";
import { readLog } from "./log.ts";
import { RUN_PRESETS } from "./presets.ts";
import { listQueues } from "./queue.ts";
import { createQueueStore } from "./queue-store.ts";
import type { Runs } from "./service.ts";
import { createRunStore } from "./store.ts";
import { summarise } from "./summaries.ts";
import { describeSweep, findPace } from "./sweeps.ts";
import { answered, followWatched, watchRun } from "./watch.ts";
import { createWatchStore } from "./watch-store.ts";

const LOOK_MS = 15_000;

/** Makes the runs of an app; `start` begins to look after them. */
export function createRuns(parts: {
  db: Db;
  hosts: Hosts;
  log: Logger;
  jobs: Jobs;
  /** Where fetched checkpoints go. */
  checkpointsDir: string;
  /** The real path of a folder among those that the owner listed. */
  resolveFolder(folder_id: string, path: string): Promise<string>;
  /** Data and interpreter of an attempt; throws when it can't be started now. The same spec gives the same. */
  inputs?: (spec: RunSpec, host_id: string) => Promise<Pick<LaunchOrder, "python" | "data">>;
}): Runs {
  const { db, hosts, log, inputs = async () => ({ python: null, data: {} }) } = parts;
  const store = createRunStore(db);
  const queue = createQueueStore(db);
  const watches = createWatchStore(db);
  const forks = createForkStore(db);
  const lines = createLineStore(db);
  const ingest = createIngest(db);
  const hub = createRunHub();
  const checkpoints = createCheckpoints({
    store,
    lines,
    jobs: parts.jobs,
    home: parts.checkpointsDir,
    executor: hosts.executor,
    resolveFolder: parts.resolveFolder,
  });
  const closing = new AbortController();

  /** A fork of another seed learns on the questions of the run that it comes from, and is held to the same ones. */
  const inputsOf = (spec: RunSpec, host_id: string) =>
    inputs({ ...spec, seed: spec.forked_from?.root_seed ?? spec.seed }, host_id);

  const keepers = createHostKeepers({
    executor: hosts.executor,
    store,
    queue,
    lines,
    ingest,
    hub,
    log,
    inputs: inputsOf,
  });
  const shared = { hosts, store, queue, watches, lines, hub, keepers };
  const controls = createControls(shared);
  const launches = createLaunches({ ...shared, forks, checkpoints, inputs: inputsOf });
  const watching = {
    hosts,
    store,
    watches,
    wake(host_id: string) {
      keepers.of(host_id).wake();
      hub.changed("");
    },
  };

  let isLooking = true;
  const found = (run_id: string) => getKnownRun(store, run_id, isLooking);
  const list = (trash: boolean) => summarise(shared, store.list(trash));

  return {
    list: ({ trash }) => list(trash),

    get(run_id) {
      const run = found(run_id);
      const [summary] = summarise(shared, [run]) as [RunSummary];
      return describeRun(shared, run, { summary, directory: hosts.executor(run.host_id).directory(run_id) });
    },

    presets: () => RUN_PRESETS,

    launch: launches.launch,
    launchSweep: launches.launchSweep,

    sweep: (sweep_id) => describeSweep(getKnownSweep(store, sweep_id), store.ofSweep(sweep_id)),

    stop: controls.stop,
    checkpoint: controls.checkpoint,
    resume: controls.resume,
    stopSweep: controls.stopSweep,
    resumeSweep: controls.resumeSweep,

    paces: (preset, host_ids) => host_ids.map((host_id) => findPace(store, preset, host_id)),

    lineage: (run_id) => findLineage(store, found(run_id)),

    checkpoints: (run_id) => checkpoints.list(found(run_id)),

    fetchCheckpoint: (run_id, step, to) => checkpoints.fetch(found(run_id), step, to),

    pruneCheckpoints(run_id, steps) {
      const run = found(run_id);
      refuseWatched(watches, run, "pruned");
      return checkpoints.prune(run, steps);
    },

    watch: (request) => watchRun(watching, request, AbortSignal.timeout(LOOK_MS)),

    findElsewhere: ({ host_id, folder }) =>
      answered(() => hosts.executor(host_id).search(folder, AbortSignal.timeout(LOOK_MS))),

    watchedDirectory: (run_id) => watches.get(run_id)?.directory ?? null,

    queues: () => listQueues(queue, hosts.ids()),

    moveInQueue(run_id, before_run_id) {
      const run = found(run_id);
      if (!queue.move(run, before_run_id))
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: `${run.name} no longer waits, so it can't be moved.`,
        });
      keepers.wakeQueue(run.host_id);
    },

    setRunsAtOnce(host_id, runs_at_once) {
      hosts.executor(host_id);
      queue.setLimit(host_id, runs_at_once);
      keepers.wakeQueue(host_id);
    },

    setMaxRetries(run_id, max_retries) {
      refuseWatched(watches, found(run_id), "retried");
      store.ask(run_id, { max_retries });
      hub.changed(run_id);
    },

    trash(run_ids) {
      const active = store
        .some(run_ids)
        .filter((run) => !isEndState(run.state) && watches.get(run.run_id) === null);
      if (active.length > 0)
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: `${active.map((run) => run.name).join(", ")} can't go to the trash while it runs. Stop it first.`,
        });
      store.setTrashed(run_ids, Date.now() / 1000);
      for (const run_id of run_ids) hub.changed(run_id);
    },

    restore(run_ids) {
      store.setTrashed(run_ids, null);
      for (const run_id of run_ids) hub.changed(run_id);
    },

    rename(run_id, name) {
      found(run_id);
      store.ask(run_id, { name });
      hub.changed(run_id);
    },

    window(request) {
      found(request.run_id);
      const series = lines.window(request, store.attempts(request.run_id));
      return { run_id: request.run_id, name: request.name, series };
    },

    overlay({ run_ids, names, points, from_step, to_step, has_means }) {
      const range = from_step === null || to_step === null ? undefined : { from_step, to_step };
      const spans = store.attemptSpans(run_ids);
      return run_ids.flatMap((run_id) =>
        lines.overlay(run_id, names, points, spans.get(run_id) ?? [], range, has_means),
      );
    },

    completions: (run_id, step) => listGroups(shared, found(run_id).run_id, step),

    configs: (run_id) => lines.linesOf(run_id, "config"),
    phase: (run_id) => lines.newestPhase(run_id),

    // Async, so that a run that nobody knows rejects and does not throw.
    log: async (request) => readLog(hosts.executor(found(request.run_id).host_id), request),

    follow: (request, signal) =>
      follow(
        {
          hub,
          lines,
          summaries: (run_ids) => summarise(shared, store.some(run_ids)),
          attempts: store.attempts,
        },
        request,
        signal,
      ),

    rowsAfter: (run_id, last_id, limit) => lines.after([run_id], last_id, limit),

    attemptEnds(run_id) {
      if (found(run_id).recorded || watches.get(run_id)) return new Map();
      return new Map(
        store
          .attempts(run_id)
          .flatMap(({ attempt, ended_secs }) =>
            ended_secs === null ? [] : [[attempt, ended_secs] as const],
          ),
      );
    },

    listen: (on) => hub.listen(null, on),

    followList: (signal) => followList(hub, () => list(false), signal),

    activeByHost: () => store.countActive(),

    start() {
      for (const { host_id } of store.unended()) keepers.of(host_id);
      for (const host_id of queue.hosts()) keepers.of(host_id);
      void followWatched({ ...watching, log }, closing.signal);
      void clearForks({ plans: forks.list(), forks, store, hosts, log, signal: closing.signal });
      void adoptRuns({ ...watching, log, signal: closing.signal }).then(() => {
        isLooking = false;
      });
    },

    async close() {
      closing.abort();
      await keepers.close();
    },
  };
}
