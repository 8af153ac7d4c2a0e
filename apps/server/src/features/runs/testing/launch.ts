import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { RunSpec, RunSummary } from "@sightline/core/runs";
import type { App } from "../../../app.ts";
import { RUN_PRESETS } from "../presets.ts";
import type { Client } from "./client.ts";

/** A small simulated run: 40 steps in two seconds, a checkpoint every five. */
export function smallRun(change: Partial<RunSpec["settings"]> = {}) {
  return {
    launch_key: randomUUID(),
    host_id: "local",
    name: "small",
    engine: "simulator" as const,
    preset: "test",
    seed: 1,
    stages: [
      { name: "format", weights: { format: 7, accuracy: 3, consistency: 0 }, from_epoch: 0, to_epoch: 1 },
      { name: "accuracy", weights: { format: 3, accuracy: 7, consistency: 0 }, from_epoch: 1, to_epoch: 2 },
      {
        name: "consistency",
        weights: { format: 1, accuracy: 7, consistency: 2 },
        from_epoch: 2,
        to_epoch: 4,
      },
    ],
    settings: {
      steps_per_epoch: 10,
      steps_per_sec: 20,
      prompts_per_step: 2,
      group_size: 2,
      save_steps: 5,
      eval_steps: 0,
      ...change,
    },
  };
}

/** Real training that is over in half a minute: the preset `tiny` with few questions and a short warm start. */
export function shortTinyRun(steps: number) {
  const preset = RUN_PRESETS.find((one) => one.preset === "tiny");
  if (!preset) throw new Error("there is no preset tiny");
  const { engine, stages, settings } = preset;
  const per_epoch = Math.ceil(steps / 3);
  return {
    launch_key: randomUUID(),
    name: "short tiny",
    engine,
    preset: "tiny",
    seed: 1,
    stages,
    settings: {
      ...settings,
      train_questions: per_epoch * 4,
      prompts_per_step: 4,
      group_size: 4,
      micro_batch: 16,
      eval_questions: 8,
      eval_steps: 0,
      warm_questions: 64,
      warm_steps: 20,
      save_steps: 4,
    },
  };
}

/** Launches it and gives its id. */
export async function launchSmall(
  client: Client,
  change: Partial<RunSpec["settings"]> = {},
): Promise<string> {
  const { run_id } = await client.runs.launch.mutate(smallRun(change));
  return run_id;
}

/**
 * Runs the preset `tiny` as it is, to its end, and gives the run's id.
 *
 * @param onLook  Gets the run twice a second.
 * @throws Error when it ends otherwise than done.
 */
export async function runTiny(app: App, onLook: (run: RunSummary) => void): Promise<string> {
  const preset = app.runs.presets().find((one) => one.preset === "tiny");
  if (!preset) throw new Error("there is no preset tiny");
  const { run_id } = await app.runs.launch({
    launch_key: randomUUID(),
    host_id: "local",
    name: "tiny · three stages",
    engine: preset.engine,
    preset: preset.preset,
    seed: 1,
    stages: preset.stages,
    settings: preset.settings,
  });
  for (;;) {
    await setTimeout(500);
    const { run } = app.runs.get(run_id);
    onLook(run);
    if (run.state === "done") return run_id;
    if (["failed", "lost", "stopped", "interrupted"].includes(run.state))
      throw new Error(`the run is ${run.state}: ${run.problem}`);
  }
}
