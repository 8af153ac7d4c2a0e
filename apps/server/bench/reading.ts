import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "@playwright/test";
import { RARE_WORD, syntheticTrace } from "@sightline/core/testing";
import { findChromium } from "../../../scripts/lib/chromium.ts";
import { openDatabase } from "../src/db/open.ts";
import {
  makeDataDir,
  type ServerProcess,
  serveHere,
  spawnServer,
} from "../src/features/runs/testing/servers.ts";
import { createTraceStore } from "../src/features/traces/store.ts";
import { fillRun } from "./lib/fill.ts";

/**
 * What it costs to read much: G4 and G5 on 100 runs of 10,000 steps and 20 metrics, T1 on one run of 500,000
 * completions, T2 on a trace of 25 MB. Everything is synthetic, taken in by the real ingest, and read in Chromium. `pnpm bench reading [DIR]`
 * keeps the data in DIR, and finds them there the next time; without it they are made anew (about four minutes).
 */

const RUNS = 100;
const STEPS = 10_000;
const BIG = { steps: 7813, groups: 8, group_size: 8 };
const TRACE_CHARS = 25_000_000;
const ROUNDS = 5;
/** How many charts that show every run are in sight at once on the page as it is measured; they are mounted one by one. */
const IN_SIGHT = 4;

/** Charts that show every run, and how many of them are drawn; a drawn chart has a point of each run at least. */
const DRAWN = `(() => {
  const all = [...document.querySelectorAll("section[data-points]")].filter((section) =>
    ["Reward parts", "Completion length, tokens", "Completions cut", "Total reward", "KL to the reference", "Entropy",
     "Gradient norm", "Loss", "Learning rate", "Seconds per step"].includes(section.ariaLabel));
  const seen = all.filter((section) => {
    const { top, bottom } = section.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
  const isDrawn = (section) => Number(section.dataset.points) > ${RUNS} * 20;
  return { seen: seen.length, drawn: seen.filter(isDrawn).length };
})()`;

const kept = process.argv[2] === undefined ? null : join(process.cwd(), process.argv[2]);
if (kept !== null) mkdirSync(kept, { recursive: true });
const { dataDir, remove } = kept === null ? makeDataDir("bench") : { dataDir: kept, remove: async () => {} };
let server: ServerProcess | null = null;
let browser: Browser | null = null;
try {
  if (!existsSync(join(dataDir, "sightline.db"))) fill(dataDir);
  const executablePath = findChromium();
  if (!executablePath || !existsSync(join(import.meta.dirname, "../../web/dist/index.html")))
    throw new Error("Chromium or the built web is missing: npm start builds it.");
  const trace = await addTrace(dataDir);
  server = await spawnServer(dataDir);
  await untilIndexed(server);
  browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
  const page = await context.newPage();
  await page.goto(server.url);
  await page.getByRole("navigation").first().waitFor();
  await measureCurves(server, context);
  await measureCompletions(server, context);
  await measureTrace(server, context, trace);
} finally {
  await browser?.close();
  await server?.kill();
  await remove();
}

function fill(folder: string) {
  console.error(`making ${RUNS} runs and 500,000 completions in ${folder} …`);
  const db = openDatabase(join(folder, "sightline.db"));
  for (let i = 0; i < RUNS; i++)
    fillRun(db, {
      run_id: idOf(i),
      name: `Synthetic ${i}`,
      seed: i + 1,
      steps: STEPS,
      groups: 0,
      group_size: 0,
    });
  fillRun(db, { run_id: "synbig", name: "Synthetic, 500,000 completions", seed: 500, ...BIG });
  db.$client.close();
}

function idOf(i: number): string {
  return `syn${String(i).padStart(3, "0")}`;
}

async function untilIndexed({ client }: ServerProcess) {
  for (;;) {
    const { indexed } = await client.find.list.query({ run_id: "synbig", filter: {}, limit: 1 });
    if (indexed.done === indexed.total) return;
    console.error(`words of ${indexed.done} of ${indexed.total} completions are indexed`);
    await sleep(5000);
  }
}

