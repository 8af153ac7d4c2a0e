import type { RewardWeights } from "../wire/index.ts";

/** A stretch of a run with one set of weights. */
export type StageSpec = {
  name: string;
  weights: RewardWeights;
  /** Half-open range of epochs, for instance [0, 2). */
  from_epoch: number;
  to_epoch: number;
};

/** What a run is asked to do. Written once to `spec.json` on the host; its hash names it. */
export type RunSpec = {
  run_id: string;
  name: string;
  engine: "simulator" | "grpo";
  preset: string;
  seed: number;
  stages: StageSpec[];
  /** Settings of the engine, by the engine's own names. */
  settings: Record<string, string | number | boolean | null>;
};

/**
 * State of a run as the server last saw it. `unreachable` is not an end: the run may well go on.
 * `stalled`: its process lives and reports nothing; `orphaned`: it trains on without its supervisor.
 */
export type RunState =
  | "launching"
  | "running"
  | "stalled"
  | "orphaned"
  | "unreachable"
  | "stopping"
  | "done"
  | "stopped"
  | "interrupted"
  | "failed"
  | "lost";

/** A run in a list. */
export type RunSummary = {
  run_id: string;
  name: string;
  engine: RunSpec["engine"];
  preset: string;
  seed: number;
  state: RunState;
  /** A sentence with what happened and what to do, or null. */
  problem: string | null;
  host_id: string;
  attempts: number;
  step: number | null;
  max_steps: number | null;
  created_secs: number;
  ended_secs: number | null;
  trashed_secs: number | null;
  /** True when the numbers were made by the simulator or recorded elsewhere; shown wherever the run shows. */
  simulated: boolean;
  recorded: boolean;
};
