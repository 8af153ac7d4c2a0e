import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { scoreCompletion } from "@sightline/core/rewards";
import { HEADINGS } from "@sightline/core/worlds";
import { z } from "zod";
import { CLIP_VIEWS, type ClipRow } from "./look-at-clips.ts";
import type { Bench } from "./train-cell.ts";

const Correct = z.record(z.enum(CLIP_VIEWS), z.number());

/** How many clips one trained policy gets right, by what it was told. */
export const ClipAnswers = z.object({ seed: z.number(), clips: z.number(), right: Correct });
export type ClipAnswers = z.infer<typeof ClipAnswers>;

const OPTIONS = { count: HEADINGS.length, texts: HEADINGS };

/**
 * Asks a trained policy where the agent faces at each clip's end, from the moves that the frames told.
 *
 * @param runDir  A finished run of the miniature.
 */
export function answerClips(
  bench: Bench,
  runDir: string,
  seed: number,
  rows: readonly ClipRow[],
): ClipAnswers {
  const asked = CLIP_VIEWS.flatMap((view) => rows.map((row) => ({ view, row })));
  const said = execFileSync(bench.python, [join(import.meta.dirname, "answer.py"), findCheckpoint(runDir)], {
    input: JSON.stringify(asked.map(({ view, row }) => row[view].prompt)),
    env: { ...process.env, PYTHONPATH: bench.trainer, OMP_NUM_THREADS: "1", HF_HUB_OFFLINE: "1" },
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const texts = z.array(z.string()).parse(JSON.parse(said));
  const right = Object.fromEntries(CLIP_VIEWS.map((view) => [view, 0])) as ClipAnswers["right"];
  for (const [index, { view, row }] of asked.entries()) {
    const gold = { answer: row.gold, options: OPTIONS, kind: "choice" as const };
    right[view] += scoreCompletion(texts[index] ?? "", gold, "sightline").accuracy.raw ?? 0;
  }
  return { seed, clips: rows.length, right };
}

function findCheckpoint(runDir: string): string {
  const folder = join(runDir, "checkpoints");
  const steps = readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "config.json")))
    .map((name) => Number(name.replace("checkpoint-", "")));
  return join(folder, `checkpoint-${Math.max(...steps)}`);
}
