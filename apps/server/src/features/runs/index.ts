import { randomBytes } from "node:crypto";
import {
  type CompletionGroup,
  type ForkOrigin,
  isEndState,
  lastStepKept,
  planRetry,
  type RunDetail,
  type RunSpec,
  type RunSummary,
} from "@sightline/core/runs";
import { validateStages } from "@sightline/core/schedules";
import type { LineOf } from "@sightline/core/wire";
import { TRPCError } from "@trpc/server";
import type { Logger } from "pino";
import type { Db } from "../../db/open.ts";
import { type LaunchOrder, UnreachableError } from "../../executors/executor.ts";
import { createIngest } from "../../ingest/ingest.ts";
import type { Hosts } from "../hosts/service.ts";
import type { Jobs } from "../jobs/tray.ts";
import { adoptRuns } from "./adopt.ts";
import { createCheckpoints } from "./checkpoints.ts";
import { follow, followList } from "./follow.ts";
import { createForkStore } from "./fork-store.ts";
import { clearForks } from "./forks.ts";
import { createRunHub } from "./hub.ts";
import { createHostKeeper, type HostKeeper } from "./keeper.ts";
import { createLineStore } from "./line-store.ts";
import { findLineage } from "./lineage.ts";
import { RUN_PRESETS } from "./presets.ts";
import { describeQueues, listQueues } from "./queue.ts";
import { createQueueStore } from "./queue-store.ts";
import type { RunRecord } from "./schema.ts";
import type { LaunchRequest, Runs } from "./service.ts";
import { createRunStore } from "./store.ts";
import { describeSweep, findPace, listCells } from "./sweeps.ts";
import { answered, followWatched, watchRun } from "./watch.ts";
import { createWatchStore } from "./watch-store.ts";

