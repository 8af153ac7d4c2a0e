import { join } from "node:path";
import type { Page } from "@playwright/test";
import { dropFiles, getCard } from "../../apps/web/e2e/support/library.ts";
import { hashOf, ROOT, type Shot } from "./shot.ts";

const WORLDS = [
  "street-there-and-back-1",
  "room-turns-4",
  "courtyard-up-and-down-1",
  "room-sideways-2",
  "street-round-the-corner-3",
];
const ODD_CLIPS = ["rotated-90.mp4", "hevc.mp4", "truncated.mp4", "text.mp4"];

/** Pages of a library that `addSamples` has filled, and of the house around it. */
export const clipShots: Shot[] = [
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
    prepare: (page) =>
      page
        .getByText(/^\d+ cores?$/)
        .first()
        .waitFor(),
  },
  {
    name: "settings",
    address: () => "/settings",
    prepare: (page) => page.getByText("Free on the disk").waitFor(),
  },
];

/** Fills an empty library, and gives its clips the names and tags that a person would. */
export async function addSamples(page: Page): Promise<void> {
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

async function waitForPosters(page: Page): Promise<void> {
  await page.getByRole("gridcell").first().waitFor();
  await page.waitForFunction(() => [...document.images].every((image) => image.complete));
}
