import { setImmediate } from "node:timers/promises";
import { endProblem, isEndState, type RunSpec, runState } from "@sightline/core/runs";
import PQueue from "p-queue";
import type { Logger } from "pino";
import {
  type AttemptRef,
  type AttemptStatus,
  type Chunk,
  type Executor,
  HostRefusedError,
  type LaunchOrder,
  refKey,
  UnreachableError,
} from "../../executors/executor.ts";
import type { Ingest } from "../../ingest/ingest.ts";
import { createFlag, pause, type RunHub } from "./hub.ts";
import type { LineStore } from "./line-store.ts";
import type { AttemptRecord } from "./schema.ts";
import { addStep, type StepTimes, stalledSecs } from "./stall.ts";
import type { RunStore } from "./store.ts";

const LOOK_MS = 2000;
const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 10_000;
/** Silence of a host that is not yet said aloud: a session that was lost is back sooner. */
const UNREACHABLE_MS = 4000;
/** An answer with more than this may have left a stream out that had something too. */
const FULL_ANSWER_BYTES = 1_000_000;
/** Most bytes taken in at once, so that requests are answered in between. */
const BITE_BYTES = 262_144;
const LAUNCHES_AT_ONCE = 4;
const STALL_SECS = 600;

const now = () => Date.now() / 1000;

/** Looks after the attempts of one host: launches, watches, reads, ends. */
export type HostKeeper = {
  /** Something was written for this host: look at once. */
  wake(): void;
  /** Since when the host has not answered, by `performance.now()`; null while it does, or was not asked yet. */
  silentSince(): number | null;
  close(): Promise<void>;
};

export type KeeperParts = {
  host_id: string;
  /** The way to the host; another one after the host was detached and brought back. */
  executor(): Executor;
  store: RunStore;
  lines: LineStore;
  ingest: Ingest;
  hub: RunHub;
  log: Logger;
  /** Those that wait for this host. */
  queue: {
    isEmpty(): boolean;
    /** Gives attempts to those for which there is room. */
    admit(): void;
  };
  /** An attempt has ended: within the transaction that says so. */
  onEnd(run_id: string): void;
  /** What an attempt gets along with its spec. */
  inputs(spec: RunSpec, host_id: string): Promise<Pick<LaunchOrder, "python" | "data">>;
  onProgress(run_id: string, progress: { step: number; time_secs: number }): void;
};

/**
 * What is remembered of an attempt between two looks; all of it can be found out again. Its times are of
 * `performance.now()`: the time of day may be set meanwhile.
 */
type Watched = {
  dead_since: number | null;
  quiet_read: number | null;
  stop_sent: boolean;
  steps: StepTimes | undefined;
};

/**
 * Brings what should be and what is together for one host, for as long as it is open: two loops, one that asks for the
 * state of every attempt that has not ended, one that reads their streams. Nothing here is remembered that a restart
 * would miss: the rows say what was asked for, the host says what is.
 */