async function measureCurves({ address }: ServerProcess, context: BrowserContext) {
  const others = JSON.stringify(Array.from({ length: RUNS - 1 }, (_, i) => idOf(i + 1)));
  const url = `${address}/runs/${idOf(0)}?smooth=0&with=${encodeURIComponent(others)}`;
  const first: number[] = [];
  const whole: number[] = [];
  const heaps: number[] = [];
  let charts = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const page = await context.newPage();
    // Tall enough that all charts of the page are in sight at once: more than a screen shows.
    await page.setViewportSize({ width: 1440, height: 1700 });
    await page.addInitScript(`{
      const times = (window.times = { first: null, whole: null });
      const look = () => {
        const { seen, drawn } = ${DRAWN};
        if (drawn > 0) times.first ??= performance.now();
        if (seen >= ${IN_SIGHT} && drawn === seen) { times.whole = performance.now(); times.seen = seen; return; }
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }`);
    await page.goto(url, { waitUntil: "commit" });
    await page.waitForFunction("window.times?.whole !== null", undefined, { timeout: 60_000 });
    const times = (await page.evaluate("window.times")) as { first: number; whole: number; seen: number };
    first.push(times.first);
    whole.push(times.whole);
    charts = times.seen;
    const cdp = await context.newCDPSession(page);
    const { usedSize } = await cdp.send("Runtime.getHeapUsage");
    heaps.push(usedSize / 1e6);
    if (round === ROUNDS - 1) await measureMotion(page);
    await page.close();
  }
  const what = `${RUNS} runs × ${STEPS} steps × 20 metrics on one run's page, loaded anew by address, ${charts} charts in sight`;
  report({
    id: "G4.first",
    unit: "ms",
    target: "<= 800",
    values: first,
    what: `${what}; from navigation of a cold page to the first chart, the server warm`,
  });
  report({
    id: "G4",
    unit: "ms",
    target: "<= 2000",
    values: whole,
    what: `${what}; from navigation to all of them`,
  });
  report({
    id: "G4.heap",
    unit: "MB",
    target: "<= 400",
    values: heaps,
    what: `${what}; JS heap in use then`,
  });
}

/** Zooms in by the wheel, pans, zooms out, by real input; counts the frames that were painted meanwhile. */
async function measureMotion(page: Page) {
  await page.setViewportSize({ width: 1440, height: 900 });
  const chart = page.getByRole("slider", { name: "Total reward" });
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  if (!box) throw new Error("the chart has no place");
  const rates: number[] = [];
  const slowest: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await page.mouse.move(box.x + box.width * 0.6, box.y + 80);
    await page.evaluate(`{
      const frames = (window.frames = []);
      window.isMoving = true;
      const tick = (now) => { frames.push(now); if (window.isMoving) requestAnimationFrame(tick); };
      requestAnimationFrame(tick);
    }`);
    for (const [modifier, x, y] of [
      ["Control", 0, -40],
      ["Shift", 60, 0],
      ["Shift", -60, 0],
      ["Control", 0, 30],
    ] as const) {
      await page.keyboard.down(modifier);
      for (let i = 0; i < 30; i++) {
        await page.mouse.wheel(x, y);
        await sleep(8);
      }
      await page.keyboard.up(modifier);
    }
    const frames = (await page.evaluate("window.isMoving = false, window.frames")) as number[];
    const gaps = frames.slice(1).map((at, i) => at - (frames[i] ?? 0));
    rates.push((gaps.length / gaps.reduce((sum, gap) => sum + gap, 0)) * 1000);
    slowest.push(Math.max(...gaps));
    await sleep(1500);
  }
  report({
    id: "G5",
    unit: "fps",
    target: ">= 55",
    values: rates,
    what: `zoom and pan of those by wheel, frames painted while it moves; slowest frame ${Math.round(Math.max(...slowest))} ms; every bucket's extremes: packages/ui/src/curve/thin.test.ts`,
  });
}

