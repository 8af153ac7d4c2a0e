import type { Page } from "@playwright/test";
import { launch, waitForState, waitForStep } from "../../apps/web/e2e/support/runs.ts";
import type { Shot } from "./shot.ts";

/** Pages of the runs; their runs are launched by `addRuns`. */
export const runShots: Shot[] = [
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

/** Simulated runs in every state that is worth a picture. */
export async function addRuns(page: Page): Promise<void> {
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

/** The address of a run by its name. */
async function addressOf(page: Page, name: string): Promise<string> {
  await page.goto("/runs");
  const href = await page.getByRole("link", { name, exact: true }).getAttribute("href");
  return href ?? "/runs";
}
