import { syntheticCompletions, syntheticEvents } from "@sightline/core/testing";
import type { Db } from "../../src/db/open.ts";
import { attempts, runs } from "../../src/features/runs/schema.ts";
import { createIngest } from "../../src/ingest/ingest.ts";
import { chunkOf } from "../../src/ingest/testing/chunks.ts";

const BITE = 1_048_576;

/** One synthetic run, finished, taken in by the real ingest. `groups` 0: without completions. */
export type BigRun = {
  run_id: string;
  name: string;
  seed: number;
  steps: number;
  groups: number;
  group_size: number;
};

/** Writes a run into a database that no server has open. @returns How many lines it wrote. */
export function fillRun(db: Db, run: BigRun): number {
  const { run_id, seed } = run;
  const ref = { run_id, attempt: 1 };
  const now = Date.now() / 1000;
  const spec = {
    run_id,
    name: run.name,
    engine: "simulator",
    preset: "synthetic",
    seed,
    stages: [],
    settings: {},
  } as const;
  db.insert(runs)
    .values({
      ...spec,
      spec: JSON.stringify(spec),
      host_id: "local",
      state: "done",
      simulated: true,
      recorded: false,
      created_secs: now - seed,
      ended_secs: now,
    })
    .run();
  db.insert(attempts)
    .values({ ...ref, phase: "ended", verdict: "finished", launched_secs: now })
    .run();
  const ingest = createIngest(db);
  const lines = {
    events: syntheticEvents(run),
    completions: run.groups > 0 ? syntheticCompletions(run) : [],
  };
  let rows = 0;
  for (const stream of ["events", "completions"] as const) {
    let offset = 0;
    let text: string[] = [];
    let length = 0;
    const take = (ended: boolean) => {
      const chunk = chunkOf(text.join(""), { ...ref, stream, offset, ended });
      rows += ingest.apply([chunk]).rows;
      offset += chunk.bytes.length;
      text = [];
      length = 0;
    };
    for (const line of lines[stream]) {
      const one = `${JSON.stringify(line)}\n`;
      text.push(one);
      length += one.length;
      if (length >= BITE) take(false);
    }
    take(true);
  }
  ingest.finish({ ...ref });
  db.$client.pragma("wal_checkpoint(TRUNCATE)");
  return rows;
}
