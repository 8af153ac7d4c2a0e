import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { look } from "./support/looks.ts";
import { ask, fillLaunchPage, getRun, launch, openedRun, waitForState, waitForStep } from "./support/runs.ts";
import { expect, test } from "./support/server.ts";

async function takeOneAtATime(page: Page): Promise<void> {
  await page.goto("/runs/queue");
  await page.getByLabel("Runs at a time on This machine").fill("1");
  await expect
    .poll(() => ask<{ runs_at_once: number | null }[]>(page, "runs.queues", undefined))
    .toMatchObject([{ runs_at_once: 1 }]);
}

// It goes on for ten minutes: until it is stopped.
const STEADY = { "Steps per epoch": 200, "Steps per second": 1, "Checkpoint every": 10 };
const BRISK = { "Steps per epoch": 10, "Steps per second": 0, "Checkpoint every": 10 };

test("three runs are queued, reordered by button, key and drag; one is cancelled waiting, one running", async ({
  page,
}) => {
  test.setTimeout(300_000);
  await takeOneAtATime(page);
  const first = await launch(page, { name: "first", numbers: STEADY });
  await waitForStep(page, 1);
  const [second, third, fourth] = [
    await launch(page, { name: "second", numbers: STEADY }),
    await launch(page, { name: "third", numbers: BRISK }),
    await launch(page, { name: "fourth", numbers: BRISK }),
  ];
  await waitForState(page, "queued");
  await expect(page.getByRole("link", { name: "no. 3 in the queue" })).toBeVisible();

  await page.goto("/runs/queue");
  const list = page.getByRole("list", { name: "Waiting for This machine" });
  const order = () => list.locator("[data-run]").evaluateAll((rows) => rows.map((row) => row.dataset.run));
  await expect.poll(order).toEqual([second, third, fourth]);
  await expect(list).toContainText("It is next, after first.");
  await expect(page.getByRole("contentinfo")).toContainText(/Simulating first.*and 3 waiting/);
  await list.getByRole("button", { name: "Move fourth to the top" }).click();
  await expect.poll(order).toEqual([fourth, second, third]);
  await list.getByRole("link", { name: "third" }).focus();
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(order).toEqual([fourth, third, second]);
  const row = (run_id: string) => list.locator(`[data-run="${run_id}"]`);
  await row(second).dragTo(row(fourth), { targetPosition: { x: 300, y: 4 } });
  await expect.poll(order).toEqual([second, fourth, third]);
  await expectAccessible(page, "the queue");
  await look(page, "queue");
  await page.reload();
  await expect.poll(order).toEqual([second, fourth, third]);

  await list.getByRole("button", { name: "Cancel second" }).click();
  await expect.poll(order).toEqual([fourth, third]);
  await expect.poll(() => getRun(page, second)).toMatchObject({ run: { state: "stopped" }, attempts: [] });
  await page.getByRole("button", { name: "Stop first" }).click();
  await expect.poll(async () => (await getRun(page, first)).run.state).toBe("stopped");
  for (const run_id of [fourth, third])
    await expect.poll(async () => (await getRun(page, run_id)).run.state).toBe("done");
  await expect(page.getByText("Nothing runs or waits here.")).toBeVisible();
});

