import type { HostFacts, RunSpec, VerdictState } from "@sightline/core/runs";

/** One process that works on a run. Its job is named `sl-<run>-<attempt>` wherever a name can be given. */
export type AttemptRef = { run_id: string; attempt: number };

/** Key of a ref in maps. */
export function refKey(ref: AttemptRef): string {
  return `sl-${ref.run_id}-${ref.attempt}`;
}

/** What to start. `launch` with the same ref again starts nothing and succeeds. */
export type LaunchOrder = AttemptRef & {
  spec: RunSpec;
  /** Checkpoint to go on from, relative to the run directory; null begins at step 0. */
  resume_from: { step: number; path: string } | null;
};

/** What a host says of one attempt. */
export type AttemptStatus = {
  verdict: Exclude<VerdictState, "unreachable">;
  exit_code: number | null;
  signal: string | null;
  /** By the host's own clock. */
  heartbeat_age_secs: number | null;
  /** What the host found, in its own words, or null. */
  detail: string | null;
};

/** How far a file was read: `offset` bytes of the file that had `inode`. */
export type FileCursor = { file: string; inode: string; offset: number };

/** Bytes of one file of an attempt, as they stand on the host, torn last line included. */
export type Chunk = {
  file: string;
  inode: string;
  /** Size of the file when it was read. */
  size: number;
  offset: number;
  bytes: Buffer;
};

/** No answer came: the host, its link or its Python is away. It says nothing about the runs there. */
export class UnreachableError extends Error {
  override name = "UnreachableError";
}

/** The host answered that it cannot do what was asked; the message says what to do. */
export class HostRefusedError extends Error {
  override name = "HostRefusedError";
}

/**
 * The way to reach a host. This machine, an SSH host, Slurm and Ray are told apart only here.
 *
 * Methods throw `UnreachableError` when no answer came and `HostRefusedError` when the answer was no.
 */
export interface Executor {
  readonly kind: "local" | "ssh" | "slurm" | "ray";
  /** Looks at the host without changing it. */
  doctor(signal: AbortSignal): Promise<HostFacts>;
  /** Starts an attempt that outlives this server and the link to the host. Idempotent on the ref. */
  launch(order: LaunchOrder, signal: AbortSignal): Promise<void>;
  /** One question for all refs; the answer has an entry, by `refKey`, for each. */
  status(refs: AttemptRef[], signal: AbortSignal): Promise<Map<string, AttemptStatus>>;
  /**
   * Streams the attempt's event and completion files from the cursors on, and goes on with what is appended.
   * Ends when `signal` aborts; throws `UnreachableError` when the link breaks. A file that is not among the cursors
   * is read from 0; a cursor whose inode or size no longer fits is read from 0 too.
   */
  follow(ref: AttemptRef, cursors: FileCursor[], signal: AbortSignal): AsyncIterable<Chunk>;
  /** Reads a piece of one file of the attempt, for instance `log.txt`; empty beyond its end. */
  readFile(
    ref: AttemptRef,
    file: string,
    offset: number,
    max_bytes: number,
    signal: AbortSignal,
  ): Promise<Chunk>;
  /** `stop` saves a checkpoint and ends; `kill` ends the process group now. */
  control(ref: AttemptRef, command: "stop" | "checkpoint" | "kill", signal: AbortSignal): Promise<void>;
  /** Every attempt that has a directory on the host, for adoption after a lost answer. */
  find(signal: AbortSignal): Promise<AttemptRef[]>;
  /** Ends the link; runs go on. */
  close(): Promise<void>;
}
