import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { look } from "./support/looks.ts";
import { fillLaunchPage, getRun, launch, openedRun, waitForState } from "./support/runs.ts";
import { expect, test } from "./support/server.ts";

const SMALL = { "Steps per epoch": 20, "Steps per second": 0, "Checkpoint every": 10 };

const schedule = (page: Page) => page.getByRole("region", { name: "Schedule", exact: true });
const stage = (page: Page, name: RegExp) => schedule(page).getByRole("button", { name });
const borderOf = (page: Page, n: number) =>
  page.getByRole("slider", { name: `End of stage ${n}, in epochs` });

async function drag(page: Page, what: Locator, by: number): Promise<void> {
  // It is waited for until it stands still, for what is above it may still be on its way.
  await what.hover();
  const from = await middleOf(what);
  await page.mouse.down();
  await page.mouse.move(from.x + by, from.y, { steps: 10 });
  await page.mouse.up();
}
async function middleOf(what: Locator): Promise<{ x: number; y: number }> {
  const box = await what.boundingBox();
  if (!box) throw new Error("it has no place");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

test("stages and borders are dragged; each drag is one step of undo and of redo", async ({ page }) => {
  await fillLaunchPage(page, { numbers: SMALL });
  const first = stage(page, /^Stage 1, format/);
  const last = stage(page, /^Stage 3, consistency/);
  await drag(page, first, (await middleOf(last)).x - (await middleOf(first)).x);
  await expect(stage(page, /^Stage 3, format 7:3:0/)).toBeVisible();
  await expect(stage(page, /^Stage 1, accuracy/)).toBeVisible();
  await page.getByRole("button", { name: "Undo (Ctrl Z)" }).click();
  await expect(stage(page, /^Stage 1, format 7:3:0 , epochs 0 to 1$/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Undo (Ctrl Z)" })).toBeDisabled();
  await page.getByRole("button", { name: "Redo (Ctrl Shift Z)" }).click();
  await expect(stage(page, /^Stage 3, format/)).toBeVisible();
  await page.getByRole("button", { name: "Undo (Ctrl Z)" }).click();
  await drag(page, borderOf(page, 3), 90);
  await expect
    .poll(async () => Number(await borderOf(page, 3).getAttribute("aria-valuenow")))
    .toBeGreaterThan(4);
});

test("by the keyboard alone: a preset, weights, a setting of a stage, steps in place of epochs, undo and redo", async ({
  page,
}) => {
  await fillLaunchPage(page, { numbers: SMALL });
  await page.getByRole("button", { name: "Schedules to start from" }).press("Enter");
  await page.getByRole("menuitem", { name: /^Three stages, as in the paper/ }).press("Enter");
  await expect(schedule(page)).toContainText("3 stages, 12 epochs, 240 steps");
  await expect(schedule(page)).toContainText("step 40");

  await borderOf(page, 1).press("Shift+ArrowRight");
  await expect(stage(page, /^Stage 1, format 7:3:0 , epochs 0 to 3$/)).toBeVisible();
  await stage(page, /^Stage 2, accuracy/).press("Delete");
  await expect(schedule(page)).toContainText("2 stages");
  await stage(page, /^Stage 1/).press("Control+z");
  await expect(schedule(page)).toContainText("3 stages");
  await stage(page, /^Stage 1/).press("Control+Shift+z");
  await expect(schedule(page)).toContainText("2 stages");
  await stage(page, /^Stage 1/).press("Control+z");

  await schedule(page).getByRole("button", { name: "Settings of stages" }).press("Enter");
  const rate = page.getByLabel("Stage 3: Learning rate");
  await rate.focus();
  await page.keyboard.type("0.0001");
  await page.getByLabel("Stage 3: Temperature").fill("0.7");
  await schedule(page).getByText("Steps", { exact: true }).first().click();
  const steps = page.getByLabel("Stage 1: steps");
  await expect(steps).toHaveValue("60");
  await steps.fill("33");
  await expect(schedule(page)).toContainText("3 stages");
  await expectAccessible(page, "the schedule editor");
  await look(page, "schedule-editor");

  await page.getByLabel("Name", { exact: true }).fill("by steps");
  await page.getByLabel("Name", { exact: true }).press("Enter");
  const { spec } = await getRun(page, await openedRun(page));
  expect(spec.stages.map(({ name, steps: n }) => [name, n])).toEqual([
    ["format", 33],
    ["accuracy", 20],
    ["consistency", 160],
  ]);
  expect(spec.stages[2]).toMatchObject({ learning_rate: 0.0001, temperature: 0.7 });
  expect(spec.stages[0]).not.toHaveProperty("learning_rate");
});

test("the drawn schedule is laid beside that of any run, and what differs is listed; it can be taken over", async ({
  page,
}) => {
  const run_id = await launch(page, { name: "yesterday's", numbers: SMALL });
  await waitForState(page, "done");
  await fillLaunchPage(page, { numbers: SMALL });
  const compare = page.getByRole("region", { name: "Compare the schedule" });
  await compare.getByRole("combobox").focus();
  await page.keyboard.type("yester");
  await expect(page.getByRole("option", { name: "yesterday's" })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`against=${run_id}`));
  await expect(compare.getByRole("status")).toHaveText("They are the same.");
  await borderOf(page, 1).press("ArrowRight");
  await page.getByLabel("Stage 3: weight of format").fill("4");
  const table = compare.getByRole("table", { name: "Differences from yesterday's" });
  await expect(table.getByRole("row", { name: "format Lasts 1.25 epochs 1 epoch" })).toBeVisible();
  await expect(table.getByRole("row", { name: "consistency Weights 4:7:2 1:7:2" })).toBeVisible();
  await expect(
    compare.getByRole("img", { name: /^yesterday's: format 7:3:0, epochs 0 to 1;/ }),
  ).toBeVisible();
  await expectAccessible(page, "two schedules");
  await compare.scrollIntoViewIfNeeded();
  await look(page, "schedule-diff");
  await page.reload();
  await expect(table).toBeVisible();
  await compare.getByRole("button", { name: "Take it over" }).press("Enter");
  await expect(compare.getByRole("status")).toHaveText("They are the same.");
  await page.getByRole("button", { name: "Undo (Ctrl Z)" }).click();
  await expect(table).toBeVisible();
});

test("the host is in sight, goes when a sweep names its own, and a fork counts the steps that are left", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await fillLaunchPage(page, {});
  const host = page.getByRole("radio", { name: /This machine/ });
  await expect(host).toBeInViewport({ ratio: 1 });
  await page.getByRole("switch", { name: /^Sweep/ }).check();
  await expect(host).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Preflight" })).toContainText("This machine is ready");

  const run_id = await launch(page, { name: "parent", numbers: SMALL });
  await waitForState(page, "done");
  await page.goto(`/runs/launch?fork=${run_id}&step=50`);
  await expect(page.getByRole("region", { name: "What it comes to" })).toContainText(
    "10 of 60; the parent took the others",
  );
});

test("once a file of own rewards is chosen, its functions are weighed by name", async ({ page }) => {
  await page.goto("/runs/launch?preset=tiny");
  await expect(schedule(page)).toContainText("3 stages");
  await expect(page.getByLabel("Stage 3: weight of brevity")).toBeHidden();
  await page
    .getByRole("region", { name: "Own rewards" })
    .locator("input[type=file]")
    .setInputFiles({
      name: "rewards.py",
      mimeType: "text/x-python",
      buffer: Buffer.from(
        "def brevity(completion):\n    return 1.0\n\ndef cites_frames(completion):\n    return 0.5\n",
      ),
    });
  await page.getByLabel("Stage 3: weight of brevity").fill("1");
  await expect(page.getByLabel("Stage 3: weight of cites_frames")).toHaveValue("0");
  await expect(stage(page, /^Stage 3, consistency 1:7:2 brevity 1/)).toBeVisible();
  await expectAccessible(page, "a schedule with own rewards");
  await look(page, "schedule-own-rewards");
  // Names are known again after a reload, from the file that was kept.
  await page.reload();
  await expect(page.getByLabel("Stage 3: weight of brevity")).toHaveValue("1");
  await page.getByRole("region", { name: "Own rewards" }).getByRole("button", { name: "Remove" }).click();
  await expect(page.getByLabel("Stage 3: weight of cites_frames")).toBeHidden();
});
