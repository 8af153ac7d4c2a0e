import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { packRun } from "../../features/samples/recorded.ts";
import { ClipAnswers } from "./answer-clips.ts";
import { readClipRows } from "./look-at-clips.ts";
import { CellResult, countEvaluations } from "./results.ts";
import type { Miniature } from "./table.ts";
import type { Bench, Trained } from "./train-cell.ts";

/** Results and recorded runs, as they are committed. */
export const COMMITTED = join(import.meta.dirname, "../../../../../fixtures/miniature");

export const CLIPS = "clips.jsonl";
const RESULTS = "results.json";

const Results = z.object({ cells: z.array(CellResult), answers: z.array(ClipAnswers) });

export function readMiniature(folder: string): Miniature {
  const { cells, answers } = Results.parse(JSON.parse(readFileSync(join(folder, RESULTS), "utf8")));
  return { cells, answers, clips: readClipRows(join(folder, CLIPS)) };
}

/** Counts what came of the runs and packs them; what stood in the folder under other names stays. */
export function writeMiniature(
  folder: string,
  bench: Bench,
  trained: readonly Trained[],
  answers: readonly ClipAnswers[],
  clips: string,
): void {
  mkdirSync(folder, { recursive: true });
  const cells = trained.map(({ cell, hash, trainer, runDir }): CellResult => {
    const run_id = `miniature-${cell.arm}-${cell.seed}`;
    writeFileSync(join(folder, `${cell.arm}-${cell.seed}.json.gz`), packRun(runDir, run_id, bench.python));
    return {
      arm: cell.arm,
      seed: cell.seed,
      hash,
      trainer,
      evaluations: countEvaluations(readTexts(runDir)),
    };
  });
  const lines = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).join(",\n");
  writeFileSync(join(folder, RESULTS), `{"cells":[\n${lines(cells)}\n],"answers":[\n${lines(answers)}\n]}\n`);
  writeFileSync(join(folder, CLIPS), readFileSync(clips));
}

function readTexts(runDir: string): string[] {
  const folder = join(runDir, "attempts/001");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.startsWith("completions-"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
}
