import type { ForeignRuns } from "@sightline/core/hosts";
import type {
  CheckpointList,
  CompletionGroup,
  FollowBatch,
  HostPace,
  HostQueue,
  LineageRun,
  LogSlice,
  MetricWindow,
  OverlayLine,
  RunDetail,
  RunPreset,
  RunRow,
  RunSpec,
  RunSummary,
  StepTally,
  SweepDetail,
} from "@sightline/core/runs";
import type { LineOf } from "@sightline/core/wire";
import type { FetchTarget } from "./checkpoints.ts";
import type { FollowRequest } from "./follow.ts";

/** What a person asks for on the launch page. */
export type LaunchRequest = {
  /** Made once by the page for one press of the button; a second request with the same key returns the same run. */
  launch_key: string;
  host_id: string;
  name: string;
  engine: RunSpec["engine"];
  preset: string;
  seed: number;
  stages: RunSpec["stages"];
  settings: RunSpec["settings"];
  /** Automatic attempts one after the other; none when left out. */
  max_retries?: number;
  /** The checkpoint that it begins from, of a run on the same host. */
  fork?: { run_id: string; step: number; keeps_optimiser: boolean } | null;
};

/** What a person asks for once, to have it for every schedule, seed and host. */
export type SweepRequest = Omit<LaunchRequest, "seed" | "stages" | "host_id"> & {
  schedules: { name: string; stages: RunSpec["stages"] }[];
  seeds: number[];
  host_ids: string[];
  /** True: each schedule with each seed once, on the hosts in turn; false: on every host. */
  is_spread: boolean;
};

/** Runs as the rest of the server sees them. What can't be done is thrown as a TRPCError with a sentence. */
export type Runs = {
  list(filter: { trash: boolean }): RunSummary[];
  get(run_id: string): RunDetail;
  presets(): readonly RunPreset[];
  launch(request: LaunchRequest): Promise<{ run_id: string }>;
  /** Follows a run that somebody else started, by its directory on the host; nothing is written there. */
  watch(request: { host_id: string; directory: string }): Promise<{ run_id: string }>;
  /** Run directories below a folder of a host that are none of ours. */
  findElsewhere(request: { host_id: string; folder: string }): Promise<ForeignRuns>;
  /** Where a watched run lies on its host; null for our own. */
  watchedDirectory(run_id: string): string | null;
  stop(run_id: string): Promise<void>;
  /** Asks the run for a checkpoint after the step that it is at. */
  checkpoint(run_id: string): Promise<void>;
  resume(run_id: string): Promise<{ attempt: number }>;
  queues(): HostQueue[];
  /** Moves a waiting run before another one of the same host; null moves it to the end. */
  moveInQueue(run_id: string, before_run_id: string | null): void;
  /** Null: one that trains, and any number of simulated ones. */
  setRunsAtOnce(host_id: string, runs_at_once: number | null): void;
  setMaxRetries(run_id: string, max_retries: number): void;
  /** Writes all runs of a sweep at once; a second request with the same key returns the same sweep. */
  launchSweep(request: SweepRequest): Promise<{ sweep_id: string }>;
  sweep(sweep_id: string): SweepDetail;
  /** Cancels those that wait and stops those that run. */
  stopSweep(sweep_id: string): Promise<void>;
  /** Resumes those that can be. */
  resumeSweep(sweep_id: string): Promise<{ resumed: number }>;
  paces(preset: string, host_ids: string[]): HostPace[];
  lineage(run_id: string): LineageRun[];
  checkpoints(run_id: string): Promise<CheckpointList>;
  /** Brings a checkpoint into the data folder, or below a listed folder. */
  fetchCheckpoint(run_id: string, step: number, to: FetchTarget | null): Promise<{ job_id: string }>;
  pruneCheckpoints(run_id: string, steps: number[]): Promise<{ removed: number[]; freed_bytes: number }>;
  trash(run_ids: string[]): void;
  restore(run_ids: string[]): void;
  rename(run_id: string, name: string): void;
  window(request: {
    run_id: string;
    name: string;
    from_step: number;
    to_step: number;
    points: number;
  }): MetricWindow;
  /** Metrics of several runs, thinned to about `points` buckets each; runs that nobody knows are left out. */
  overlay(request: {
    run_ids: string[];
    names: string[];
    points: number;
    from_step: number | null;
    to_step: number | null;
    has_means: boolean;
  }): OverlayLine[];
  completions(run_id: string, step: number): CompletionGroup[];
  /** What a run has said of its configuration, oldest first. */
  configs(run_id: string): LineOf<"config">[];
  /** What a run said last of what it is at; null before it said so. */
  phase(run_id: string): LineOf<"phase"> | null;
  log(request: {
    run_id: string;
    attempt: number;
    offset: number | null;
    max_bytes: number;
  }): Promise<LogSlice>;
  /** Pairs of the id to go on from and a batch; ends only when `signal` aborts. */
  follow(request: FollowRequest, signal: AbortSignal): AsyncGenerator<{ id: number; batch: FollowBatch }>;
  /** Event rows of a run behind an id, in order, and the tallies that changed up to the last of them. */
  rowsAfter(
    run_id: string,
    last_id: number,
    limit: number,
  ): { rows: RunRow[]; tallies: StepTally[]; upto_id: number; full: boolean };
  /** When the process of each attempt was seen to be gone, by its number; of runs made elsewhere nobody knows it. */
  attemptEnds(run_id: string): Map<number, number>;
  /** Says that a run has new rows, or has changed ("" is any), until the returned function is called. */
  listen(on: { lines(run_id: string): void; changed(run_id: string): void }): () => void;
  /** The whole list at once and again after each change, at most five times a second. */
  followList(signal: AbortSignal): AsyncGenerator<RunSummary[]>;
  /** Runs that have not ended, by host. */
  activeByHost(): Map<string, number>;
  /** Finds unfinished attempts again and goes on reading them; runs that only a host knows are taken in. */
  start(): void;
  close(): Promise<void>;
};
