/**
 * V1 and V2 in a real browser: does the player show the frame that it names, and does stepping ever stall? Run by
 * `pnpm bench video`. Damaged clips, and the handed ones where they are
 * at hand (SIGHTLINE_SHARED), are compared with the server's pictures.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import type { Clip } from "@sightline/core/clips";
import { readOrdinalStrip } from "@sightline/core/testing";
import { findChromium } from "../../../scripts/lib/chromium.ts";
import buildWeb from "../e2e/support/build.ts";
import { mutate, query } from "../e2e/support/clip.ts";
import { compareFrames } from "../e2e/support/likeness.ts";
import { endServer, startServer } from "../e2e/support/server.ts";
import { readStrips, stepThrough } from "./lib/in-page.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FIXTURES = join(ROOT, "fixtures/clips");
const EDGE = join(process.env.SIGHTLINE_SHARED ?? join(ROOT, "../shared"), "data/videos/edge");
const PROCESSOR = cpus()[0]?.model ?? "unknown processor";
const STEPS = 2000;
const RUNS = 3;
const STALL_MS = 50;
/** Frames compared of a long handed clip. */
const MOST_COMPARED = 60;

function print(figure: Record<string, unknown>): void {
  console.log(JSON.stringify(figure));
}

/** Adds files through the server's listed folders and waits until each can be played. */
async function addFiles(page: Page, files: readonly string[]): Promise<Clip[]> {
  const ids: string[] = [];
  for (const { folder_id, path } of await query<{ folder_id: string; path: string }[]>(
    page,
    "clips.folders",
  )) {
    const paths = files.filter((file) => dirname(file) === path).map((file) => basename(file));
    if (paths.length === 0) continue;
    const added = await mutate<{ added?: { clip: Clip } }[]>(page, "clips.addFromFolder", {
      folder_id,
      paths,
    });
    ids.push(...added.flatMap((one) => one.added?.clip.clip_id ?? []));
  }
  for (;;) {
    const clips = (await query<Clip[]>(page, "clips.list")).filter(({ clip_id }) => ids.includes(clip_id));
    const is_settled = (clip: Clip) =>
      clip.state === "refused" ||
      (clip.state !== "reading" && (clip.playback !== "none" || clip.playback_problem !== null));
    if (clips.every(is_settled)) return clips.filter(({ state }) => state !== "refused");
    await page.waitForTimeout(300);
  }
}

async function open(page: Page, { clip_id }: Clip, frame = 0): Promise<void> {
  await page.goto(`/clips/${clip_id}?frame=${frame}`);
  await page.waitForSelector(`canvas[data-frame="${frame}"][data-exact="true"]`, { timeout: 60_000 });
}

/** Of the fixture clips whose pictures name themselves: the share of frames shown under their own ordinal. */
async function measureFixtures(page: Page): Promise<void> {
  const clips = await addFiles(
    page,
    readdirSync(FIXTURES).map((name) => join(FIXTURES, name)),
  );
  const by_clip: Record<string, number> = {};
  let right = 0;
  let asked = 0;
  for (const clip of clips) {
    // Where pictures were lost, what follows has another ordinal than it says; the server's picture decides there.
    if (clip.state === "partial") continue;
    await open(page, clip);
    const strips = await readStrips(page, clip.frame_count ?? 0);
    const read = strips.map(({ width, green }) => {
      const bytes = Buffer.from(green, "base64");
      return readOrdinalStrip(width, (bytes.length / width) * 8, (x, y) => bytes[y * width + x] ?? 0);
    });
    const named = read.filter((ordinal) => ordinal !== null).length;
    // Flat and black pictures name nothing.
    if (named === 0) continue;
    const own = read.filter((ordinal, frame) => ordinal === frame).length;
    by_clip[clip.name] = own / named;
    right += own;
    asked += named;
  }
  print({
    id: "V1",
    value: right / asked,
    unit: "share of frames",
    target: "= 1",
    ok: right === asked,
    runs: 1,
    asked,
    by_clip,
    with: `the player's canvas read back in Chromium, ${Object.keys(by_clip).length} fixture clips; ${PROCESSOR}`,
  });
}

