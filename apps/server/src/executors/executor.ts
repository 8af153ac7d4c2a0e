import type { ForeignRuns, HostUsage } from "@sightline/core/hosts";
import type { HostFacts, RunSpec, VerdictState } from "@sightline/core/runs";
import type { EndReason } from "@sightline/core/wire";

/** One process that works on a run. Its job is named `sl-<run>-<attempt>` wherever a name can be given. */
export type AttemptRef = { run_id: string; attempt: number };

/** The job's name, and the key of a ref in maps. */
export function refKey(ref: AttemptRef): string {
  return `sl-${ref.run_id}-${ref.attempt}`;
}

/** What to start. It goes on from the newest complete checkpoint of the run directory, or begins anew. */
export type LaunchOrder = AttemptRef & {
  spec: RunSpec;
  /** The interpreter that trains; the one that runs the supervisor when there is none. */
  python?: string | null;
  /** Files of the run's `data` folder, by name; written unless they are there. */
  data?: Record<string, string>;
  /** Settings in which this attempt differs from the spec. */
  overrides?: Record<string, number>;
  /** Written into the attempt's events: why it is made; null for one that a person asked for. */
  note?: string | null;
};

/** What a host says of one attempt. */
export type AttemptStatus = AttemptRef & {
  verdict: Exclude<VerdictState, "unreachable">;
  /** True when there is proof that no process works on it any more. */
  dead: boolean;
  /** What the verdict rests on, in the host's words. */
  why: string;
  exit_code: number | null;
  signal: string | null;
  reason: EndReason | null;
  /** By the host's own clock. */
  heartbeat_age_secs: number | null;
};

/** A checkpoint as it lies on a host. */
export type HostCheckpoint = {
  step: number;
  /** Relative to the run directory; those of `files` are relative to this. */
  path: string;
  complete: boolean;
  bytes: number;
  /** When it was whole, by the host's clock; null while it isn't. */
  time_secs: number | null;
  files: { path: string; bytes: number }[];
};

export type PruneReport = { removed: number[]; freed_bytes: number };

/** A run directory found on a host. */
export type FoundRun = { run_id: string; spec: unknown; attempts: AttemptStatus[] };

/** Where a reader stands in one stream of one attempt. `segment` counts the files of a stream from 1. */
export type StreamCursor = AttemptRef & {
  stream: "events" | "completions";
  segment: number;
  offset: number;
  inode: number | null;
};

/** Bytes of one file of a stream, and where to go on. */
export type Chunk = AttemptRef & {
  stream: "events" | "completions";
  segment: number;
  inode: number | null;
  offset: number;
  bytes: Buffer;
  next: StreamCursor;
  /** The file was replaced or got shorter, so it is read from its start again. */
  reset: boolean;
  /** The bytes are a last line without its newline, and none will come. */
  torn: boolean;
  /** Length of a line that is longer than allowed, of which `bytes` is the beginning; null otherwise. */
  oversized: number | null;
  /** Nothing will be appended after these bytes. */
  ended: boolean;
};

/**
 * Where the directory of a run lies that somebody else started, by the run's id; null for our own. Such a run is read
 * and never told anything.
 */
export type Elsewhere = (run_id: string) => string | null;

/** A piece of an attempt's log. */
export type LogPiece = { offset: number; size: number; bytes: Buffer };

/** How busy a host is at this moment; its processors' time is counted in ticks since its start. */
export type UsageReading = Omit<HostUsage, "time_secs" | "cpu_share"> & {
  cpu: { busy: number; all: number } | null;
};

/** No answer came: the host, its link or its Python is away. It says nothing about the runs there. */
export class UnreachableError extends Error {
  override name = "UnreachableError";
}

/** The host answered that it can't do what was asked; the message says what to do. */
export class HostRefusedError extends Error {
  override name = "HostRefusedError";
  readonly code: string;

  /** @param code  The host's own, for instance `alive`, `fenced`, `disk_full`, `not_found`. */
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The way to reach a host. This machine, an SSH host, Slurm and Ray are told apart only here.
 *
 * Methods throw `UnreachableError` when no answer came and `HostRefusedError` when the answer was no. Any of them may
 * be asked again after either.
 */
export interface Executor {
  readonly kind: "local" | "ssh" | "slurm" | "ray";
  /** Looks at the host without changing it. */
  doctor(signal: AbortSignal): Promise<HostFacts>;
  /** Reads how busy the host is, without changing it. */
  usage(signal: AbortSignal): Promise<UsageReading>;
  /** Starts an attempt that outlives this server and the link to the host. The same ref again starts nothing more. */
  launch(order: LaunchOrder, signal: AbortSignal): Promise<AttemptStatus>;
  /** One question for all refs; the answer has one entry for each, by `refKey`. */
  status(refs: AttemptRef[], signal: AbortSignal): Promise<Map<string, AttemptStatus>>;
  /**
   * What the streams hold behind their cursors, as soon as one holds anything; nothing after a while of silence.
   * Whoever keeps `next` of each chunk and asks again gets every byte once. An aborted `signal` ends the wait early.
   */
  read(cursors: StreamCursor[], signal: AbortSignal): Promise<Chunk[]>;
  /** A piece of the attempt's log from `offset` on, or its end when `offset` is null. */
  readLog(ref: AttemptRef, offset: number | null, max_bytes: number, signal: AbortSignal): Promise<LogPiece>;
  /** `stop` finishes the step, saves and ends; `kill` ends the process group now. */
  control(ref: AttemptRef, command: "stop" | "checkpoint" | "kill", signal: AbortSignal): Promise<void>;
  /** Every run directory on the host, so that a lost database or a lost answer can be made good. */
  find(signal: AbortSignal): Promise<FoundRun[]>;
  /** What lies in a run directory anywhere on the host, without changing it; refuses what is none, with the reason. */
  inspect(directory: string, signal: AbortSignal): Promise<FoundRun & { directory: string }>;
  /** Run directories below a folder of the host that aren't below the host's own folder of runs. */
  search(folder: string, signal: AbortSignal): Promise<ForeignRuns>;
  /** Every checkpoint of a run, by step. */
  checkpoints(run_id: string, signal: AbortSignal): Promise<HostCheckpoint[]>;
  /** Bytes of a file below the run directory, from `offset` on; fewer than asked for at its end. */
  readFile(
    run_id: string,
    path: string,
    offset: number,
    max_bytes: number,
    signal: AbortSignal,
  ): Promise<Buffer>;
  /** SHA-256 (hex) of a file below the run directory. */
  digest(run_id: string, path: string, signal: AbortSignal): Promise<string>;
  /** Deletes checkpoints; the newest whole one of a run that is not done stays, whatever was asked. */
  prune(run_id: string, steps: number[], signal: AbortSignal): Promise<PruneReport>;
  /** Gives the directory of a run that is still to be launched the checkpoint that its spec is forked from. */
  fork(spec: RunSpec, signal: AbortSignal): Promise<void>;
  /** Deletes the directory of a run, which may be absent; refused while a process of it is not proven dead. */
  discard(run_id: string, signal: AbortSignal): Promise<void>;
  /** The directory of a run on the host. */
  directory(run_id: string): string;
  /** Ends the link; runs go on. */
  close(): Promise<void>;
}
