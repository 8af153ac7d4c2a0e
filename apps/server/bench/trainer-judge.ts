import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { makeHeadingSet } from "@sightline/core/worlds";
import { makeBenchModel, median, PYTHON, pythonEnv, round, writeLines } from "./lib/bench-model.ts";

/**
 * R2: verdicts of the judge a second, against the released service with the same model. `pnpm bench trainer`.
 *
 * SIGHTLINE_RELEASED: a checkout of the released code; without it R2 is skipped. SIGHTLINE_TRAINER_PYTHON: an interpreter
 * with the trainer's packages, and for this one with fastapi, uvicorn and requests as well.
 *
 * The released service and reward function run unmodified, on loopback, on a stand-in for ms-swift's engine; see
 * lib/judge_rate.py. The ratio is of processor seconds, client and service together: a busy machine, which makes one who
 * waits for each answer wait longer, leaves it alone. The clock's ratio stands beside it.
 */

const REASONINGS = 128;
const ROUNDS = 5;
const TARGET = 8;
const SCRIPT = join(import.meta.dirname, "lib/judge_rate.py");

const reward = join(process.env.SIGHTLINE_RELEASED ?? "", "train/reward");
if (!process.env.SIGHTLINE_RELEASED || !existsSync(reward))
  console.error("R2 skipped: set SIGHTLINE_RELEASED to a checkout of the released code.");
else if (!canServe())
  console.error(
    `R2 skipped: ${PYTHON} lacks fastapi, uvicorn or requests, which the released service imports.`,
  );
else await measure();

function canServe(): boolean {
  const { status } = spawnSync(PYTHON, ["-c", "import fastapi, uvicorn, requests"], { env: pythonEnv() });
  return status === 0;
}

async function measure(): Promise<void> {
  const { model, folder, remove } = makeBenchModel();
  let service: ChildProcess | null = null;
  try {
    const rows = makeHeadingSet(7, { train: REASONINGS, eval: 1, warm: 1 }).train.map((row) => ({
      question: row.question,
      think: row.chain,
      letter: row.gold,
      options: row.options.length,
    }));
    const data = writeLines(join(folder, "reasonings.jsonl"), rows);
    const port = await findPort();
    service = spawn(PYTHON, [SCRIPT, "serve", reward, model, String(port)], {
      env: pythonEnv(),
      stdio: ["pipe", "ignore", "inherit"],
    });
    await untilHealthy(service, port);
    const pid = String(service.pid);
    const pairs = Array.from({ length: ROUNDS }, (_, round) => {
      const theirs = () => ask(["released", reward, String(port), pid, data]);
      const ours = () => ask(["ours", model, data]);
      // Who goes first alternates, so that a machine that slows down favours neither.
      const pair = round % 2 === 0 ? { theirs: theirs(), ours: ours() } : { ours: ours(), theirs: theirs() };
      console.error(
        `round ${round + 1}: ${pair.theirs.cpu_secs.toFixed(2)} → ${pair.ours.cpu_secs.toFixed(3)} CPU-s`,
      );
      return pair;
    });
    const ratios = pairs.map(({ theirs, ours }) => theirs.cpu_secs / ours.cpu_secs).sort((a, b) => a - b);
    const value = median(ratios);
    const rate = (list: { asked: number; secs: number }[]) =>
      Math.round(median(list.map(({ asked, secs }) => asked / secs)));
    console.log(
      JSON.stringify({
        id: "R2",
        value: round(value),
        unit: "ratio",
        target: `>= ${TARGET}`,
        ok: value >= TARGET,
        runs: ROUNDS,
        spread: [ratios[0], ratios.at(-1)].map((one) => round(one ?? 0)),
        by_the_clock: round(median(pairs.map(({ theirs, ours }) => theirs.secs / ours.secs))),
        verdicts_a_sec: {
          released: rate(pairs.map(({ theirs }) => theirs)),
          ours: rate(pairs.map(({ ours }) => ours)),
        },
        with: `${REASONINGS} reasonings, none asked before, the same tiny model (0.6 M parameters, float32, one thread): released service and reward function unmodified, one HTTP call at a time, up to 10 tokens generated in batches of 1 by a stand-in for ms-swift's engine, against one forward pass over batches of 64 in process; CPU seconds`,
      }),
    );
  } finally {
    service?.kill("SIGKILL");
    remove();
  }
}

function ask(words: string[]): { asked: number; cpu_secs: number; secs: number } {
  const text = execFileSync(PYTHON, [SCRIPT, ...words], { env: pythonEnv(), encoding: "utf8" });
  return JSON.parse(text.trim().split("\n").at(-1) ?? "");
}

function findPort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => found(typeof address === "object" && address ? address.port : 0));
    });
  });
}

async function untilHealthy(service: ChildProcess, port: number): Promise<void> {
  for (let waited = 0; waited < 600; waited += 1) {
    if (service.exitCode !== null) throw new Error("the released service ended; see above");
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
    if (answer?.ok) return;
    await setTimeout(500);
  }
  throw new Error("the released service did not come up in five minutes");
}
