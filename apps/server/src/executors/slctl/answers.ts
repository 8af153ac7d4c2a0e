/** What slctl answers, parsed where it comes in. */
import type { ForeignRuns, HostFacts } from "@sightline/core/hosts";
import { END_REASONS } from "@sightline/core/wire";
import { z } from "zod";
import type {
  AttemptStatus,
  Chunk,
  FoundRun,
  HostCheckpoint,
  PruneReport,
  UsageReading,
} from "../executor.ts";

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

/** What slctl says of one attempt. */
export function readStatus(row: unknown): AttemptStatus {
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

/** What slctl says of several attempts. */
export const readStatuses = (rows: unknown): AttemptStatus[] =>
  z.array(z.unknown()).parse(rows).map(readStatus);

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

/** What slctl read of the streams; the bytes of all lie behind each other in `blob`. */
export function readChunks(rows: unknown, blob: Buffer): Chunk[] {
  let at = 0;
  return z
    .array(ReadChunk)
    .parse(rows)
    .map(({ bytes: length, oversized, line_bytes, ...chunk }) => {
      const bytes = blob.subarray(at, at + length);
      at += length;
      return { ...chunk, bytes, oversized: oversized ? (line_bytes ?? length) : null };
    });
}

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

/**
 * What slctl found out about its host.
 *
 * @param asked  The time on this machine at which the host told its own, and what came before the greeting.
 */
export function readFacts(row: unknown, asked: { time_secs: number; noise_bytes: number }): HostFacts {
  const facts = Facts.parse(row);
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
    clock_offset_secs: facts.time_secs - asked.time_secs,
    root_is_writable: folder.is_writable,
    root_has_locks: folder.has_locks,
    root_problem: folder.problem ?? null,
    linger: login.linger,
    kill_user_processes: login.kill_user_processes,
    noise_bytes: asked.noise_bytes,
  };
}

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

/** How busy slctl finds its host. */
export function readUsage(row: unknown): UsageReading {
  const { cpus, cpu, memory, disk, gpus, gpu_problem } = Usage.parse(row);
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
}

const Found = z.object({ run_id: z.string(), spec: z.unknown(), attempts: z.array(z.unknown()) });

/** The run directories that slctl found below its root. */
export function readFound(rows: unknown): FoundRun[] {
  return z
    .array(Found)
    .parse(rows)
    .map(({ run_id, spec, attempts }) => ({ run_id, spec, attempts: attempts.map(readStatus) }));
}

const Inspected = Found.extend({ run_dir: z.string() });

/** What lies in one run directory. */
export function readInspected(row: unknown): FoundRun & { directory: string } {
  const { run_dir, run_id, spec, attempts } = Inspected.parse(row);
  return { directory: run_dir, run_id, spec, attempts: attempts.map(readStatus) };
}

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

/** The run directories that slctl found below another folder. */
export function readSearched(header: unknown): ForeignRuns {
  const { folder, partial, runs } = Searched.parse(header);
  return { folder, partial, runs: runs.map(({ run_dir, ...run }) => ({ ...run, directory: run_dir })) };
}

const Checkpoint = z.object({
  step: z.number(),
  path: z.string(),
  complete: z.boolean(),
  bytes: z.number(),
  time_secs: z.number().nullable(),
  files: z.array(z.object({ path: z.string(), bytes: z.number() })),
});

export const readCheckpoints = (rows: unknown): HostCheckpoint[] => z.array(Checkpoint).parse(rows);

const Pruned = z.object({ removed: z.array(z.number()), freed_bytes: z.number() });

export const readPruned = (header: unknown): PruneReport => Pruned.parse(header);
