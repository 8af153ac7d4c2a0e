import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { metricsLine } from "@sightline/core/testing";
import { onTestFinished } from "vitest";
import { openDatabase } from "../../db/open.ts";
import { createLineStore } from "../../features/runs/line-store.ts";
import { createRunStore } from "../../features/runs/store.ts";
import { createIngest } from "../ingest.ts";

/** A database that knows run-a and has none of its lines; it goes with the test. */
export function makeRunDatabase() {
  const folder = mkdtempSync(join(tmpdir(), "sightline-ingest-"));
  const file = join(folder, "sightline.db");
  const db = openDatabase(file);
  onTestFinished(() => {
    db.$client.close();
    rmSync(folder, { recursive: true });
  });
  createRunStore(db).adopt(
    { run_id: "run-a", name: "a", engine: "simulator", preset: "", seed: 1, stages: [], settings: {} },
    "local",
  );
  return { db, file, ingest: createIngest(db), lines: createLineStore(db) };
}

/** Lines of the metric `loss`, one a step from `from` on. */
export const metrics = (n: number, from = 1) =>
  Array.from({ length: n }, (_, i) => metricsLine({ seq: from + i }, from + i, { loss: i }));
