import type { Page } from "@playwright/test";
import { waitForState } from "../../apps/web/e2e/support/runs.ts";
import type { Shot } from "./shot.ts";

/** A group of the recorded run whose completions part ways. */
const GROUP = "/runs/tiny-recorded/groups/1/47/g000047-room-quarter-1-5-1000947";

/** Pages of the recorded run of the sample project. */
export const recordedShots: Shot[] = [
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

/** Waits until the server has read the recorded run: a picture of half of it would never be the same twice. */
export async function readRecorded(page: Page): Promise<void> {
  await page.goto("/runs/tiny-recorded");
  await waitForState(page, "done");
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
