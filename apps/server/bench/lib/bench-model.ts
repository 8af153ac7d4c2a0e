import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeHeadingSet } from "@sightline/core/worlds";

export const PYTHON = process.env.SIGHTLINE_TRAINER_PYTHON ?? "python3";
const TRAINER = join(import.meta.dirname, "../../../trainer");
/** Long enough that the policy writes whole answers and ends by itself. */
const WARM_STEPS = 120;

/** One thread, the checkout's trainer, and whatever else PYTHONPATH names. */
export function pythonEnv(): NodeJS.ProcessEnv {
  const path = [TRAINER, process.env.PYTHONPATH].filter(Boolean).join(":");
  return {
    ...process.env,
    PYTHONPATH: path,
    OMP_NUM_THREADS: "1",
    HF_HUB_OFFLINE: "1",
    TOKENIZERS_PARALLELISM: "false",
  };
}

/** A tiny policy that was warm-started for a moment, and 96 questions to train it on, in a temporary folder. */
export function makeBenchModel(): { model: string; questions: string; folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "sightline-bench-"));
  const set = makeHeadingSet(1, { train: 96, eval: 1, warm: 400 });
  const questions = writeLines(join(folder, "train.jsonl"), set.train);
  const warm = writeLines(join(folder, "warm.jsonl"), set.warm);
  const code = [
    "import sys; from pathlib import Path; import torch; torch.set_num_threads(1)",
    "from sightline_trainer.grpo.data import read_questions",
    "from sightline_trainer.grpo.settings import Settings",
    "from sightline_trainer.grpo.warm_start import get_warm_start",
    `settings = Settings(warm_steps=${WARM_STEPS})`,
    "print(get_warm_start(read_questions(Path(sys.argv[1])), settings, 1, Path(sys.argv[2]), lambda done, loss: None))",
  ].join("\n");
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  console.error("warm-starting a tiny policy …");
  try {
    const said = execFileSync(PYTHON, ["-c", code, warm, folder], { env: pythonEnv(), encoding: "utf8" });
    return { model: said.trim().split("\n").at(-1) ?? "", questions, folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

export function writeLines(file: string, rows: readonly object[]): string {
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return file;
}

export const median = (list: readonly number[]) =>
  [...list].sort((a, b) => a - b)[list.length >> 1] ?? Number.NaN;

export const round = (value: number) => Math.round(value * 1000) / 1000;
