import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { type Cell, hashCell, nameCell, specOf } from "./arms.ts";
import { makeQuestions } from "./questions.ts";

/** Where and with what cells are trained. */
export type Bench = {
  /** Interpreter with the trainer's packages. */
  python: string;
  /** Folder that holds `sightline_trainer`. */
  trainer: string;
  /** Run directories come here. */
  runs: string;
};

/** A cell that is trained. */
export type Trained = { cell: Cell; hash: string; trainer: string; runDir: string };

const Status = z.object({ is_dead: z.boolean(), why: z.string() });
const Answer = z.object({ ok: z.literal(true), status: Status });
const Exit = z.object({ reason: z.string(), code: z.number().nullable() });

/** Names the source that training runs on: every Python file of it but what only starts and watches runs. */
export function hashTrainer(trainer: string): string {
  const hash = createHash("sha256");
  const root = join(trainer, "sightline_trainer");
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }).sort()) {
    if (!name.endsWith(".py") || /^(slctl|sim)\//.test(name)) continue;
    hash.update(`${name}\0`).update(readFileSync(join(root, name)));
  }
  return hash.digest("hex").slice(0, 16);
}

/**
 * Trains a cell, unless it is trained already, and waits for its end.
 *
 * A run outlives whoever started it, so that a miniature that was broken off finds its run again.
 *
 * @throws Error when the run ended otherwise than done; the message holds the end of its log.
 */
export async function trainCell(bench: Bench, cell: Cell): Promise<Trained> {
  const data = makeQuestions(cell.seed);
  const trainer = hashTrainer(bench.trainer);
  const hash = hashCell(cell, data, trainer);
  const run_id = `${nameCell(cell)}-${hash}`;
  const runDir = join(bench.runs, run_id);
  const attempt = join(runDir, "attempts/001");
  if (!existsSync(join(attempt, "exit.json"))) {
    const { is_dead, why } = await launch(bench, {
      op: "launch",
      root: bench.runs,
      spec: { run_id, ...specOf(cell) },
      attempt: 1,
      data,
      python: bench.python,
      ballast_bytes: 0,
      env: { OMP_NUM_THREADS: "1" },
    });
    if (is_dead) throw new Error(`${run_id}: ${why} Remove ${runDir} to train it again.`);
  }
  while (!existsSync(join(attempt, "exit.json"))) await setTimeout(1000);
  const exit = Exit.parse(JSON.parse(readFileSync(join(attempt, "exit.json"), "utf8")));
  if (exit.reason !== "done")
    throw new Error(
      `${run_id} ended ${exit.reason}: ${lastLine(join(attempt, "log.txt"))}. Remove ${runDir} to train it again.`,
    );
  return { cell, hash, trainer, runDir };
}

function lastLine(file: string): string {
  return existsSync(file) ? (readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "") : "";
}

/**
 * Launches a run, or finds the one that was launched before, by the supervisor's own command.
 *
 * @throws Error with what the supervisor said when it did not start.
 */
async function launch(bench: Bench, request: object): Promise<z.infer<typeof Status>> {
  const child = spawn(bench.python, ["-m", "sightline_trainer.slctl", "rpc"], {
    env: { ...process.env, PYTHONPATH: bench.trainer, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (part: string) => {
    text += part;
  });
  child.stdin.end(JSON.stringify(request));
  await once(child, "close");
  // A frame's lengths stand before the object.
  const answer = Answer.safeParse(parseJson(text.slice(text.indexOf("{"))));
  if (!answer.success) throw new Error(`the run could not be started: ${text.trim()}`);
  return answer.data.status;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
