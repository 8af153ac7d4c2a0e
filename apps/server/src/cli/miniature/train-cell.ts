import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
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

const Exit = z.object({ reason: z.string(), code: z.number().nullable() });
const SILENCE_SECS = 600;

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
 * @param onLine  Gets the last line of the run's log, now and then.
 * @returns The run directory.
 * @throws Error when the run ended otherwise than done; the message holds the end of its log.
 */
export async function trainCell(bench: Bench, cell: Cell, onLine: (line: string) => void): Promise<string> {
  const data = makeQuestions(cell.seed);
  const hash = hashCell(cell, data, hashTrainer(bench.trainer));
  const run_id = `${nameCell(cell)}-${hash}`;
  const runDir = join(bench.runs, run_id);
  const attempt = join(runDir, "attempts/001");
  if (!existsSync(join(attempt, "exit.json")))
    await ask(bench, {
      op: "launch",
      root: bench.runs,
      spec: { run_id, ...specOf(cell) },
      attempt: 1,
      data,
      python: bench.python,
      ballast_bytes: 0,
      env: { OMP_NUM_THREADS: "1" },
    });
  for (let waited = 0; !existsSync(join(attempt, "exit.json")); waited += 1) {
    if (waited > SILENCE_SECS * 60) throw new Error(`${run_id} does not end`);
    await setTimeout(1000);
    onLine(lastLine(join(attempt, "log.txt")));
  }
  const exit = Exit.parse(JSON.parse(readFileSync(join(attempt, "exit.json"), "utf8")));
  if (exit.reason !== "done")
    throw new Error(
      `${run_id} ended ${exit.reason}: ${lastLine(join(attempt, "log.txt"))}. Remove ${runDir} to train it again.`,
    );
  return runDir;
}

function lastLine(file: string): string {
  return existsSync(file) ? (readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "") : "";
}

/** One request to the supervisor's own command, which answers in frames after whatever the shell prints. */
async function ask(bench: Bench, request: object): Promise<void> {
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
  await new Promise((done) => child.on("close", done));
  const frame = text.slice(text.indexOf("{"));
  if (!/"ok":true/.test(frame)) throw new Error(`the run could not be started: ${frame}`);
}
