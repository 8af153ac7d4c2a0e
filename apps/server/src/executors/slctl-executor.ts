import type { ForeignRuns, HostFacts } from "@sightline/core/hosts";
import { END_REASONS } from "@sightline/core/wire";
import { z } from "zod";
import {
  type AttemptStatus,
  type Chunk,
  type Elsewhere,
  type Executor,
  type FoundRun,
  HostRefusedError,
  type LogPiece,
  refKey,
  UnreachableError,
  type UsageReading,
} from "./executor.ts";
import { type Answer, openSlctlSession, type SlctlSession } from "./slctl-session.ts";

/** The pipes of one `slctl serve`, wherever it runs. */
export type SlctlChannel = {
  input: NodeJS.WritableStream & import("node:stream").Writable;
  output: import("node:stream").Readable;
  /** Ends the channel's own process at once. */
  kill(): void;
  /** What the channel's process said on stderr, for error messages. */
  lastWords(): string;
  /** Bytes that a login shell printed before slctl could speak; absent where there is no such shell. */
  noise_bytes?: number;
};

/** An executor whose host runs slctl. */
export type SlctlExecutor = Executor & {
  /** Asks slctl for what no executor has in common. */
  ask(op: string, fields: Record<string, unknown>, signal: AbortSignal): Promise<Answer["header"]>;
  /** Forgets what failed before: the next request tries at once. */
  tryAgain(): void;
};

const READ_WAIT_SECS = 20;
const READ_BYTES = 4 * 1_048_576;
const ANSWER_SECS = 20;
const LAUNCH_SECS = 60;
/** For what reads or copies gigabytes on the host. */
const SLOW_SECS = 600;
type RetryMs = { first: number; last: number; refused?: number };
const LOCAL_RETRY_MS: RetryMs = { first: 250, last: 15_000 };

const Status = z.object({
  run_id: z.string(),
  attempt: z.number(),
  state: z.enum(["starting", "running", "stalled", "orphaned", "finished", "interrupted", "killed", "lost"]),
  why: z.string(),
  is_dead: z.boolean(),
  exit: z
    .object({
      code: z.number().nullish(),
      signal: z.string().nullish(),
      reason: z.enum(END_REASONS).nullish(),
    })
    .nullable(),
  heartbeat_age_secs: z.number().nullable(),
});

const Cursor = z.object({
  run_id: z.string(),
  attempt: z.number(),
  stream: z.enum(["events", "completions"]),
  segment: z.number(),
  offset: z.number(),
  inode: z.number().nullable(),
});

const ReadChunk = z.object({
  run_id: z.string(),
  attempt: z.number(),
  stream: z.enum(["events", "completions"]),
  segment: z.number(),
  inode: z.number().nullable(),
  offset: z.number(),
  bytes: z.number(),
  next: Cursor,
  reset: z.boolean(),
  torn: z.boolean(),
  oversized: z.boolean(),
  line_bytes: z.number().optional(),
  ended: z.boolean(),
});

const Facts = z.object({
  slctl: z.string(),
  python: z.string(),
  python_path: z.string(),
  host: z.string(),
  user: z.string(),
  boot_id: z.string(),
  time_secs: z.number(),
  cpus: z.number(),
  memory: z.object({ total_bytes: z.number(), available_bytes: z.number() }),
  gpus: z.array(z.object({ name: z.string(), memory_bytes: z.number() })),
  gpu_problem: z.string().nullable(),
  root: z.object({
    disk_total_bytes: z.number().optional(),
    disk_free_bytes: z.number().optional(),
    is_writable: z.boolean(),
    has_locks: z.boolean(),
    problem: z.string().optional(),
  }),
  login: z.object({ linger: z.boolean().nullable(), kill_user_processes: z.boolean().nullable() }),
});

const Gpu = z.object({
  index: z.number(),
  uuid: z.string(),
  name: z.string(),
  memory_bytes: z.number(),
  used_bytes: z.number().nullable(),
  util: z.number().nullable(),
  temperature_c: z.number().nullable(),
  mig: z.boolean(),
});