const PACE_SECS = 60;
const MOST_RUNS = 200;
const LOG_WAIT_MS = 15_000;

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
  const launching = new Map<string, Promise<{ run_id: string }>>();
  const keepers = new Map<string, HostKeeper>();
  const paces = new Map<string, { step: number; time_secs: number }[]>();
  const closing = new AbortController();

  /** A fork of another seed learns on the questions of the run that it comes from, and is held to the same ones. */
  const inputsOf = (spec: RunSpec, host_id: string) =>
    inputs({ ...spec, seed: spec.forked_from?.root_seed ?? spec.seed }, host_id);

  const keeperOf = (host_id: string): HostKeeper => {
    let keeper = keepers.get(host_id);
    if (!keeper) {
      keeper = createHostKeeper({
        host_id,
        executor: () => hosts.executor(host_id),
        store,
        lines,
        ingest,
        hub,
        log,
        inputs: inputsOf,
        queue: {
          isEmpty: () => queue.waiting(host_id).length === 0,
          admit: () => admit(host_id),
        },
        onEnd: retry,
        onProgress(run_id, progress) {
          const pace = (paces.get(run_id) ?? []).filter(
            ({ step, time_secs }) => time_secs > progress.time_secs - PACE_SECS && step < progress.step,
          );
          paces.set(run_id, [...pace, progress]);
        },
      });
      keepers.set(host_id, keeper);
    }
    return keeper;
  };

  const admit = (host_id: string) => {
    if (queue.admit(host_id).length > 0) hub.changed("");
  };

  /** Starts what may start at once, and has the rest looked after. */
  const wakeQueue = (host_id: string) => {
    const keeper = keeperOf(host_id);
    if (keeper.silentSince() === null) admit(host_id);
    keeper.wake();
    hub.changed("");
  };

  /** Lets a run that has just failed go on by itself where its class of failure and its settings allow it. */
  const retry = (run_id: string) => {
    const run = store.get(run_id);
    if (!run || run.stop_requested_secs !== null || run.recorded) return;
    const attempts = store
      .attempts(run_id)
      .map((attempt) => ({ ...attempt, overrides: readOverrides(attempt.overrides) }));
    const { settings } = JSON.parse(run.spec) as RunSpec;
    const plan = planRetry(attempts, settings, run.max_retries);
    if (plan === null) return;
    const { why, overrides, delay_secs } = plan;
    queue.enqueueRetry(run, { cause: "retry", why, overrides }, Date.now() / 1000 + delay_secs);
    log.info({ run_id, why }, "a run goes on by itself");
  };

  const found = (run_id: string): RunRecord => {
    const run = store.get(run_id);
    if (!run) throw new TRPCError({ code: "NOT_FOUND", message: `There is no run ${run_id}.` });
    return run;
  };

  /** Whoever started a watched run decides over it. */
  const refuseWatched = (run: RunRecord, what: string) => {
    if (watches.get(run.run_id))
      throw new TRPCError({
        code: "PRECONDITION_FAILED",
        message: `${run.name} can't be ${what} from here: it was started elsewhere and is only watched.`,
      });
  };

  const watching = {
    hosts,
    store,
    watches,
    wake(host_id: string) {
      keeperOf(host_id).wake();
      hub.changed("");
    },
  };

  const summarise = (records: RunRecord[]): RunSummary[] => {
    const counts = store.attemptCounts();
    const sweepNames = store.sweepNames();
    const places = describeQueues(
      { queue, silentSince: (host_id) => keepers.get(host_id)?.silentSince() ?? null },
      records.filter((run) => run.queue_place !== null).map((run) => run.host_id),
    );
    return records.map((run) => {
      const isLive = !isEndState(run.state);
      return {
        run_id: run.run_id,
        name: run.name,
        engine: run.engine,
        preset: run.preset,
        seed: run.seed,
        state: run.state,
        problem: run.problem,
        host_id: run.host_id,
        attempts: counts.get(run.run_id) ?? 0,
        step: run.step,
        max_steps: run.max_steps,
        stage: run.stage,
        steps_per_sec: isLive ? pace(paces.get(run.run_id)) : null,
        created_secs: run.created_secs,
        ended_secs: run.ended_secs,
        trashed_secs: run.trashed_secs,
        simulated: run.simulated,
        recorded: run.recorded,
        watched: watches.get(run.run_id) !== null,
        queue: places.get(run.run_id) ?? null,
        max_retries: run.max_retries,
        sweep:
          run.sweep_id === null
            ? null
            : {
                sweep_id: run.sweep_id,
                name: sweepNames.get(run.sweep_id) ?? "",
                schedule: run.sweep_schedule ?? "",
              },
        forked_from:
          run.forked_from_run_id === null
            ? null
            : { run_id: run.forked_from_run_id, step: run.forked_from_step ?? 0 },
      };
    });
  };

  const list = (trash: boolean) => summarise(store.list(trash));

  const resumeHint = (run: RunRecord): string | null => {
    if (!isEndState(run.state)) return "It has not ended.";
    if (run.state === "done") return "It is done.";
    if (run.state === "lost") return "Its directory is gone from the host; launch it again.";
    if (watches.get(run.run_id)) return "It was started elsewhere and is only watched.";
    if (run.recorded) return "It was recorded elsewhere.";
    if (run.trashed_secs !== null) return "It is in the trash; restore it first.";
    return null;
  };

  const launch = async (request: LaunchRequest): Promise<{ run_id: string }> => {
    const known = store.byLaunchKey(request.launch_key);
    if (known) return { run_id: known.run_id };
    checkStages(request.stages);
    await hosts.ensureUsable(request.host_id);
    const { launch_key, host_id, max_retries = 0, fork = null, ...rest } = request;
    const spec: RunSpec = { run_id: newRunId(), ...rest };
    if (fork !== null) spec.forked_from = originOf(fork, host_id);
    await inputsOf(spec, host_id);
    // Before the row, so that nothing is written of a fork whose checkpoint is gone, and none can be pruned meanwhile.
    if (fork !== null) {
      forks.add({ run_id: spec.run_id, host_id });
      await checkpoints.pin(host_id, spec);
    }
    const run = store.create({ spec, host_id, launch_key, max_retries });
    if (fork !== null) forks.remove(run.run_id);
    wakeQueue(host_id);
    return { run_id: run.run_id };
  };

  const originOf = (fork: NonNullable<LaunchRequest["fork"]>, host_id: string): ForkOrigin => {
    const parent = found(fork.run_id);
    refuseWatched(parent, "forked");
    if (parent.host_id !== host_id)
      throw new TRPCError({
        code: "BAD_REQUEST",
        message: `The checkpoints of ${parent.name} lie on another host; fork it there.`,
      });
    const { forked_from } = JSON.parse(parent.spec) as RunSpec;
    return { ...fork, root_seed: forked_from?.root_seed ?? parent.seed };
  };

  const foundSweep = (sweep_id: string) => {
    const sweep = store.getSweep(sweep_id);
    if (!sweep) throw new TRPCError({ code: "NOT_FOUND", message: `There is no sweep ${sweep_id}.` });
    return sweep;
  };

  /** Asks a run that has a process to end; what waits or has ended stays as it is. */
  const stopRunning = (run_id: string) => {
    const run = found(run_id);
    if (isEndState(run.state) || run.queue_place !== null) return;
    store.ask(run_id, { stop_requested_secs: Date.now() / 1000, state: "stopping" });
    hub.changed(run_id);
    keeperOf(run.host_id).wake();
  };

  return {
    list: ({ trash }) => list(trash),

    get(run_id): RunDetail {
      const run = found(run_id);
      const [summary] = summarise([run]);
      if (!summary) throw new TRPCError({ code: "NOT_FOUND", message: `There is no run ${run_id}.` });
      const spec = JSON.parse(run.spec) as RunSpec;
      const hint = resumeHint(run);
      return {
        run: summary,
        spec,
        directory: hosts.executor(run.host_id).directory(run_id),
        attempts: store.attempts(run_id).map((attempt) => ({
          attempt: attempt.attempt,
          verdict: attempt.verdict,
          ended: attempt.phase === "ended",
          reason: attempt.reason,
          exit_code: attempt.exit_code,
          signal: attempt.signal,
          problem: attempt.problem,
          resume_step: attempt.resume_step,
          last_step: attempt.last_step,
          launched_secs: attempt.launched_secs,
          ended_secs: attempt.ended_secs,
          heartbeat_age_secs: attempt.heartbeat_age_secs,
          device: attempt.device,
          versions: JSON.parse(attempt.versions) as Record<string, string>,
          cause: attempt.cause,
          why: attempt.why,
          overrides: readOverrides(attempt.overrides),
        })),
        stages: lines
          .linesOf(run_id, "stage")
          .map(({ attempt, index, name, weights, normalised, from_step, from_epoch }) => {
            return { attempt, index, name, weights, normalised, from_step, from_epoch };
          }),
        checkpoints: lines
          .linesOf(run_id, "checkpoint")
          .map(({ attempt, step, path, bytes, complete }) => ({ attempt, step, path, bytes, complete })),
        metrics: lines.metricNames(run_id),
        lines: lines.countLines(run_id),
        quarantined: lines.quarantined(run_id),
        notes: lines.notes(run_id),
        resumable: hint === null,
        resume_hint: hint,
      };
    },

    presets: () => RUN_PRESETS,

    launch(request) {
      const begun = launching.get(request.launch_key);
      if (begun) return begun;
      const launched = launch(request).finally(() => launching.delete(request.launch_key));
      launching.set(request.launch_key, launched);
      return launched;
    },

    async launchSweep(request) {
      const known = store.sweepByKey(request.launch_key);
      if (known) return { sweep_id: known.sweep_id };
      const { launch_key, name, max_retries = 0, engine, preset, settings } = request;
      const cells = listCells(request);
      if (cells.length > MOST_RUNS)
        throw new TRPCError({
          code: "BAD_REQUEST",
          message: `${cells.length} runs are too many for one sweep; take at most ${MOST_RUNS}.`,
        });
      for (const { stages } of request.schedules) checkStages(stages);
      for (const host_id of new Set(request.host_ids)) await hosts.ensureUsable(host_id);
      const orders = cells.map(({ schedule, seed, host_id }) => {
        const run_name = `${name} · ${schedule.name} · seed ${seed}`;
        const { stages } = schedule;
        const spec = { run_id: newRunId(), name: run_name, engine, preset, seed, stages, settings };
        return { spec, host_id, max_retries, schedule: schedule.name };
      });
      const [first] = orders;
      if (first) await inputs(first.spec, first.host_id);
      const sweep_id = store.createSweep({ sweep_id: newRunId(), launch_key, name }, orders);
      for (const host_id of new Set(request.host_ids)) wakeQueue(host_id);
      return { sweep_id };
    },

    sweep: (sweep_id) => describeSweep(foundSweep(sweep_id), store.ofSweep(sweep_id)),

    async stopSweep(sweep_id) {
      foundSweep(sweep_id);
      const runs = store.ofSweep(sweep_id).filter((run) => !isEndState(run.state));
      // Those that wait first, so that none takes the place of one that is stopped.
      for (const run of runs) queue.cancel(run.run_id);
      for (const run of runs) stopRunning(run.run_id);
      for (const host_id of new Set(runs.map((run) => run.host_id))) wakeQueue(host_id);
    },

    async resumeSweep(sweep_id) {
      foundSweep(sweep_id);
      const runs = store.ofSweep(sweep_id).filter((run) => resumeHint(run) === null);
      for (const run of runs) queue.enqueue(run);
      for (const host_id of new Set(runs.map((run) => run.host_id))) wakeQueue(host_id);
      return { resumed: runs.length };
    },

    paces: (preset, host_ids) => host_ids.map((host_id) => findPace(store, preset, host_id)),

    lineage: (run_id) => findLineage(store, found(run_id)),

    checkpoints: (run_id) => checkpoints.list(found(run_id)),

    fetchCheckpoint: (run_id, step, to) => checkpoints.fetch(found(run_id), step, to),

    pruneCheckpoints(run_id, steps) {
      const run = found(run_id);
      refuseWatched(run, "pruned");
      return checkpoints.prune(run, steps);
    },

    watch: (request) => watchRun(watching, request, AbortSignal.timeout(LOG_WAIT_MS)),

    findElsewhere: ({ host_id, folder }) =>
      answered(() => hosts.executor(host_id).search(folder, AbortSignal.timeout(LOG_WAIT_MS))),

    watchedDirectory: (run_id) => watches.get(run_id)?.directory ?? null,

    async stop(run_id) {
      const run = found(run_id);
      refuseWatched(run, "stopped");
      if (isEndState(run.state)) return;
      if (queue.cancel(run_id)) wakeQueue(run.host_id);
      else stopRunning(run_id);
    },

    async checkpoint(run_id) {
      const run = found(run_id);
      refuseWatched(run, "asked for a checkpoint");
      const newest = store.newestAttempt(run_id);
      if (newest?.phase !== "live")
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: `${run.name} is not training, so there is nothing to save.`,
        });
      try {
        const wait = AbortSignal.timeout(LOG_WAIT_MS);
        await hosts.executor(run.host_id).control(newest, "checkpoint", wait);
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: `${run.name} can't be asked for a checkpoint now: ${error.message} Ask again when the host answers.`,
        });
      }
    },

    async resume(run_id) {
      const run = found(run_id);
      refuseWatched(run, "resumed");
      const newest = store.newestAttempt(run_id);
      if (newest && newest.phase !== "ended" && newest.attempt > 1) return { attempt: newest.attempt };
      if (run.queue_place !== null) return { attempt: (newest?.attempt ?? 0) + 1 };
      const hint = resumeHint(run);
      if (hint !== null)
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: `${run.name} can't be resumed: ${hint}`,
        });
      await hosts.ensureUsable(run.host_id);
      // Asked once more: while the host was looked at, another tab may have resumed it.
      if (isEndState(found(run_id).state)) queue.enqueue(run);
      wakeQueue(run.host_id);
      return { attempt: (newest?.attempt ?? 0) + 1 };
    },

    queues: () => listQueues(queue, hosts.ids()),

    moveInQueue(run_id, before_run_id) {
      const run = found(run_id);
      if (!queue.move(run, before_run_id))
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: `${run.name} no longer waits, so it can't be moved.`,
        });
      wakeQueue(run.host_id);
    },

    setRunsAtOnce(host_id, runs_at_once) {
      hosts.executor(host_id);
      queue.setLimit(host_id, runs_at_once);
      wakeQueue(host_id);
    },

    setMaxRetries(run_id, max_retries) {
      refuseWatched(found(run_id), "retried");
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

    completions(run_id, step) {
      found(run_id);
      const attempts = store.attempts(run_id);
      const groups = new Map<string, CompletionGroup>();
      for (const line of lines.completions(run_id, step)) {
        const key = `${line.attempt}:${line.gen}:${line.group_id}`;
        const group = groups.get(key) ?? openGroup(line, step > lastStepKept(attempts, line.attempt));
        group.prompt ??= line.prompt;
        group.completions.push(line);
        groups.set(key, group);
      }
      return [...groups.values()];
    },

    configs: (run_id) => lines.linesOf(run_id, "config"),

    async log({ run_id, attempt, offset, max_bytes }) {
      const run = found(run_id);
      try {
        const wait = AbortSignal.timeout(LOG_WAIT_MS);
        const piece = await hosts.executor(run.host_id).readLog({ run_id, attempt }, offset, max_bytes, wait);
        return {
          run_id,
          attempt,
          offset: piece.offset,
          next_offset: piece.offset + piece.bytes.length,
          size: piece.size,
          text: piece.bytes.toString("utf8"),
        };
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: `The log can't be read now: ${error.message} It is kept on the host; try again when the host answers.`,
        });
      }
    },

    follow: (request, signal) =>
      follow(
        {
          hub,
          lines,
          summaries: (run_ids) => summarise(store.some(run_ids)),
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
      for (const { host_id } of store.unended()) keeperOf(host_id);
      for (const host_id of queue.hosts()) keeperOf(host_id);
      void followWatched({ ...watching, log }, closing.signal);
      void clearForks({ plans: forks.list(), forks, store, hosts, log, signal: closing.signal });
      void adoptRuns({ hosts, store, log, signal: closing.signal }).then((host_ids) => {
        if (closing.signal.aborted) return;
        for (const host_id of host_ids) keeperOf(host_id).wake();
        if (host_ids.length > 0) hub.changed("");
      });
    },

    async close() {
      closing.abort();
      await Promise.all([...keepers.values()].map((keeper) => keeper.close()));
    },
  };
}

