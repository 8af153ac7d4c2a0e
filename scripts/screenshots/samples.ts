import type { Page } from "@playwright/test";
import { hashOf, type Shot } from "./shot.ts";

/** The clip whose question is asked. */
const ASKED = "street-round-the-corner-3";
/** Addresses of what `workOnSamples` did. */
let asked = "";
let evaluated = "";

/** Pages of the sample project with a trained policy; their work is done by `workOnSamples`. */
export const sampleShots: Shot[] = [
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

/** Makes triples of the pixels, asks the sample question of one clip, strikes and asks again, and evaluates the set. */
export async function workOnSamples(page: Page): Promise<void> {
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