const Usage = z.object({
  cpus: z.number(),
  cpu: z.object({ busy: z.number(), all: z.number() }).nullable(),
  memory: z.object({ total_bytes: z.number(), available_bytes: z.number() }),
  disk: z.object({ total_bytes: z.number(), free_bytes: z.number() }).nullable(),
  gpus: z.array(Gpu),
  gpu_problem: z.string().nullable(),
});

const Inspected = z.object({
  run_id: z.string(),
  run_dir: z.string(),
  spec: z.unknown(),
  attempts: z.array(z.unknown()),
});

const Searched = z.object({
  folder: z.string(),
  partial: z.boolean(),
  runs: z.array(
    z.object({
      run_id: z.string(),
      run_dir: z.string(),
      name: z.string(),
      attempts: z.number(),
      written_secs: z.number(),
    }),
  ),
});

const Checkpoint = z.object({
  step: z.number(),
  path: z.string(),
  complete: z.boolean(),
  bytes: z.number(),
  time_secs: z.number().nullable(),
  files: z.array(z.object({ path: z.string(), bytes: z.number() })),
});

const Pruned = z.object({ removed: z.array(z.number()), freed_bytes: z.number() });

function toStatus(row: unknown): AttemptStatus {
  const { run_id, attempt, state, why, is_dead, exit, heartbeat_age_secs } = Status.parse(row);
  return {
    run_id,
    attempt,
    verdict: state,
    dead: is_dead,
    why,
    exit_code: exit?.code ?? null,
    signal: exit?.signal ?? null,
    reason: exit?.reason ?? null,
    heartbeat_age_secs,
  };
}

/** Why a channel could not be opened, and whether trying again by ourselves is right. */
type OpenFailure = Error & { is_stop?: boolean; exit_code?: number | null };

/**
 * An executor that speaks to `slctl serve`. A lost session is opened again by the next request, with growing pauses.
 *
 * @param options.open  Starts one `slctl serve` and gives its pipes; throws `UnreachableError` when it can't.
 * @param options.root  The folder of all run directories, on the host.
 * @param options.python  The interpreter that trains, or null for the one that runs slctl.
 * @param options.elsewhere  Says of which runs the directory lies outside the root.
 * @param options.retry_ms  Shortest and longest pause after a failure, and the pause where the host refused us. After a
 *   failure that is a stop nothing is tried until `tryAgain`.
 */