/** Of damaged and handed clips: the share of frames that look more like the server's picture of them than of a neighbour. */
async function measureLikeness(page: Page): Promise<void> {
  if (!existsSync(EDGE)) console.error("V1 on the handed clips skipped: the shared folder is not there.");
  const clips = await addFiles(page, [
    ...["damaged.mp4", "truncated.mp4"].map((name) => join(FIXTURES, name)),
    ...(existsSync(EDGE) ? readdirSync(EDGE).map((name) => join(EDGE, name)) : []),
  ]);
  const by_clip: Record<string, string> = {};
  let right = 0;
  let asked = 0;
  let still = 0;
  for (const clip of clips) {
    const count = clip.frame_count ?? 0;
    const frames = Array.from({ length: Math.min(count, MOST_COMPARED) }, (_, i) =>
      count <= MOST_COMPARED ? i : Math.round((i * (count - 1)) / (MOST_COMPARED - 1)),
    );
    await open(page, clip);
    const verdicts = await compareFrames(page, clip.clip_id, frames, count - 1);
    const own = verdicts.filter((verdict) => verdict === "own").length;
    const decided = verdicts.filter((verdict) => verdict !== "still").length;
    by_clip[clip.name] = `${own} of ${decided}`;
    right += own;
    asked += decided;
    still += verdicts.length - decided;
  }
  print({
    id: "V1.likeness",
    value: right / asked,
    unit: "share of frames",
    target: "= 1",
    ok: right === asked,
    runs: 1,
    asked,
    not_distinguishable: still,
    by_clip,
    with: `the player's canvas against the server's pictures of the frame and its neighbours; ${PROCESSOR}`,
  });
}

/** Memory of the browser's page processes, in MB; null where the system does not tell. */
async function readMemory(page: Page): Promise<number | null> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  if (session === undefined || process.platform !== "linux") return null;
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1])
    .reduce((sum, kilobytes) => sum + Number(kilobytes ?? 0) / 1000, 0);
}

async function measureStepping(page: Page, scratch: string): Promise<void> {
  const make = [
    "--import",
    "tsx",
    "scripts/make-fixture-clips.ts",
    "--out",
    scratch,
    "--only",
    "stepping-2000",
  ];
  const made = spawnSync(process.execPath, make, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
  if (made.status !== 0) throw new Error("the clip of 2,000 frames could not be made");
  const [clip] = await addFiles(page, [join(scratch, "stepping-2000.mp4")]);
  if (clip === undefined) throw new Error("the clip of 2,000 frames was not taken");
  const last = (clip.frame_count ?? 0) - 1;

  for (const [direction, first] of [
    ["forwards", 0],
    ["backwards", last],
  ] as const) {
    const stalls: number[] = [];
    const waits: number[] = [];
    const worst: number[] = [];
    let grown: number | null = null;
    for (let run = 0; run < RUNS; run += 1) {
      await open(page, clip, first);
      const before = await readMemory(page);
      const taken = await stepThrough(page, direction === "forwards" ? "." : ",", Math.min(STEPS, last));
      const after = await readMemory(page);
      if (before !== null && after !== null) grown = Math.max(grown ?? 0, after - before);
      stalls.push(taken.filter((ms) => ms > STALL_MS).length);
      worst.push(Math.max(...taken));
      waits.push(...taken);
    }
    const sorted = waits.toSorted((a, b) => a - b);
    print({
      id: `V2.${direction}`,
      value: Math.max(...stalls),
      unit: `stalls over ${STALL_MS} ms`,
      target: "= 0",
      ok: stalls.every((count) => count === 0),
      runs: RUNS,
      spread: [Math.min(...stalls), Math.max(...stalls)],
      worst_ms: worst.map((ms) => Math.round(ms * 10) / 10),
      median_ms: Math.round((sorted[Math.floor(sorted.length / 2)] ?? 0) * 10) / 10,
      memory_grown_mb: grown === null ? null : Math.round(grown),
      with: `${Math.min(STEPS, last)} steps of one frame at 60 a second, key to picture; ${PROCESSOR}`,
    });
  }
}

const scratch = mkdtempSync(join(tmpdir(), "sightline-bench-"));
process.env.SIGHTLINE_FOLDERS = [FIXTURES, EDGE, scratch].filter(existsSync).join(delimiter);
buildWeb();
const server = await startServer(join(scratch, "data"), 0);
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
try {
  const page = await browser.newPage({ baseURL: server.url, viewport: { width: 1440, height: 900 } });
  // tsx marks functions with this helper, which functions that run in the page then lack.
  await page.addInitScript("globalThis.__name ??= (made) => made");
  await page.goto(`/enter?token=${server.token}`);
  const parts = process.argv.slice(2);
  const is_wanted = (part: string) => parts.length === 0 || parts.includes(part);
  if (is_wanted("stepping")) await measureStepping(page, scratch);
  if (is_wanted("fixtures")) await measureFixtures(page);
  if (is_wanted("likeness")) await measureLikeness(page);
} finally {
  await browser.close();
  await endServer(server.child, "SIGTERM");
  rmSync(scratch, { recursive: true, force: true });
}
