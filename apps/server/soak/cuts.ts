import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Transform } from "node:stream";
import { metricsLine } from "@sightline/core/testing";
import { openDatabase } from "../src/db/open.ts";
import { UnreachableError } from "../src/executors/executor.ts";
import { findPython, TRAINER_DIR } from "../src/executors/local.ts";
import { createSlctlExecutor } from "../src/executors/slctl/index.ts";
import { startSshHost } from "../src/executors/testing/ssh-host.ts";
import { whyNoSshd } from "../src/executors/testing/sshd.ts";
import { makeDataDir } from "../src/features/runs/testing/servers.ts";
import { createIngest } from "../src/ingest/ingest.ts";

/**
 * G2: cuts the link between a host and the ingest at random bytes, a thousand times; each cut lasts a minute of the
 * run's time, in which it goes on writing, at one step a second. The minutes are simulated; slctl, the session, the
 * ingest and its database are real. `pnpm soak cuts [CUTS] [SEED] [--ssh]`; with `--ssh` the link is a real connection,
 * whose sshd process is killed.
 */

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const isSsh = process.argv.includes("--ssh");
const cuts = Number(words[0] ?? (isSsh ? 100 : 1000));
let state = Number(words[1] ?? Date.now() % 1_000_000);
const seed = state;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};

const CUT_STEPS = 60;
const MOST_BYTES = 40_000;

const why = isSsh ? whyNoSshd() : null;
if (why !== null) throw new Error(why);
const host = isSsh ? await startSshHost("cuts") : null;
const { dataDir, remove } = makeDataDir("cuts");
const root = host?.root ?? join(dataDir, "runs");
const attempt = join(root, "run-a", "attempts", "001");
mkdirSync(attempt, { recursive: true });
const file = join(attempt, "events.jsonl");
writeFileSync(file, "");

let written = 0;
let rest = "";
/** Appends as a trainer does, but leaves off in the middle of a line now and then. */
function write(lines: number) {
  let text = rest;
  rest = "";
  for (let i = 0; i < lines; i++) {
    written += 1;
    text += `${JSON.stringify(metricsLine({ seq: written }, written, { loss: Math.sin(written), reward: random() }))}\n`;
  }
  if (random() < 0.5) {
    const at = text.length - Math.floor(random() * 100);
    rest = text.slice(at);
    text = text.slice(0, at);
  }
  appendFileSync(file, text);
}

/** Bytes that the link still lets through; the byte after the last ends it. */
let budget = 0;
let cut: () => void = () => undefined;
const python = await findPython(process.env.PATH ?? "");

const executor =
  host?.executor ??
  createSlctlExecutor({
    kind: "ssh",
    root,
    python: null,
    retry_ms: { first: 1, last: 1 },
    async open() {
      const child = spawn(
        python,
        [
          "-I",
          "-S",
          "-c",
          "import sys;sys.path.insert(0, sys.argv[1]);from sightline_trainer.slctl.serve import main;main('serve')",
          TRAINER_DIR,
        ],
        {
          stdio: ["pipe", "pipe", "inherit"],
        },
      );
      cut = () => child.kill("SIGKILL");
      const link = new Transform({
        transform(bytes: Buffer, _, next) {
          const let_through = bytes.subarray(0, Math.max(0, budget));
          budget -= bytes.length;
          if (budget < 0) cut();
          next(null, let_through);
        },
      });
      return { input: child.stdin, output: child.stdout.pipe(link), kill: cut, lastWords: () => "" };
    },
  });

const database = join(dataDir, "sightline.db");
let db = openDatabase(database);
let ingest = createIngest(db);
const ref = { run_id: "run-a", attempt: 1 };
const begun = performance.now();
let done = 0;

async function read(signal: AbortSignal): Promise<boolean> {
  const cursors = ingest.cursors(ref).filter(({ stream }) => stream === "events");
  if (cursors.length === 0) return false;
  ingest.apply(await executor.read(cursors, signal));
  return true;
}

try {
  for (; done < cuts; done++) {
    budget = Math.floor(random() * MOST_BYTES);
    let is_cut = false;
    const later = setTimeout(
      () => {
        if (host) for (const pid of host.sshd.sessions()) process.kill(pid, "SIGKILL");
        else cut();
      },
      host ? 300 + random() * 1500 : 2000 + random() * 1000,
    );
    const writer = setInterval(() => write(1 + Math.floor(random() * 3)), 10);
    while (!is_cut) {
      try {
        await read(AbortSignal.timeout(30_000));
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        is_cut = true;
      }
    }
    clearInterval(writer);
    clearTimeout(later);
    write(CUT_STEPS);
    host?.executor.tryAgain();
    if (random() < 0.05) {
      db.$client.close();
      db = openDatabase(database);
      ingest = createIngest(db);
    }
    if ((done + 1) % 50 === 0) console.error(`${done + 1}/${cuts} cuts, ${written} steps`);
  }
  budget = Number.POSITIVE_INFINITY;
  appendFileSync(file, rest);
  writeFileSync(join(attempt, "exit.json"), '{"code": 0, "signal": null, "reason": "done"}\n');
  for (let tries = 0; tries < 1000; tries++) {
    try {
      if (!(await read(AbortSignal.timeout(30_000)))) break;
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      host?.executor.tryAgain();
    }
  }
  report();
} finally {
  await executor.close();
  db.$client.close();
  await host?.close();
  await remove();
}

function report() {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const rows = db.$client
    .prepare<[], { seq: number; raw: string }>(
      "SELECT seq, raw FROM run_lines WHERE stream = 'events' ORDER BY seq",
    )
    .all();
  const stored = new Map(rows.map(({ seq, raw }) => [seq, raw]));
  const lost = lines.filter((line, index) => stored.get(index + 1) !== line).length;
  const points = db.$client
    .prepare<[], { n: number }>(
      `SELECT sum(n) AS n FROM metric_buckets JOIN metric_series USING (series_id)
       WHERE name = 'loss' AND width = (SELECT min(width) FROM metric_buckets)`,
    )
    .get();
  const doubled = rows.length - stored.size + Math.abs((points?.n ?? 0) - lines.length);
  console.log(
    JSON.stringify({
      id: isSsh ? "G2.ssh" : "G2",
      value: lost + doubled,
      unit: "points lost or doubled",
      target: "= 0",
      ok: lost + doubled === 0 && lines.length === written,
      runs: done,
      seed,
      lost,
      doubled,
      points: written,
      secs: Math.round((performance.now() - begun) / 1000),
      with: isSsh
        ? "the sshd process of a real connection killed at random moments; 60 s of the run's time each, simulated"
        : "the link cut at random bytes of its answers, 60 s of the run's time each, simulated; slctl, session, ingest and database real",
    }),
  );
  if (lost + doubled > 0) process.exitCode = 1;
}