export function createSlctlExecutor(options: {
  kind: Executor["kind"];
  root: string;
  python: string | null;
  open(): Promise<SlctlChannel>;
  retry_ms?: RetryMs;
  elsewhere?: Elsewhere | undefined;
}): SlctlExecutor {
  const { root, retry_ms = LOCAL_RETRY_MS, elsewhere = () => null } = options;
  let session: SlctlSession | null = null;
  let opening: Promise<SlctlSession> | null = null;
  let failures = 0;
  let retryAt = 0;
  let lastReason = "";
  let lastFailure: Error | null = null;
  let closed = false;
  let noise_bytes = 0;

  /** Pauses grow, and differ a little so that many hosts that were lost together are not asked together. */
  const pauseAfter = ({ is_stop, exit_code }: OpenFailure): number => {
    if (is_stop) return Number.POSITIVE_INFINITY;
    if (exit_code != null) return retry_ms.refused ?? retry_ms.last;
    return Math.min(retry_ms.last, retry_ms.first * 2 ** failures) * (0.75 + Math.random() / 2);
  };

  const open = async (): Promise<SlctlSession> => {
    if (closed) throw new UnreachableError("The link to the host was closed.");
    if (Date.now() < retryAt) throw lastFailure ?? new UnreachableError(lastReason);
    try {
      const channel = await options.open();
      noise_bytes = channel.noise_bytes ?? 0;
      const opened = openSlctlSession({
        input: channel.input,
        output: channel.output,
        onEnd(reason) {
          lastReason = [reason, channel.lastWords()].filter(Boolean).join(" ");
          if (session === opened) session = null;
          channel.kill();
        },
      });
      const timer = setTimeout(
        () => opened.end(`The host did not greet within ${ANSWER_SECS} s.`),
        ANSWER_SECS * 1000,
      );
      try {
        await opened.ready;
      } catch {
        throw new UnreachableError(lastReason);
      } finally {
        clearTimeout(timer);
      }
      if (closed) {
        opened.end("The link to the host was closed.");
        throw new UnreachableError("The link to the host was closed.");
      }
      failures = 0;
      session = opened;
      return opened;
    } catch (error) {
      lastFailure = error instanceof Error ? error : new UnreachableError(String(error));
      lastReason = lastFailure.message;
      retryAt = Date.now() + pauseAfter(lastFailure);
      failures += 1;
      throw error;
    }
  };

  const request = async (
    op: string,
    fields: Record<string, unknown>,
    signal?: AbortSignal,
    timeout_secs = ANSWER_SECS,
  ): Promise<Answer> => {
    if (!session || session.ended) {
      opening ??= open().finally(() => {
        opening = null;
      });
      await opening;
    }
    if (!session) throw new UnreachableError(lastReason);
    return session.request(op, { root, ...fields }, { timeout_secs, ...(signal ? { signal } : {}) });
  };

  /** What a question names a run by. */
  const nameOf = (run_id: string) => {
    const dir = elsewhere(run_id);
    return dir === null ? { run_id } : { run_id, dir };
  };
  const refuseWatched = (run_id: string) => {
    if (elsewhere(run_id) !== null)
      throw new HostRefusedError("watched", "The run was started elsewhere; it is only looked at.");
  };

  return {
    kind: options.kind,
    directory: (run_id) => elsewhere(run_id) ?? `${root}/${run_id}`,

    async doctor(signal): Promise<HostFacts> {
      await request("ping", {}, signal);
      const before = Date.now() / 1000;
      const { header } = await request("doctor", {}, signal);
      const facts = Facts.parse(header.facts);
      const now = (before + Date.now() / 1000) / 2;
      const { memory, root: folder, login } = facts;
      return {
        hostname: facts.host,
        user: facts.user,
        python: facts.python,
        python_path: facts.python_path,
        slctl: facts.slctl,
        cpus: facts.cpus,
        memory_bytes: memory.total_bytes,
        memory_free_bytes: memory.available_bytes,
        disk_bytes: folder.disk_total_bytes ?? 0,
        disk_free_bytes: folder.disk_free_bytes ?? 0,
        gpus: facts.gpus.map(({ name, memory_bytes }) => ({ name, memory_bytes })),
        gpu_problem: facts.gpu_problem,
        boot_id: facts.boot_id,
        clock_offset_secs: facts.time_secs - now,
        root_is_writable: folder.is_writable,
        root_has_locks: folder.has_locks,
        root_problem: folder.problem ?? null,
        linger: login.linger,
        kill_user_processes: login.kill_user_processes,
        noise_bytes,
      };
    },

    async usage(signal): Promise<UsageReading> {
      const { header } = await request("usage", {}, signal);
      const { cpus, cpu, memory, disk, gpus, gpu_problem } = Usage.parse(header.usage);
      return {
        cpus,
        cpu,
        memory_bytes: memory.total_bytes,
        memory_used_bytes: memory.total_bytes - memory.available_bytes,
        disk_bytes: disk?.total_bytes ?? null,
        disk_free_bytes: disk?.free_bytes ?? null,
        gpus,
        gpu_problem,
      };
    },

    async launch({ spec, attempt, python, data, overrides, note }, signal) {
      refuseWatched(spec.run_id);
      const fields = {
        spec,
        attempt,
        executor: options.kind,
        ...(data ? { data } : {}),
        ...(overrides && Object.keys(overrides).length > 0 ? { overrides } : {}),
        ...(note ? { note } : {}),
        ...((python ?? options.python) ? { python: python ?? options.python } : {}),
      };
      const { header } = await request("launch", fields, signal, LAUNCH_SECS);
      return toStatus(header.status);
    },

    async status(refs, signal) {
      if (refs.length === 0) return new Map();
      const attempts = refs.map(({ run_id, attempt }) => ({ ...nameOf(run_id), attempt }));
      const { header } = await request("status", { attempts }, signal);
      const rows = z.array(z.unknown()).parse(header.attempts).map(toStatus);
      return new Map(rows.map((row) => [refKey(row), row]));
    },

    async read(cursors, signal): Promise<Chunk[]> {
      const { header, blob } = await request(
        "read",
        {
          cursors: cursors.map((cursor) => ({ ...cursor, ...nameOf(cursor.run_id) })),
          wait_secs: READ_WAIT_SECS,
          max_bytes: READ_BYTES,
        },
        signal,
        READ_WAIT_SECS + ANSWER_SECS,
      );
      let at = 0;
      return z
        .array(ReadChunk)
        .parse(header.chunks)
        .map(({ bytes: length, oversized, line_bytes, ...chunk }) => {
          const bytes = blob.subarray(at, at + length);
          at += length;
          return { ...chunk, bytes, oversized: oversized ? (line_bytes ?? length) : null };
        });
    },

    async readLog({ run_id, attempt }, offset, max_bytes, signal): Promise<LogPiece> {
      try {
        const { header, blob } = await request(
          "log",
          { ...nameOf(run_id), attempt, offset, max_bytes },
          signal,
        );
        return { offset: z.number().parse(header.offset), size: z.number().parse(header.size), bytes: blob };
      } catch (error) {
        if (error instanceof HostRefusedError && error.code === "not_found")
          return { offset: 0, size: 0, bytes: Buffer.alloc(0) };
        throw error;
      }
    },

    async control({ run_id, attempt }, command, signal) {
      refuseWatched(run_id);
      await request("control", { run_id, attempt, command }, signal);
    },

    async find(signal): Promise<FoundRun[]> {
      const { header } = await request("find", {}, signal);
      return z
        .array(z.object({ run_id: z.string(), spec: z.unknown(), attempts: z.array(z.unknown()) }))
        .parse(header.runs)
        .map(({ run_id, spec, attempts }) => ({ run_id, spec, attempts: attempts.map(toStatus) }));
    },

    async ask(op, fields, signal) {
      return (await request(op, fields, signal)).header;
    },

    tryAgain() {
      failures = 0;
      retryAt = 0;
    },

    async inspect(directory, signal) {
      const { header } = await request("inspect", { dir: directory }, signal);
      const { run_dir, run_id, spec, attempts } = Inspected.parse(header.run);
      return { directory: run_dir, run_id, spec, attempts: attempts.map(toStatus) };
    },

    async checkpoints(run_id, signal) {
      const { header } = await request("checkpoints", nameOf(run_id), signal);
      return z.array(Checkpoint).parse(header.checkpoints);
    },

    async readFile(run_id, path, offset, max_bytes, signal) {
      const { blob } = await request("fetch", { ...nameOf(run_id), path, offset, max_bytes }, signal);
      return blob;
    },

    async digest(run_id, path, signal) {
      const { header } = await request("digest", { ...nameOf(run_id), path }, signal, SLOW_SECS);
      return z.string().parse(header.sha256);
    },

    async prune(run_id, steps, signal) {
      const { header } = await request("prune", { run_id, steps }, signal, SLOW_SECS);
      return Pruned.parse(header);
    },

    async fork(spec, signal) {
      await request("fork", { spec }, signal, SLOW_SECS);
    },

    async discard(run_id, signal) {
      refuseWatched(run_id);
      await request("gc", { run_id, keep: "nothing" }, signal, SLOW_SECS);
    },

    async search(folder, signal): Promise<ForeignRuns> {
      const { header } = await request("search", { folder }, signal);
      const { folder: looked, partial, runs } = Searched.parse(header);
      return {
        folder: looked,
        partial,
        runs: runs.map(({ run_dir, ...run }) => ({ ...run, directory: run_dir })),
      };
    },

    async close() {
      closed = true;
      session?.end("The link to the host was closed.");
      await opening?.catch(() => undefined);
    },
  };
}
