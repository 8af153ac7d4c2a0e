/**
 * Takes the pictures of docs/screenshots: every page, light and dark, at two sizes, of a real server on the clips of
 * fixtures/.
 *
 *   node --import tsx scripts/screenshots.ts [page …]
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import buildWeb from "../apps/web/e2e/support/build.ts";
import { dropFiles, getCard } from "../apps/web/e2e/support/library.ts";
import { endServer, startServer } from "../apps/web/e2e/support/server.ts";
import { findChromium } from "./lib/chromium.ts";

const ROOT = join(import.meta.dirname, "..");
const OUT = join(ROOT, "docs/screenshots");
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
];

const WORLDS = [
  "street-there-and-back-1",
  "room-turns-4",
  "courtyard-up-and-down-1",
  "room-sideways-2",
  "street-round-the-corner-3",
];
const ODD_CLIPS = ["rotated-90.mp4", "hevc.mp4", "truncated.mp4", "text.mp4"];

/** One picture: its name, the page's address, and what a person does there before it is taken. */
type Shot = {
  name: string;
  address: (page: Page) => Promise<string> | string;
  prepare: (page: Page) => Promise<void>;
};

const shots: Shot[] = [
  { name: "library", address: () => "/library?sort=name", prepare: (page) => waitForPosters(page) },
  {
    name: "library-list",
    address: () => "/library?sort=name&view=list",
    prepare: (page) => waitForPosters(page),
  },
  {
    name: "search",
    address: () => "/library?sort=name",
    async prepare(page) {
      await waitForPosters(page);
      await page.keyboard.press("Control+k");
      await page.getByPlaceholder("Find a page, a clip, a run, a command").fill("room");
    },
  },
  {
    name: "hosts",
    address: () => "/hosts",
    prepare: (page) => page.getByText("Processors").waitFor(),
  },
  {
    name: "settings",
    address: () => "/settings",
    prepare: (page) => page.getByText("Free on the disk").waitFor(),
  },
];

async function waitForPosters(page: Page): Promise<void> {
  await page.getByRole("gridcell").first().waitFor();
  await page.waitForFunction(() => [...document.images].every((image) => image.complete));
}

/** Fills an empty library, and gives its clips the names and tags that a person would. */
async function addSamples(page: Page): Promise<void> {
  await page.goto("/library");
  await page.getByText("Drop video files here").waitFor();
  const clips = [
    ...WORLDS.map((name) => join(ROOT, "fixtures/worlds", `${name}.mp4`)),
    ...ODD_CLIPS.map((name) => join(ROOT, "fixtures/clips", name)),
  ];
  await dropFiles(page, clips);
  for (const [name, tags] of [
    ["street-there-and-back-1.mp4", "street,outdoor"],
    ["room-turns-4.mp4", "room,indoor"],
    ["courtyard-up-and-down-1.mp4", "outdoor"],
  ] as const) {
    const checkbox = getCard(page, name).getByRole("checkbox");
    await checkbox.check();
    await page.keyboard.press("t");
    await page.getByRole("combobox", { name: "Tags" }).fill(`${tags},`);
    await page.getByRole("button", { name: "Save" }).click();
    await checkbox.uncheck();
  }
  await page.waitForFunction(() => document.querySelector("footer [role=progressbar]") === null, null, {
    timeout: 300_000,
  });
}

const wanted = new Set(process.argv.slice(2));
buildWeb();
mkdirSync(OUT, { recursive: true });
const home = mkdtempSync(join(tmpdir(), "sightline-shots-"));
const dataDir = join(home, "embodied");
const server = await startServer(dataDir, 0);
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
try {
  const page = await browser.newPage({ baseURL: server.url });
  await page.goto(`/enter?token=${readFileSync(join(dataDir, "token"), "utf8").trim()}`);
  await addSamples(page);
  for (const { name, address, prepare } of shots) {
    if (wanted.size > 0 && !wanted.has(name)) continue;
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
} finally {
  await browser.close();
  await endServer(server.child, "SIGTERM");
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
