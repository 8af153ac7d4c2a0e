/**
 * Runs the preset `tiny` on this machine and packs its run directory as the sample project's recorded run:
 * `tsx scripts/record-run.ts`. The trainer must be prepared (`npm start` does it), or SIGHTLINE_TRAINER_PYTHON name an
 * interpreter that has its packages.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { createApp } from "../apps/server/src/app.ts";
import { runTiny } from "../apps/server/src/features/runs/testing/launch.ts";

const OUT = "fixtures/recorded";
const RUN_ID = "tiny-recorded";
/** What a reader of the run needs; weights, locks and heartbeats stay behind. */
const KEPT =
  /^(spec\.json|data\/.*\.jsonl|attempts\/\d+\/(events|completions-\d+)\.jsonl|attempts\/\d+\/(id|exit)\.json|attempts\/\d+\/log\.txt)$/;

const dataDir = mkdtempSync(join(tmpdir(), "sightline-record-"));
const app = await createApp({ dataDir });
try {
  const run_id = await runTiny(app, ({ state, step, max_steps }) =>
    process.stdout.write(`\r${state} ${step ?? 0}/${max_steps ?? "?"}   `),
  );
  const { python } = await app.environment.status();
  pack(join(dataDir, "runs", run_id), run_id, python ?? "python");
} finally {
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });
}

function pack(runDir: string, run_id: string, python: string): void {
  const files: Record<string, string> = {};
  for (const path of walk(runDir).filter((name) => KEPT.test(name))) {
    const text = readFileSync(join(runDir, path), "utf8")
      .replaceAll(run_id, RUN_ID)
      .replaceAll(runDir, "")
      .replaceAll(python, "python");
    files[path] = path === "spec.json" ? JSON.stringify({ ...JSON.parse(text), recorded: true }) : text;
  }
  mkdirSync(OUT, { recursive: true });
  writeFileSync(join(OUT, "tiny.json.gz"), gzipSync(JSON.stringify({ run_id: RUN_ID, files }), { level: 9 }));
  console.log(`\nwrote ${OUT}/tiny.json.gz, ${statSync(join(OUT, "tiny.json.gz")).size} bytes`);
}

function walk(root: string, folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(root, path) : [relative(root, path)];
  });
}
