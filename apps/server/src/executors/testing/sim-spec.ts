import type { RunSpec } from "@sightline/core/runs";

/** A short simulated run: eight steps at forty a second. */
export function spec(run_id: string, settings: RunSpec["settings"] = {}): RunSpec {
  return {
    run_id,
    name: run_id,
    engine: "simulator",
    preset: "",
    seed: 1,
    stages: [{ name: "a", weights: { format: 1, accuracy: 1, consistency: 0 }, from_epoch: 0, to_epoch: 1 }],
    settings: {
      steps_per_epoch: 8,
      steps_per_sec: 40,
      prompts_per_step: 1,
      group_size: 2,
      eval_steps: 0,
      ...settings,
    },
  };
}