async function measureCompletions({ address, pid }: ServerProcess, context: BrowserContext) {
  const page = await context.newPage();
  const opened: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await page.goto("about:blank");
    await page.goto(`${address}/runs/synbig`, { waitUntil: "commit" });
    await page.waitForFunction(
      `["Reward parts", "Accuracy per task"].every((name) => Number(document.querySelector('section[aria-label="' + name + '"]')?.dataset.points) > 0)`,
    );
    opened.push((await page.evaluate("performance.now()")) as number);
  }
  const what = "one run of 500,032 completions of about 900 characters, 7,813 steps";
  report({
    id: "T1.open",
    unit: "ms",
    target: "<= 2000",
    values: opened,
    what: `${what}; loaded by address`,
  });

  const groups: number[] = [];
  const chart = page.getByRole("slider", { name: "Reward parts" });
  for (let round = 0; round < 12; round++) {
    const box = await chart.boundingBox();
    if (!box) throw new Error("the chart has no place");
    const x = box.x + 60 + ((box.width - 90) * ((round * 7) % 12)) / 12;
    const before = new URL(page.url()).searchParams.get("step");
    const toStep = await time(
      page,
      () => page.mouse.click(x, box.y + 60),
      `(() => { const step = new URL(location.href).searchParams.get("step");
        const header = document.querySelector("#run-drawer header strong")?.textContent;
        return step !== null && step !== ${JSON.stringify(before)} && header === "Step " + step &&
          document.querySelector("#run-drawer li button[aria-pressed]") !== null &&
          !document.querySelector("#run-drawer article"); })()`,
    );
    const row = page.locator("#run-drawer li button[aria-pressed]").nth(round % 8);
    const toGroup = await time(
      page,
      () => row.click(),
      `document.querySelectorAll("#run-drawer article").length === 8`,
    );
    // The first opening lays the panes out.
    if (round > 0) groups.push(toStep, toGroup);
  }
  report({
    id: "T1.group",
    unit: "ms",
    target: "<= 150",
    values: groups,
    what: `${what}; click on a step → its groups, click on a group → its 8 completions, each`,
  });

  await page.getByRole("tab", { name: "Find" }).click();
  const words = page.getByLabel("Words in the text");
  const searches: number[] = [];
  for (const query of [
    RARE_WORD,
    "kiosk",
    '"turned left"',
    "fountain -bench",
    "zepp*",
    '"kiosk is behind of the van"',
    "left right",
  ]) {
    await words.fill("");
    await page.locator("#run-drawer mark").first().waitFor({ state: "detached" });
    await words.fill(query);
    searches.push(
      await time(page, () => words.press("Enter"), `document.querySelector("#run-drawer mark") !== null`),
    );
  }
  report({
    id: "T1.search",
    unit: "ms",
    target: "<= 1000",
    values: searches,
    limitMost: 1000,
    what: `${what}; Enter → hits on screen, seven queries from rare to in every text`,
  });
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  report({
    id: "T1.memory",
    unit: "MB",
    target: "<= 512",
    values: [peak],
    what: `${what}; the server's most resident memory since its start, all of the above included`,
  });
  await page.close();
}

type LongTrace = { clip_id: string; trace_id: string; chars: number };

/**
 * A reasoning output of 25 MB about a clip. A line of a run is 1 MB at most, so that what is longer can only be a
 * trace about a clip, which is kept in pieces of any number and size.
 */
async function addTrace(folder: string): Promise<LongTrace> {
  const { app, close } = await serveHere(folder);
  const path = join(import.meta.dirname, "../../../fixtures/clips/cfr-30.mp4");
  const { clip } = await app.clips.library.add({ path, name: "cfr-30.mp4", move: false });
  const text = syntheticTrace(TRACE_CHARS);
  const { clip_id } = clip;
  const trace_id = `synthetic-${Date.now()}`;
  createTraceStore(app.db).addWhole(
    {
      trace_id,
      clip_id,
      question_id: "synthetic",
      triple_set_id: null,
      reasoner: {
        kind: "openai",
        endpoint_id: "synthetic",
        model: "synthetic",
        temperature: 0,
        max_tokens: 1,
      },
      question: {
        text: "Which way?",
        options: ["left", "right"],
        gold: "B",
        kind: "choice",
        task: "heading",
      },
      triples: [],
      struck: [],
      prompt: "synthetic",
      prompt_version: "synthetic",
      asked_after: null,
      made_secs: Date.now() / 1000,
    },
    text,
    { trace_id, state: "done", problem: null, tokens: null, secs: null },
    null,
  );
  await close();
  return { clip_id, trace_id, chars: text.length };
}

