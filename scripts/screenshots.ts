/**
 * Takes the pictures of docs/screenshots: every page, light and dark, at two sizes, of a real server on the clips of
 * fixtures/.
 *
 *   node --import tsx scripts/screenshots.ts [page …]
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { endProcessesOf } from "../apps/server/src/features/runs/testing/processes.ts";
import buildWeb from "../apps/web/e2e/support/build.ts";
import { getTrainedPolicy } from "../apps/web/e2e/support/policy.ts";
import { endServer, startServer } from "../apps/web/e2e/support/server.ts";
import { findChromium } from "./lib/chromium.ts";
import { addSamples, clipShots } from "./screenshots/clips.ts";
import { emptyShots } from "./screenshots/empty.ts";
import { readRecorded, recordedShots } from "./screenshots/recorded.ts";
import { addRuns, runShots } from "./screenshots/runs.ts";
import { sampleShots, workOnSamples } from "./screenshots/samples.ts";
import { ROOT, type Shot } from "./screenshots/shot.ts";

const OUT = join(ROOT, "docs/screenshots");
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
];

const wanted = new Set(process.argv.slice(2));
const pick = (all: readonly Shot[]) => all.filter(({ name }) => wanted.size === 0 || wanted.has(name));

/** Takes pictures of a server of its own, once `fill` has given it something to show. */
async function take(
  name: string,
  all: readonly Shot[],
  holds: "nothing" | "samples" | "samples and a policy",
  fill: (page: Page) => Promise<void>,
) {
  if (all.length === 0) return;
  const dataDir = join(home, name);
  if (holds === "samples and a policy") {
    const policy = await getTrainedPolicy();
    cpSync(policy.run_dir, join(dataDir, "runs", policy.run_id), { recursive: true });
  }
  const server = await startServer(dataDir, 0, { samples: holds !== "nothing" });
  try {
    const page = await browser.newPage({ baseURL: server.url });
    await page.goto(`/enter?token=${readFileSync(join(dataDir, "token"), "utf8").trim()}`);
    await fill(page);
    for (const { name, address, prepare } of all) {
      for (const colorScheme of ["light", "dark"] as const) {
        for (const size of SIZES) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize(size);
          await page.goto(await address(page));
          await prepare(page);
          await page.screenshot({
            path: join(OUT, `${name}-${colorScheme}-${size.width}x${size.height}.png`),
            animations: "disabled",
          });
        }
      }
      console.log(name);
    }
    await page.close();
  } finally {
    await endServer(server.child, "SIGTERM");
    await endProcessesOf(dataDir);
  }
}

buildWeb();
mkdirSync(OUT, { recursive: true });
const home = mkdtempSync(join(tmpdir(), "sightline-shots-"));
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
try {
  await take("embodied", [...pick(clipShots), ...pick(runShots)], "nothing", async (page) => {
    if (pick(clipShots).length > 0) await addSamples(page);
    if (pick(runShots).length > 0) await addRuns(page);
  });
  await take("empty", pick(emptyShots), "nothing", async () => {});
  await take("recorded", pick(recordedShots), "samples", readRecorded);
  await take("samples", pick(sampleShots), "samples and a policy", workOnSamples);
} finally {
  await browser.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
