import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseLine, toNumber, type WireLine } from "@sightline/core/wire";
import { runTiny } from "../src/features/runs/testing/launch.ts";
import { attemptProcesses } from "../src/features/runs/testing/processes.ts";
import { startTestServer } from "../src/testing.ts";

/**
 * R3: the preset `tiny` through a real server, from launch to the end, warm start included, with server and trainer on
 * one core. `pnpm bench trainer`; the trainer must be prepared, or SIGHTLINE_TRAINER_PYTHON name its interpreter.
 *
 * The time is judged by the trainer's processor seconds, which a busy machine leaves alone; the clock stands beside it.
 * The table of every stage's end goes to stderr.
 */

const TICKS_PER_SEC = 100;
const LIMIT_SECS = 180;

pinToOneCore();
const server = await startTestServer();
try {
  const begun = performance.now();
  let cpu_secs = 0;
  const run_id = await runTiny(server.app, ({ run_id, state, step, max_steps }) => {
    cpu_secs = readCpuSecs(attemptProcesses(server.app.dataDir, run_id, 1)?.trainer) ?? cpu_secs;
    process.stderr.write(`\r${state} ${step ?? 0}/${max_steps ?? "?"}   `);
  });
  const wall_secs = (performance.now() - begun) / 1000;
  const events = readEvents(join(server.app.dataDir, "runs", run_id, "attempts/001/events.jsonl"));
  const last = printStages(events);
  const machine = `one core of ${cpus()[0]?.model.trim()}, load ${loadavg()[0]?.toFixed(1)}`;
  const say = (id: string, value: number, unit: string, target: string, ok: boolean, more: object = {}) =>
    console.log(JSON.stringify({ id, value, unit, target, ok, runs: 1, ...more }));
  say("R3", round(cpu_secs), "CPU-s", `<= ${LIMIT_SECS}`, cpu_secs <= LIMIT_SECS, {
    by_the_clock: round(wall_secs),
    with: `preset tiny, launch to done, warm start included; ${machine}`,
  });
  const accuracy = last.accuracy ?? 0;
  say("R3.accuracy", round(accuracy), "held-out share", ">= 0.9", accuracy >= 0.9, { n: last.n });
  const format = last.format ?? 0;
  say("R3.format", round(format), "held-out share", ">= 0.95", format >= 0.95, { n: last.n });
} finally {
  await server.close();
}

/** Everything that this process starts stays on its core, too. */
function pinToOneCore(): void {
  process.env.OMP_NUM_THREADS = "1";
  if (process.platform === "linux")
    execFileSync("taskset", ["-a", "-c", "-p", "0", String(process.pid)], { stdio: "ignore" });
}

/** User and system time of a process and of those that it has waited for; null once it is gone, or elsewhere. */
function readCpuSecs(pid: number | undefined): number | null {
  if (pid === undefined || process.platform !== "linux") return null;
  try {
    const fields = (readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1) ?? "").split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SEC;
  } catch {
    return null;
  }
}

function readEvents(path: string): WireLine[] {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .flatMap((text) => {
      const parsed = parseLine(text);
      return parsed.kind === "known" ? [parsed.line] : [];
    });
}

/** One row for the warm start and one for each stage's end, by the evaluations. Returns the last row. */
function printStages(events: readonly WireLine[]) {
  const stages = events.filter((line) => line.type === "stage");
  const rows = events
    .filter((line) => line.type === "evaluation")
    .map(({ step, overall }) => {
      const stage = stages.findLast(({ from_step }) => from_step <= step);
      const number = (name: string) => toNumber(overall[name] ?? Number.NaN);
      return {
        step,
        stage: stage?.name ?? "warm start",
        weights: stage ? Object.values(stage.weights).join(":") : "–",
        accuracy: number("accuracy"),
        format: number("format"),
        n: number("n"),
        consistent: `${number("consistency/agree")} of ${number("consistency/judged")}`,
      };
    });
  process.stderr.write("\n");
  console.error("| step | end of | weights | accuracy | format | N | consistent of correct |");
  console.error("|---|---|---|---|---|---|---|");
  for (const { step, stage, weights, accuracy, format, n, consistent } of rows)
    console.error(
      `| ${step} | ${stage} | ${weights} | ${accuracy.toFixed(3)} | ${format.toFixed(3)} | ${n} | ${consistent} |`,
    );
  const last = rows.at(-1);
  if (!last) throw new Error("the run was never evaluated");
  return last;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
