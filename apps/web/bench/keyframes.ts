/**
 * K2: key-frames of one clip in a browser's worker, against the released extractor on the same clip. `pnpm bench keyframes`.
 *
 * SIGHTLINE_RELEASED: the released code, a checkout or its `utils.py`. SIGHTLINE_PYTHON: a Python with cv2 (python3).
 * SIGHTLINE_CLIP: the clip; by default a handed one that Chromium plays.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "@playwright/test";
import { SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { findChromium } from "../../../scripts/lib/chromium.ts";
import buildWeb from "../e2e/support/build.ts";
import { addFiles, getTable, query } from "../e2e/support/clip.ts";
import { endServer, startServer } from "../e2e/support/server.ts";
import { getResult, startWorker } from "../e2e/support/worker.ts";
import type { Call } from "../src/features/clip/extract/messages.ts";

const ROOT = join(import.meta.dirname, "../../..");
const SHARED = process.env.SIGHTLINE_SHARED ?? join(ROOT, "../shared");
const CLIP =
  process.env.SIGHTLINE_CLIP ?? join(SHARED, "data/videos/gnm_lauri_paths_IMG_3081_pr_topo.mov_small.mp4");
const PYTHON = process.env.SIGHTLINE_PYTHON ?? "python3";
const SCRIPT = join(ROOT, "apps/server/bench/keyframes-released.py");
const RUNS = 5;

const run = promisify(execFile);
const given = process.env.SIGHTLINE_RELEASED ?? "";
const utils = given.endsWith(".py") ? given : join(given, "train/conver_format/utils.py");

if (given === "" || !existsSync(utils) || !existsSync(CLIP)) {
  console.error("K2 skipped: set SIGHTLINE_RELEASED to the released code and have the handed clips beside.");
} else {
  buildWeb();
  await measure();
}

async function measure(): Promise<void> {
  process.env.SIGHTLINE_FOLDERS = dirname(CLIP);
  const dataDir = mkdtempSync(join(tmpdir(), "sightline-bench-"));
  const { child, url, token } = await startServer(dataDir, 0);
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  try {
    const page = await browser.newPage();
    await page.goto(`${url}/enter?token=${token}`);
    const [clip] = await addFiles(page, [CLIP]);
    if (clip === undefined) throw new Error(`${CLIP} was not added`);
    const { clip_id, playback, rotation } = clip;
    // The server's own work on the clip must be over: it would take the cores that are measured.
    while ((await query(page, "keyframes.get", { clip_id })) === null) await page.waitForTimeout(500);
    const source = { clip_id, playback, rotation, table: await getTable(page, clip_id) };
    await startWorker(page, "extract-worker");

    const ratios: number[] = [];
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let i = 0; i < RUNS; i += 1) {
      const began = performance.now();
      await getResult<Call, unknown>(page, { type: "extract", clip: source, settings: SIGHTLINE_SETTINGS });
      const secs = (performance.now() - began) / 1000;
      const { stdout } = await run(PYTHON, [SCRIPT, utils, "time", CLIP]);
      const released = (JSON.parse(stdout) as { secs: number }).secs;
      // The first run also loads the worker's modules; the released figure leaves Python's imports out, so it is not counted.
      if (i === 0) continue;
      ours.push(secs);
      theirs.push(released);
      ratios.push(secs / released);
    }
    const value = median(ratios);
    console.log(
      JSON.stringify({
        id: "K2",
        value,
        unit: "ratio",
        target: "<= 1.0",
        ok: value <= 1,
        runs: ratios.length,
        spread: [Math.min(...ratios), Math.max(...ratios)],
        with: `${basename(CLIP)}, preset sightline in Chromium ${browser.version()}, ${median(ours).toFixed(2)} s against ${median(theirs).toFixed(2)} s of the released extractor`,
      }),
    );
  } finally {
    await browser.close();
    await endServer(child, "SIGTERM");
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
