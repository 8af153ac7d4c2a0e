import { createHash, randomUUID } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, type Page } from "@playwright/test";
import type { Policy } from "@sightline/core/policies";
import { isEndState, type RunPreset } from "@sightline/core/runs";
import { makeHeadingSet } from "@sightline/core/worlds";
import { RUN_PRESETS } from "../../../server/src/features/runs/presets.ts";
import { endProcessesOf } from "../../../server/src/features/runs/testing/processes.ts";
import { startTestServer } from "../../../server/src/testing.ts";
import { ask } from "./runs.ts";
import { test as base, type RunningServer } from "./server.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const TRAINER = join(ROOT, "apps/trainer");
/** A policy is trained on a machine that may be busy with others. */
const TRAINING_MS = 15 * 60_000;

const PRESET = getPreset("tiny");
const QUESTIONS = { world_seed: 1, train_questions: 256, eval_questions: 64, warm_questions: 400 };
/** Cut to half: 96 steps after the whole warm start. */
const SETTINGS = { ...PRESET.settings, ...QUESTIONS, eval_steps: 0 };

function getPreset(name: string): RunPreset {
  const preset = RUN_PRESETS.find((one) => one.preset === name);
  if (!preset) throw new Error(`there is no preset ${name}`);
  return preset;
}

/** A run of the tiny policy that was trained to its end, with its export. */
export type TrainedPolicy = { run_id: string; run_dir: string };

/** Playwright's test with a trained policy, which is made once for a recipe and kept in the user's cache. */
export const test = base.extend<object, { policy: TrainedPolicy }>({
  policy: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern.
    async ({}, use) => use(await getTrainedPolicy()),
    { scope: "worker", timeout: TRAINING_MS },
  ],
});

/** The run from the cache; trained now, by the product itself, where the trainer or the recipe is another one. */
export async function getTrainedPolicy(): Promise<TrainedPolicy> {
  const cache =
    process.env.SIGHTLINE_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "sightline");
  const folder = join(cache, "trained-policies", hashRecipe());
  if (!existsSync(folder)) {
    mkdirSync(join(folder, ".."), { recursive: true });
    const draft = mkdtempSync(join(folder, "..", ".draft-"));
    try {
      await train(draft);
      renameSync(draft, folder);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      // Another process was faster; its policy is as good.
      if (!existsSync(folder)) throw error;
    }
  }
  const [run_id] = readdirSync(folder);
  if (run_id === undefined) throw new Error(`${folder} is empty: remove it`);
  return { run_id, run_dir: join(folder, run_id) };
}

/** Parts of the trainer that look after a run from outside and have no say in what it learns. */
const OUTSIDE = /^(slctl|sim)\//;

/** Names a policy by all that decides it: the trainer's sources and pins, the settings, and the questions. */
function hashRecipe(): string {
  const { world_seed, train_questions, eval_questions, warm_questions } = QUESTIONS;
  const counts = { train: train_questions, eval: eval_questions, warm: warm_questions };
  const questions = makeHeadingSet(world_seed, counts);
  const digest = createHash("sha256").update(JSON.stringify([SETTINGS, PRESET.stages, questions]));
  digest.update(readFileSync(join(TRAINER, "constraints.txt")));
  const sources = join(TRAINER, "sightline_trainer");
  for (const name of listSources(sources, ".py")) digest.update(readFileSync(join(sources, name)));
  return digest.digest("hex").slice(0, 24);
}

function listSources(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending) && !OUTSIDE.test(name))
    .sort();
}

/** Trains by the product's own way, on a server of its own, and leaves the run's directory in `folder`. */
async function train(folder: string): Promise<void> {
  console.log("Training a tiny policy for the tests; it is kept for the next time …");
  const server = await startTestServer();
  const { app } = server;
  try {
    const { run_id } = await app.runs.launch({
      launch_key: randomUUID(),
      host_id: "local",
      name: "tiny · for tests",
      engine: PRESET.engine,
      preset: PRESET.preset,
      seed: 1,
      stages: PRESET.stages,
      settings: SETTINGS,
    });
    const detail = () => app.runs.get(run_id);
    while (!isEndState(detail().run.state)) await setTimeout(500);
    const { run } = detail();
    if (run.state !== "done") throw new Error(`The run is ${run.state}: ${run.problem}`);
    cpSync(join(app.dataDir, "runs", run_id), join(folder, run_id), { recursive: true });
  } finally {
    await endProcessesOf(app.dataDir);
    await server.close();
  }
}

/** Puts the trained run into a server's data folder, where the server finds it as it finds any run at its start. */
export async function adoptPolicy(page: Page, server: RunningServer, policy: TrainedPolicy): Promise<Policy> {
  cpSync(policy.run_dir, join(server.dataDir, "runs", policy.run_id), { recursive: true });
  await server.restart();
  const find = async () =>
    (await ask<Policy[]>(page, "policies.list", {})).find(
      ({ source }) => source.kind === "run" && source.run_id === policy.run_id,
    );
  // A connection that the old server left may break under the first question.
  await expect.poll(() => find().catch(() => undefined)).toBeTruthy();
  return (await find()) as Policy;
}

/** Lays a trained policy out as a model from elsewhere: without card, marker and reference. */
export function layOutModel({ run_dir }: TrainedPolicy, folder: string, chat_template?: string): void {
  cpSync(join(run_dir, "export"), folder, { recursive: true });
  for (const name of ["policy.json", "COMPLETE.json", "reference"])
    rmSync(join(folder, name), { recursive: true });
  if (chat_template === undefined) return;
  const file = join(folder, "tokenizer_config.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), chat_template }));
}