/** Refuses what could not run, with one sentence a fault. */
function checkStages(stages: RunSpec["stages"]): void {
  const faults = validateStages(stages);
  if (faults.length > 0) throw new TRPCError({ code: "BAD_REQUEST", message: faults.join(" ") });
}

/** As this server wrote them. */
function readOverrides(text: string): Record<string, number> {
  return JSON.parse(text) as Record<string, number>;
}

/** Sortable by time, unguessable, and safe as a folder name and a job name. */
function newRunId(): string {
  const time = Math.floor(Date.now() / 1000).toString(36);
  return `r${time}${randomBytes(4).toString("hex")}`;
}

function pace(points: { step: number; time_secs: number }[] | undefined): number | null {
  const first = points?.[0];
  const last = points?.at(-1);
  if (!first || !last || last.step - first.step < 2 || last.time_secs <= first.time_secs) return null;
  return (last.step - first.step) / (last.time_secs - first.time_secs);
}

function openGroup(line: LineOf<"completion">, rolled_back: boolean): CompletionGroup {
  const { attempt, gen, step, stage, group_id, question_id, clip_id, task, gold, prompt } = line;
  return {
    attempt,
    gen,
    step,
    stage,
    group_id,
    question_id,
    clip_id,
    task,
    gold,
    prompt,
    rolled_back,
    completions: [],
  };
}