/** From asking for a long trace to its first words on screen; and that its last words are there, too. */
async function measureTrace({ address }: ServerProcess, context: BrowserContext, trace: LongTrace) {
  const shown: number[] = [];
  let isWhole = true;
  for (let round = 0; round < ROUNDS; round++) {
    const page = await context.newPage();
    await page.goto(`${address}/clips/${trace.clip_id}?tab=ask`);
    await page.getByRole("button", { name: "Ask" }).first().waitFor();
    await sleep(1000);
    const view = `document.querySelector('[data-trace="${trace.trace_id}"] [data-block]')`;
    shown.push(
      await page.evaluate(`new Promise((resolve) => {
        const from = performance.now();
        history.pushState({}, "", location.pathname + "?tab=ask&trace=${trace.trace_id}");
        const look = () => {
          if (${view}?.textContent.startsWith("<think>(1)")) setTimeout(() => resolve(performance.now() - from));
          else if (performance.now() - from > 60000) resolve(-1);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      })`),
    );
    if ((shown.at(-1) ?? -1) < 0) {
      isWhole = false;
      await page.close();
      break;
    }
    isWhole &&= await page
      .waitForFunction(
        `(() => {
          const all = ${view}.parentElement.textContent;
          return all.length === ${trace.chars} && all.endsWith("THE END</think>\\n<answer>B</answer>");
        })()`,
        undefined,
        { timeout: 60_000, polling: 200 },
      )
      .then(
        () => true,
        () => false,
      );
    await page.close();
  }
  if (!isWhole) console.error("T2: the page does not show the whole trace within a minute");
  report({
    id: "T2",
    unit: "ms",
    target: "<= 500",
    values: isWhole ? shown : [Number.POSITIVE_INFINITY],
    what: `one trace of ${(trace.chars / 1e6).toFixed(1)} MB about a clip; asked for → its first words painted; the rest comes in parts; the whole text is in the page at last: ${isWhole}`,
  });
}

/** Milliseconds from the input that an action makes to the frame in which a condition holds. */
async function time(page: Page, act: () => Promise<unknown>, condition: string): Promise<number> {
  await page.evaluate(`{
    const clock = (window.clock = { from: null, to: null });
    for (const type of ["pointerup", "keydown"])
      addEventListener(type, (event) => { clock.from ??= event.timeStamp; }, { capture: true, once: true });
    const look = () => {
      if (clock.from !== null && (${condition})) setTimeout(() => { clock.to = performance.now(); });
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }`);
  await act();
  await page.waitForFunction("window.clock.to !== null", undefined, { timeout: 30_000 });
  return (await page.evaluate("window.clock.to - window.clock.from")) as number;
}

function report(figure: {
  id: string;
  unit: string;
  target: string;
  values: number[];
  what: string;
  limitMost?: number;
}) {
  const values = [...figure.values].sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round(values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN);
  const value = at(0.5);
  const limit = Number(figure.target.slice(3));
  const isWithin = figure.target.startsWith("<=") ? value <= limit : value >= limit;
  console.log(
    JSON.stringify({
      id: figure.id,
      value,
      unit: figure.unit,
      target: figure.target,
      ok: isWithin && (figure.limitMost === undefined || at(1) <= figure.limitMost),
      runs: values.length,
      spread: [at(0), at(1)],
      with: `${figure.what}; median of ${values.length}; headless Chromium, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`,
    }),
  );
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
