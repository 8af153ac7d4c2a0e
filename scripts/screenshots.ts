/**
 * Takes the pictures of docs/screenshots: every page, light and dark, at two sizes, of a real server on the clips of
 * fixtures/.
 *
 *   node --import tsx scripts/screenshots.ts [page …]
 */
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { endProcessesOf } from "../apps/server/src/features/runs/testing/processes.ts";
import buildWeb from "../apps/web/e2e/support/build.ts";
import { dropFiles, getCard } from "../apps/web/e2e/support/library.ts";
import { getTrainedPolicy } from "../apps/web/e2e/support/policy.ts";
import { launch, waitForState, waitForStep } from "../apps/web/e2e/support/runs.ts";
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
    name: "clip",
    address: () => `/clips/${hashOf("street-round-the-corner-3")}?frame=60`,
    async prepare(page) {
      await page.getByText("key-frames").first().waitFor();
      await page
        .getByText(/^(Kept|Dropped)/)
        .nth(3)
        .waitFor();
      await page.waitForFunction(() => [...document.images].every((image) => image.complete));
    },
  },
  {
    name: "clip-matches",
    address: () => `/clips/${hashOf("street-round-the-corner-3")}?frame=60`,
    async prepare(page) {
      await page
        .getByText(/^(Kept|Dropped)/)
        .nth(3)
        .waitFor();
      await page.keyboard.press("m");
      await page.getByText(/match(es)? fit frame/).waitFor();
      await page.waitForFunction(() => [...document.images].every((image) => image.complete));
    },
  },
  {
    name: "compare-settings",
    address: () => {
      const [a, b] = ["sightline", "embodied-r"].map((preset) =>
        encodeURIComponent(JSON.stringify({ preset })),
      );
      return `/clips/${hashOf("street-round-the-corner-3")}/compare-settings?a=${a}&b=${b}&frame=60`;
    },
    async prepare(page) {
      for (const side of ["A", "B"]) {
        const track = page.getByRole("region", { name: `Key-frames of ${side}` });
        const select = track.getByRole("button", { name: "Select on the server" });
        const plot = track.getByTestId("overlap-plot");
        await select.or(plot).first().waitFor();
        if (await select.isVisible()) await select.click();
        await plot.waitFor({ timeout: 120_000 });
      }
      await page.waitForFunction(() => [...document.images].every((image) => image.complete));
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

/** Pages of the runs; their runs are launched by `addRuns`. */
const runShots: Shot[] = [
  {
    name: "runs",
    address: () => "/runs",
    async prepare(page) {
      await page.getByRole("row").nth(4).waitFor();
      await page
        .getByRole("img", { name: /^format [01]/ })
        .nth(3)
        .waitFor();
    },
  },
  {
    name: "launch",
    address: () => "/runs/launch?preset=simulated-three-stages",
    prepare: (page) => page.getByText("This machine is ready").waitFor(),
  },
  {
    name: "launch-schedules",
    address: async (page) => {
      const run = (await addressOf(page, "three stages")).split("/").at(-1);
      return `/runs/launch?preset=simulated-three-stages&against=${run}`;
    },
    async prepare(page) {
      await page.getByRole("slider", { name: "End of stage 1, in epochs" }).press("ArrowRight");
      await page.getByRole("table", { name: /^Differences from/ }).waitFor();
    },
  },
  {
    name: "alert-rules",
    address: () => "/alerts?tab=rules",
    async prepare(page) {
      const add = page.getByRole("button", { name: "Add the six with their defaults" });
      const rules = page.getByRole("list", { name: "Rules" });
      await add.or(rules).first().waitFor();
      if (await add.isVisible()) await add.click();
      await rules.getByRole("listitem").nth(5).waitFor();
    },
  },
  {
    name: "alert-rule",
    address: () => "/alerts/rules/new",
    prepare: (page) => page.getByText(/^It would (not )?have fired/).waitFor(),
  },
  {
    name: "run",
    address: (page) => addressOf(page, "going on"),
    async prepare(page) {
      await waitForStep(page, 117);
      await page.getByRole("slider", { name: "Reward parts" }).hover({ position: { x: 190, y: 90 } });
    },
  },
  {
    name: "run-done",
    address: (page) => addressOf(page, "three stages"),
    prepare: (page) => waitForStep(page, 192),
  },
  {
    name: "run-groups",
    address: async (page) => `${await addressOf(page, "three stages")}?step=92&tab=groups&group=g000092-1`,
    prepare: (page) => page.getByRole("article").first().waitFor(),
  },
  {
    name: "run-begun",
    address: (page) => addressOf(page, "just begun"),
    prepare: (page) => page.getByText("No rewards yet: the first come with step 1.").waitFor(),
  },
  {
    name: "run-loading",
    async address(page) {
      const address = await addressOf(page, "three stages");
      await page.route(/live\.follow/, () => undefined);
      return address;
    },
    async prepare(page) {
      await page.getByText("Reading what the run has written").waitFor();
      await page.unrouteAll({ behavior: "ignoreErrors" });
    },
  },
  {
    name: "run-beside",
    async address(page) {
      const beside = (await addressOf(page, "going on")).split("/").at(-1);
      return `${await addressOf(page, "three stages")}?with=["${beside}"]&x=time`;
    },
    async prepare(page) {
      await waitForStep(page, 192);
      await page.getByRole("button", { name: /^going on · consistency/ }).waitFor();
      await page.getByRole("slider", { name: "Reward parts" }).hover({ position: { x: 190, y: 90 } });
    },
  },
  {
    name: "run-find",
    address: async (page) =>
      `${await addressOf(page, "three stages")}?tab=find&find={"accuracy":"none","words":"turn right"}`,
    async prepare(page) {
      await waitForStep(page, 192);
      const found = page.getByRole("listbox", { name: "Completions found" }).getByRole("option");
      await found.first().click();
      await page.getByRole("article").waitFor();
    },
  },
  {
    name: "run-failed",
    address: async (page) => `${await addressOf(page, "out of memory")}?tab=problems`,
    prepare: (page) => page.getByText("What to do").waitFor(),
  },
];

/** Pages of a folder that holds nothing yet. */
const emptyShots: Shot[] = [
  {
    name: "library-empty",
    address: () => "/library",
    prepare: (page) => page.getByText("Drop video files here").waitFor(),
  },
  {
    name: "runs-empty",
    address: () => "/runs",
    prepare: (page) => page.getByText("No run yet").waitFor(),
  },
  {
    name: "alerts-empty",
    address: () => "/alerts",
    prepare: (page) => page.getByText("No alert yet").waitFor(),
  },
];

/** Pages of the recorded run of the sample project. */
const recordedShots: Shot[] = [
  {
    name: "replay",
    address: () => "/runs/tiny-recorded/replay",
    prepare: openReplay,
  },
  {
    name: "figures",
    address: () => "/runs/tiny-recorded/figures",
    prepare: (page) => page.getByRole("slider", { name: /^f ·/ }).waitFor(),
  },
  {
    name: "run-group",
    address: () => GROUP,
    async prepare(page) {
      await page.getByTestId("trace-picture").first().waitFor();
      await page.getByRole("button", { name: "Open frame 2" }).first().hover();
    },
  },
  {
    name: "trace",
    address: () => `${GROUP}?k=0`,
    async prepare(page) {
      await page.getByTestId("trace-picture").first().waitFor();
      await page.getByRole("region", { name: "How it was read" }).waitFor();
    },
  },
  {
    name: "run-links",
    address: () => "/runs/tiny-recorded?tab=links",
    prepare: (page) => page.getByRole("button", { name: "Count again" }).waitFor({ timeout: 120_000 }),
  },
];

/** Pages of the sample project with a trained policy; their work is done by `workOnSamples`. */
const sampleShots: Shot[] = [
  {
    name: "clip-triples",
    address: () => `/clips/${hashOf(ASKED)}?frame=60&tab=triples`,
    prepare: (page) => page.getByTestId("triple").nth(3).waitFor(),
  },
  {
    name: "clip-ask",
    address: () => asked,
    prepare: (page) => page.getByTestId("verdict").first().waitFor(),
  },
  {
    name: "clip-objects",
    address: () => `/clips/${hashOf("street-crossing-1")}?frame=45`,
    async prepare(page) {
      await page
        .getByText(/^(Kept|Dropped)/)
        .nth(3)
        .waitFor();
      await page.keyboard.press("o");
      await page
        .getByText(/stop sign \d/)
        .first()
        .waitFor();
    },
  },
  {
    name: "questions",
    address: () => "/questions",
    prepare: (page) => page.getByRole("row").nth(1).waitFor(),
  },
  {
    name: "evaluate",
    address: () => evaluated,
    prepare: (page) => page.getByTestId("evaluation-row").first().waitFor(),
  },
];

/** A group of the recorded run whose completions part ways. */
const GROUP = "/runs/tiny-recorded/groups/1/47/g000047-room-quarter-1-5-1000947";

/** The clip whose question is asked. */
const ASKED = "street-round-the-corner-3";
/** Addresses of what `workOnSamples` did. */
let asked = "";
let evaluated = "";

/** Makes triples of the pixels, asks the sample question of one clip, strikes and asks again, and evaluates the set. */
async function workOnSamples(page: Page): Promise<void> {
  await page.goto("/library");
  await page.waitForFunction(() => document.querySelectorAll("[role=gridcell]").length >= 6, null, {
    timeout: 120_000,
  });
  await page.waitForFunction(() => document.querySelector("footer [role=progressbar]") === null, null, {
    timeout: 300_000,
  });
  await page.goto(`/clips/${hashOf(ASKED)}?tab=ask`);
  await page.getByRole("button", { name: "Make them from the pictures" }).click();
  await page.getByTestId("told").first().waitFor({ timeout: 120_000 });
  await page
    .getByRole("progressbar", { name: "Making triples" })
    .waitFor({ state: "hidden", timeout: 120_000 });
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByTestId("verdict").first().waitFor({ timeout: 120_000 });
  asked = page.url();
  await page.goto("/evaluate");
  await page.getByLabel("Name").fill("tiny policy on the samples");
  await page.getByRole("button", { name: "Evaluate", exact: true }).click();
  await page.getByTestId("micro").getByRole("cell", { name: "4", exact: true }).waitFor({ timeout: 300_000 });
  evaluated = page.url();
}

/** A sample clip's id: the hash of its bytes. */
function hashOf(world: string): string {
  const bytes = readFileSync(join(ROOT, "fixtures/worlds", `${world}.mp4`));
  return createHash("sha256").update(bytes).digest("hex");
}

/** The address of a run by its name. */
async function addressOf(page: Page, name: string): Promise<string> {
  await page.goto("/runs");
  const href = await page.getByRole("link", { name, exact: true }).getAttribute("href");
  return href ?? "/runs";
}

/** The recorded run by the released rules, made with the first picture, and one of the answers that it loses. */
async function openReplay(page: Page): Promise<void> {
  const kept = page.getByRole("link", { name: /As released/ });
  await page.getByText("Nothing was replayed yet").or(kept).waitFor();
  if ((await kept.count()) > 0) await kept.click();
  else {
    await page.getByRole("combobox", { name: "Parts" }).click();
    await page.getByRole("option", { name: /Embodied-R/ }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("As released");
    await page.getByRole("button", { name: "Replay", exact: true }).click();
  }
  await page.locator('[data-replay-state="done"]').waitFor({ timeout: 120_000 });
  await page.getByRole("button", { name: /^Accuracy lost, all tasks/ }).click();
  await page
    .getByRole("region", { name: "Flipped completions" })
    .locator("button[aria-expanded]")
    .first()
    .click();
  await page.getByRole("article").waitFor();
}

/** Simulated runs in every state that is worth a picture. */
async function addRuns(page: Page): Promise<void> {
  const pace = { "Steps per second": 25 };
  await launch(page, { name: "three stages", numbers: pace });
  await waitForState(page, "done");
  await launch(page, {
    name: "out of memory",
    numbers: { ...pace, Seed: 2 },
    faults: [{ label: "Out of GPU memory", step: 88 }],
  });
  await waitForState(page, "failed");
  await launch(page, { name: "stopped early", numbers: { "Steps per second": 6, Seed: 3 } });
  await waitForStep(page, 40);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await waitForState(page, "stopped");
  await launch(page, {
    name: "going on",
    numbers: { ...pace, Seed: 4 },
    faults: [{ label: "Silence, for an hour unless seconds are given", step: 118 }],
  });
  await waitForStep(page, 117);
  await launch(page, {
    name: "just begun",
    numbers: { ...pace, Seed: 5 },
    faults: [{ label: "Silence, for an hour unless seconds are given", step: 1 }],
  });
}

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
  await take("embodied", [...pick(shots), ...pick(runShots)], "nothing", async (page) => {
    if (pick(shots).length > 0) await addSamples(page);
    if (pick(runShots).length > 0) await addRuns(page);
  });
  await take("empty", pick(emptyShots), "nothing", async () => {});
  await take("recorded", pick(recordedShots), "samples", async () => {});
  await take("samples", pick(sampleShots), "samples and a policy", workOnSamples);
} finally {
  await browser.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
