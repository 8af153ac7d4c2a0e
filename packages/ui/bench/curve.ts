/**
 * How live curves keep up in real Chromium, as a production build: charts that grow five times a second for eight
 * seconds. Frames count against 60 a second.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { findChromium } from "../../../scripts/lib/chromium.ts";
import type { CurveBenchResult } from "../gallery/curve-bench.tsx";
import { serveGallery } from "../gallery/serve.ts";

const CASES = [
  { id: "curve.ten", query: "lines=10&points=5000", with: "10 lines of 5,000 points, SVG" },
  { id: "curve.twenty", query: "lines=20&points=5000", with: "20 lines of 5,000 points, canvas" },
  {
    id: "curve.page",
    query: "lines=3&points=5000&charts=15",
    with: "15 charts of 3 lines of 5,000 points, as a run page",
  },
];
/** CPU time of the page's main thread for one update, its share of all frames included: fair on a busy machine. */
type Measured = CurveBenchResult & { cpu_ms_per_update: number };

const FPS = 55;
const RUNS = 3;

const folder = mkdtempSync(join(tmpdir(), "sightline-bench-"));
const gallery = await serveGallery({ outDir: join(folder, "dist") });
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
try {
  for (const { id, query, with: what } of CASES) {
    const results: Measured[] = [];
    for (let run = 0; run < RUNS; run += 1) results.push(await measure(query));
    const fps = results.map((result) => result.fps).sort((a, b) => a - b);
    const middle = results.find((result) => result.fps === fps[1]) ?? results[0];
    const figure = {
      id,
      value: round(fps[1] ?? 0),
      unit: "frames/s",
      target: `>= ${FPS}`,
      ok: (fps[1] ?? 0) >= FPS,
      runs: RUNS,
      spread: [round(fps[0] ?? 0), round(fps.at(-1) ?? 0)],
      p95_frame_ms: round(middle?.p95_frame_ms ?? 0),
      update_ms: round(middle?.update_ms ?? 0),
      p95_update_ms: round(middle?.p95_update_ms ?? 0),
      cpu_ms_per_update: round(middle?.cpu_ms_per_update ?? 0),
      blocked: round(middle?.blocked ?? 0),
      drawn_points: middle?.drawn_points,
      with: what,
    };
    console.log(JSON.stringify(figure));
  }
} finally {
  await browser.close();
  await gallery.close();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(query: string): Promise<Measured> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const readCpuSecs = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  };
  await page.goto(`${gallery.url}?bench=1&${query}`);
  await page.waitForFunction(() => "curveBenchBegan" in window, null, { timeout: 120_000 });
  const began = await readCpuSecs();
  await page.waitForFunction(() => "curveBench" in window, null, { timeout: 120_000 });
  const result = await page.evaluate(
    () => (window as unknown as { curveBench: CurveBenchResult }).curveBench,
  );
  const cpu_ms = ((await readCpuSecs()) - began) * 1000;
  await page.close();
  return { ...result, cpu_ms_per_update: cpu_ms / result.updates };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