export function createHostKeeper(parts: KeeperParts): HostKeeper {
  const { host_id, executor, store, lines, ingest, hub, log } = parts;
  const closing = new AbortController();
  const lookNow = createFlag();
  const readNow = createFlag();
  const watched = new Map<string, Watched>();
  let reading: AbortController | null = null;
  let silentSince: number | null = null;

  const watch = (ref: AttemptRef): Watched => {
    const key = refKey(ref);
    const known = watched.get(key) ?? {
      dead_since: null,
      quiet_read: null,
      stop_sent: false,
      steps: undefined,
    };
    watched.set(key, known);
    return known;
  };

  const rereadStreams = () => {
    readNow.raise();
    reading?.abort();
  };

  /** Writes the run's state anew after its newest attempt changed. */
  const settleRun = (run_id: string) => {
    const run = store.get(run_id);
    const attempt = store.newestAttempt(run_id);
    if (!run || !attempt || run.queue_place !== null) return;
    const state = runState({
      attempt: { ...attempt, ended: attempt.phase === "ended" },
      launched: attempt.phase !== "launching",
      stop_requested: run.stop_requested_secs !== null,
    });
    const problem = attempt.problem;
    const ended_secs = isEndState(state) ? attempt.ended_secs : null;
    if (run.state === state && run.problem === problem && run.ended_secs === ended_secs) return;
    store.changeRun(run_id, { state, problem, ended_secs });
    hub.changed(run_id);
  };

  const changeAttempt = (record: AttemptRecord, change: Partial<AttemptRecord>) => {
    const isSame = (Object.keys(change) as (keyof AttemptRecord)[]).every(
      (key) => record[key] === change[key],
    );
    if (!isSame) store.changeAttempt(record, change);
    settleRun(record.run_id);
  };

  /** Writes an attempt's end, and what follows from it, at once. */
  const changeToEnded = (record: AttemptRecord, change: Partial<AttemptRecord>) => {
    store.atomically(() => {
      changeAttempt(record, { ...change, phase: "ended", ended_secs: now() });
      parts.onEnd(record.run_id);
    });
    hub.changed(record.run_id);
    lookNow.raise();
  };

  /** Closes an attempt that is proven dead and read to its last line. */
  const end = (record: AttemptRecord, status: AttemptStatus) => {
    ingest.finish(record);
    watched.delete(refKey(record));
    const current = store.attempt(record) ?? record;
    const reason = status.reason ?? current.reason;
    const facts = {
      verdict: status.verdict,
      reason,
      exit_code: status.exit_code ?? current.exit_code,
      signal: status.signal,
    };
    const error =
      reason === "done" || reason === "stopped" ? null : lines.lastError(record.run_id, record.attempt);
    const problem = error ? [error.message, error.hint].filter(Boolean).join(" ") : endProblem(facts);
    changeToEnded(current, { ...facts, heartbeat_age_secs: null, problem });
  };

  const observe = (record: AttemptRecord, status: AttemptStatus) => {
    const state = watch(record);
    if (!status.dead) {
      state.dead_since = null;
      const silence =
        status.verdict === "running" ? stalledSecs(state.steps, performance.now() / 1000, STALL_SECS) : null;
      changeAttempt(record, {
        phase: "live",
        verdict: silence === null ? status.verdict : "stalled",
        heartbeat_age_secs: status.heartbeat_age_secs,
        problem: silence === null ? liveProblem(status) : stallProblem(silence),
      });
      return;
    }
    if (state.dead_since === null) {
      state.dead_since = performance.now();
      rereadStreams();
    }
    // A stream that never came to be can't end; a look at it after the death that found nothing is as good.
    const isSilent = state.quiet_read !== null && state.quiet_read > state.dead_since;
    if (ingest.isReadOut(record) || isSilent) end(record, status);
    else changeAttempt(record, { phase: "live", verdict: status.verdict });
  };

  const getInputs = (spec: RunSpec) =>
    parts.inputs(spec, host_id).catch((error: unknown) => {
      throw new HostRefusedError("no_inputs", error instanceof Error ? error.message : String(error));
    });

  /** Starts an attempt whose launch was never confirmed. Asking twice starts one process. */
  const launch = async (record: AttemptRecord) => {
    const run = store.get(record.run_id);
    if (!run) return;
    if (run.stop_requested_secs !== null) {
      const status = (await executor().status([record], closing.signal)).get(refKey(record));
      if (status?.verdict === "lost") {
        changeToEnded(record, { verdict: "lost", reason: "stopped" });
        return;
      }
    }
    try {
      const spec = JSON.parse(run.spec) as RunSpec;
      const status = await executor().launch(
        {
          run_id: record.run_id,
          attempt: record.attempt,
          spec,
          overrides: JSON.parse(record.overrides) as Record<string, number>,
          note: record.why,
          ...(await getInputs(spec)),
        },
        closing.signal,
      );
      observe(record, status);
      rereadStreams();
    } catch (error) {
      if (!(error instanceof HostRefusedError)) throw error;
      // An older attempt that is dying holds its lock a moment longer than its rows say.
      if (error.code === "alive" && now() - record.launched_secs < 30) return;
      log.warn({ run_id: record.run_id, attempt: record.attempt, code: error.code }, "launch refused");
      changeToEnded(record, {
        verdict: "lost",
        reason: "failed",
        problem: `It could not be started: ${error.message}`,
      });
    }
  };

  const stop = async (record: AttemptRecord) => {
    const state = watch(record);
    if (state.stop_sent) return;
    await executor().control(record, "stop", closing.signal);
    state.stop_sent = true;
  };

  /** Takes from the queue only what a host that answers can start now: what waits can still be moved and cancelled. */
  const admit = async () => {
    if (parts.queue.isEmpty()) return;
    await executor().status([{ run_id: "queue", attempt: 1 }], closing.signal);
    parts.queue.admit();
  };

  const look = async () => {
    await admit();
    const unended = store.unended(host_id);
    if (unended.length === 0) return;
    const queue = new PQueue({ concurrency: LAUNCHES_AT_ONCE });
    const launching = unended.filter(({ phase }) => phase === "launching");
    await Promise.all(launching.map((record) => queue.add(() => launch(record))));
    const live = store.unended(host_id).filter(({ phase }) => phase === "live");
    const answers = await executor().status(live, closing.signal);
    for (const record of live) {
      const status = answers.get(refKey(record));
      if (!status) continue;
      observe(record, status);
      if (!status.dead && store.get(record.run_id)?.stop_requested_secs) await stop(record);
    }
  };

  const sayUnreachable = (error: UnreachableError) => {
    if (silentSince === null) hub.changed("");
    silentSince ??= performance.now();
    if (performance.now() - silentSince < UNREACHABLE_MS) return;
    for (const record of store.unended(host_id))
      changeAttempt(record, {
        verdict: "unreachable",
        problem: `The host does not answer: ${error.message}`,
      });
  };

  const runLookLoop = async () => {
    while (!closing.signal.aborted) {
      lookNow.lower();
      try {
        await look();
        if (silentSince !== null) hub.changed("");
        silentSince = null;
      } catch (error) {
        if (closing.signal.aborted) return;
        if (error instanceof UnreachableError) sayUnreachable(error);
        else log.error({ err: error, host_id }, "looking after runs failed");
      }
      await lookNow.wait(closing.signal, LOOK_MS);
    }
  };

  const take = (chunks: Chunk[]) => {
    const taken = ingest.apply(chunks);
    for (const [run_id, progress] of taken.progress) {
      parts.onProgress(run_id, progress);
      const state = watch({ run_id, attempt: progress.attempt });
      state.steps = addStep(state.steps, progress.step, performance.now() / 1000);
    }
    if (taken.rows > 0) for (const run_id of taken.run_ids) hub.lines(run_id);
    if (taken.ended.length > 0) lookNow.raise();
  };

  const takeIn = async (chunks: Chunk[]) => {
    const failures: unknown[] = [];
    for (let at = 0; at < chunks.length; ) {
      let bytes = 0;
      const from = at;
      while (at < chunks.length && bytes < BITE_BYTES) bytes += chunks[at++]?.bytes.length ?? 0;
      const bite = chunks.slice(from, at);
      try {
        take(bite);
      } catch {
        // Stream by stream, so that what can't be stored of one run does not hold up the others.
        for (const chunk of bite) {
          try {
            take([chunk]);
          } catch (error) {
            failures.push(error);
          }
        }
      }
      await setImmediate();
    }
    if (failures.length > 0) throw failures[0];
  };

  const runReadLoop = async () => {
    let pauseMs = FIRST_PAUSE_MS;
    let turn = 0;
    while (!closing.signal.aborted) {
      readNow.lower();
      const refs = store.unended(host_id).filter(({ phase }) => phase === "live");
      const streams = refs.flatMap((ref) => ingest.cursors(ref));
      if (refs.length === 0) {
        await readNow.wait(closing.signal);
        continue;
      }
      // The host serves the first cursors first; taking turns, a loud run can't silence the others.
      turn = (turn + 1) % Math.max(1, streams.length);
      const cursors = [...streams.slice(turn), ...streams.slice(0, turn)];
      reading = new AbortController();
      const began = performance.now();
      try {
        const chunks = cursors.length > 0 ? await executor().read(cursors, reading.signal) : [];
        if (closing.signal.aborted) return;
        await takeIn(chunks);
        noteQuiet(refs, chunks, began);
        if (cursors.length === 0) await readNow.wait(closing.signal);
        pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (closing.signal.aborted) return;
        if (!(error instanceof UnreachableError)) log.error({ err: error, host_id }, "reading runs failed");
        await pause(pauseMs, closing.signal);
        pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS);
      } finally {
        reading = null;
      }
    }
  };

  const noteQuiet = (refs: AttemptRef[], chunks: Chunk[], began: number) => {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
    if (bytes > FULL_ANSWER_BYTES) return;
    for (const ref of refs) {
      if (chunks.some((chunk) => refKey(chunk) === refKey(ref))) continue;
      const state = watch(ref);
      state.quiet_read = began;
      if (state.dead_since !== null && began > state.dead_since) lookNow.raise();
    }
  };

  const loops = Promise.all([runLookLoop(), runReadLoop()]);

  return {
    wake() {
      lookNow.raise();
      rereadStreams();
    },
    silentSince: () => silentSince,
    async close() {
      closing.abort();
      reading?.abort();
      await executor().close();
      await loops;
    },
  };
}

function stallProblem(silence_secs: number): string {
  return `It lives and has not finished a step for ${Math.round(silence_secs / 60)} min. Wait, read its log, or stop it.`;
}

function liveProblem({ verdict, why }: AttemptStatus): string | null {
  if (verdict === "orphaned") return "Its supervisor died; it trains on, and a stop still reaches it.";
  if (verdict === "stalled") return `It lives and reports nothing (${why}). Wait, or stop it.`;
  return null;
}