test("a sweep is one press: its estimate, its grid, its place in the list, cancelled and resumed as a whole", async ({
  page,
}) => {
  await takeOneAtATime(page);
  await fillLaunchPage(page, {
    name: "schedules",
    numbers: { "Steps per epoch": 12, "Steps per second": 3, "Checkpoint every": 6 },
  });
  await page.getByRole("switch", { name: /^Sweep/ }).check();
  await page.getByRole("textbox", { name: "Seeds" }).fill("1, 2-3");
  // Enter on a closed list launches nothing.
  await page.getByRole("combobox", { name: "Schedules" }).press("Enter");
  await page.getByRole("combobox", { name: "Schedules" }).press("ArrowDown");
  await page.getByRole("option", { name: "1:7:2 throughout" }).click();
  await page.keyboard.press("Escape");
  const preflight = page.getByRole("region", { name: "Preflight" });
  await expect(preflight).toContainText(/6 runs in all: .*CPU-hours/);
  await expectAccessible(page, "the launch page with a sweep");
  await look(page, "launch-sweep");
  await page.getByRole("button", { name: "Launch 6 runs" }).click();
  await page.waitForURL(/\/runs\/sweeps\//);
  const grid = page.getByRole("table", { name: "Runs of schedules" });
  await expect(grid.locator("[data-run]")).toHaveCount(6);
  await expect(grid.getByRole("rowheader")).toHaveText(["as drawn", "1:7:2 throughout"]);
  await expect(grid.locator('[data-state="done"]').first()).toBeVisible({ timeout: 60_000 });
  await page.getByRole("button", { name: "Cancel all" }).click();
  const over = grid.locator('[data-state="stopped"], [data-state="done"]');
  const stopped = grid.locator('[data-state="stopped"]');
  await expect(over).toHaveCount(6);
  await expect(stopped.first()).toBeVisible();
  await expectAccessible(page, "the sweep");
  await look(page, "sweep");
  await page.getByRole("button", { name: "Resume all" }).click();
  await expect(stopped).toHaveCount(0);
  await page.goto("/runs");
  const head = page.locator("[data-sweep]");
  await expect(head).toContainText("schedules");
  await expect(page.locator("[data-in-sweep]")).toHaveCount(6);
  await look(page, "runs-list");
  await head.getByRole("button", { name: "Hide the runs of schedules" }).click();
  await expect(page.locator("[data-in-sweep]")).toHaveCount(0);
  await expectAccessible(page, "the list with a sweep");
});

test("a run is forked from a stage's end under another schedule, and both are shown as a lineage", async ({
  page,
}) => {
  const parent = await launch(page, {
    name: "parent",
    numbers: { "Steps per epoch": 20, "Steps per second": 0, "Checkpoint every": 8 },
  });
  await waitForState(page, "done");
  await page.getByRole("tab", { name: "Checkpoints" }).click();
  const row = page.locator('[data-step="20"]');
  await expect(row).toContainText("end of format");
  await row.getByRole("link", { name: "Fork from step 20" }).click();
  await expect(page.getByRole("region", { name: "Fork" })).toContainText("Nothing is changed yet");
  await page.getByLabel("Name", { exact: true }).fill("child");
  await page.getByLabel("Seed", { exact: true }).fill("7");
  await expect(page.getByRole("region", { name: "Fork" })).toContainText("Changed: seed 7");
  await expectAccessible(page, "the launch page of a fork");
  await look(page, "fork");
  await page.getByRole("button", { name: "Launch the fork" }).dblclick();
  const child = await openedRun(page);
  await waitForState(page, "done");
  await expect
    .poll(() => getRun(page, child))
    .toMatchObject({
      attempts: [{ resume_step: 20, last_step: 60 }],
      spec: { forked_from: { run_id: parent, step: 20, root_seed: 1 } },
    });
  await page.getByRole("tab", { name: "Checkpoints" }).click();
  const lineage = page.getByRole("region", { name: "Lineage" });
  await expect(lineage.locator('[aria-current="page"]')).toHaveText("child");
  await look(page, "checkpoints");
  await expectAccessible(page, "checkpoints and lineage");
  await lineage.getByRole("link", { name: "parent" }).click();
  await expect(lineage.locator('[aria-current="page"]')).toHaveText("parent");
  await expect(page.locator('[data-step="20"]')).toContainText("1 fork");

  await page.getByRole("button", { name: "Fetch step 40" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Fetch", exact: true }).click();
  await expect(page.locator('[data-step="40"]')).toContainText(/whole.*whole/);
  await page.getByRole("button", { name: "Prune …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Keep the newest").fill("1");
  await dialog.getByLabel("Keep where a stage ends").uncheck();
  await expect(dialog.getByRole("status")).toContainText("Steps 40, 56 are deleted for good");
  await dialog.getByRole("button", { name: "Delete 2 checkpoints" }).click();
  await expect(page.locator("[data-step]")).toHaveCount(2);
  await page.goto("/runs");
  await expect(page.getByRole("link", { name: "Parent of child" })).toBeVisible();
});
