/**
 * Runs the preset `tiny` on this machine and packs its run directory as the sample project's recorded run:
 * `tsx scripts/record-run.ts`. The trainer must be prepared (`npm start` does it), or SIGHTLINE_TRAINER_PYTHON name an
 * interpreter that has its packages.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../apps/server/src/app.ts";
import { runTiny } from "../apps/server/src/features/runs/testing/launch.ts";
import { packRun } from "../apps/server/src/features/samples/recorded.ts";

const OUT = "fixtures/recorded";
const RUN_ID = "tiny-recorded";

const dataDir = mkdtempSync(join(tmpdir(), "sightline-record-"));
const app = await createApp({ dataDir });
try {
  const run_id = await runTiny(app, ({ state, step, max_steps }) =>
    process.stdout.write(`\r${state} ${step ?? 0}/${max_steps ?? "?"}   `),
  );
  const { python } = await app.environment.status();
  const bytes = packRun(join(dataDir, "runs", run_id), RUN_ID, python ?? "python");
  mkdirSync(OUT, { recursive: true });
  writeFileSync(join(OUT, "tiny.json.gz"), bytes);
  console.log(`\nwrote ${OUT}/tiny.json.gz, ${bytes.length} bytes`);
} finally {
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });
}
