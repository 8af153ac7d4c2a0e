import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { completionLine, metricsLine, SYNTHETIC_METRICS } from "@sightline/core/testing";
import { openDatabase } from "../src/db/open.ts";
import { createRunStore } from "../src/features/runs/store.ts";
import { createIngest } from "../src/ingest/ingest.ts";
import { chunkOf, fileOf } from "../src/ingest/testing/chunks.ts";

/**
 * G3: events taken in per second on one core, bytes to committed rows. `pnpm bench ingest`.
 *
 * The figure counts seconds of processor time, which a busy machine leaves alone; seconds by the clock stand beside it.
 */

const LINES = 40_000;
const BITE = 262_144;
const RUNS = 5;

type Kind = {
  id: string;
  what: string;
  target: string;
  line(seq: number): unknown;
  stream: "events" | "completions";
};

const kinds: Kind[] = [
  {
    id: "G3",
    what: `metrics events of ${SYNTHETIC_METRICS.length} values each, kept with buckets of six widths`,
    target: ">= 20000",
    stream: "events",
    line: (seq) =>
      metricsLine(
        { seq },
        seq,
        Object.fromEntries(SYNTHETIC_METRICS.map((name, i) => [name, Math.sin(seq * 0.01 + i) * (i + 1)])),
      ),
  },
  {
    id: "G3.completions",
    what: "completions of 400 characters, kept with columns and tallies",
    target: ">= 5000",
    stream: "completions",
    line: (seq) =>
      completionLine(
        { seq },
        {
          step: Math.floor(seq / 64),
          group_id: `g${Math.floor(seq / 8)}`,
          k: seq % 8,
          text: `<think>${"left then ".repeat(36)}</think><answer>B</answer>`,
        },
      ),
  },
];

for (const kind of kinds) {
  const bytes = fileOf(Array.from({ length: LINES }, (_, i) => kind.line(i + 1)));
  const rates: number[] = [];
  const cpuRates: number[] = [];
  for (let round = 0; round < RUNS; round++) {
    const folder = mkdtempSync(join(tmpdir(), "sightline-bench-"));
    const db = openDatabase(join(folder, "sightline.db"));
    createRunStore(db).adopt(
      {
        run_id: "run-a",
        name: "a",
        engine: "simulator",
        preset: "",
        seed: 1,
        stages: [],
        settings: {},
      },
      "local",
    );
    const ingest = createIngest(db);
    const begun = performance.now();
    const cpu = process.cpuUsage();
    let offset = 0;
    while (offset < bytes.length) {
      const chunk = chunkOf(bytes.subarray(offset, offset + BITE), { offset, stream: kind.stream });
      ingest.apply([chunk]);
      offset =
        ingest.cursors({ run_id: "run-a", attempt: 1 }).find(({ stream }) => stream === kind.stream)
          ?.offset ?? bytes.length;
    }
    const secs = (performance.now() - begun) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    rates.push(LINES / secs);
    cpuRates.push(LINES / ((user + system) / 1e6));
    db.$client.close();
    rmSync(folder, { recursive: true });
  }
  const value = median(cpuRates);
  console.log(
    JSON.stringify({
      id: kind.id,
      value: Math.round(value),
      unit: "events/CPU-s",
      target: kind.target,
      ok: value >= Number(kind.target.slice(3)),
      runs: RUNS,
      spread: [Math.round(Math.min(...cpuRates)), Math.round(Math.max(...cpuRates))],
      by_the_clock: Math.round(median(rates)),
      with: `${kind.what}; ${Math.round(bytes.length / LINES)} bytes a line, ${BITE / 1024} kB a transaction, WAL; ${cpus()[0]?.model.trim()}`,
    }),
  );
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
