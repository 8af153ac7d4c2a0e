import {
  expectWhole,
  getRun,
  launch,
  openedRun,
  readProcesses,
  readStep,
  waitForState,
  waitForStep,
} from "./support/runs.ts";
import { expect, test } from "./support/server.ts";

/** Three stages of 30 steps, six a second: a quarter of a minute. */
const SHORT = { numbers: { "Steps per epoch": 30, "Steps per second": 6, "Checkpoint every": 10 } };
/** The same over most of a minute: it still goes on when what is done to it was slow. */
const LONG = { numbers: { ...SHORT.numbers, "Steps per second": 2 } };
const LAST = 90;

test("a simulated run is started from an empty list, its points arrive, and it ends whole", async ({
  page,
}) => {
  await page.goto("/runs");
  await page.getByRole("link", { name: "Start a simulated run" }).click();
  await page.getByLabel("Steps per epoch", { exact: true }).fill("30");
  await page.getByLabel("Steps per second", { exact: true }).fill("3");
  await page.getByRole("button", { name: "Launch the simulation" }).click();
  const run_id = await openedRun(page);
  await expect(page.getByText("simulated", { exact: true })).toBeVisible();
  await waitForStep(page, 3);
  const early = await readStep(page);
  await waitForStep(page, early + 5);
  await waitForState(page, "done");
  await expectWhole(page, run_id, LAST);
});

test("a reload in the middle loses and doubles nothing", async ({ page }) => {
  const run_id = await launch(page, SHORT);
  await waitForStep(page, 15);
  await page.reload();
  await waitForStep(page, 30);
  await page.reload();
  await waitForState(page, "done");
  await expectWhole(page, run_id, LAST);
});

test("the server killed in the middle and started again: the curve goes on without a reload", async ({
  page,
  server,
}) => {
  const run_id = await launch(page, SHORT);
  await waitForStep(page, 12);
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  await server.kill();
  await page.waitForTimeout(2000);
  await server.restart();
  await waitForStep(page, 40);
  await server.kill();
  await server.restart();
  await waitForState(page, "done");
  expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);
  await expectWhole(page, run_id, LAST);
});

test("the supervisor killed: the run is orphaned, goes on, and is whole", async ({ page, server }) => {
  const run_id = await launch(page, LONG);
  await waitForStep(page, 10);
  const [first] = readProcesses(server.dataDir, run_id);
  process.kill(first?.supervisor ?? 0, "SIGKILL");
  await waitForState(page, "orphaned");
  await expect(page.getByRole("status").first()).toContainText(/supervisor/);
  await expect
    .poll(async () => (await getRun(page, run_id)).attempts[0]?.ended, { timeout: 120_000 })
    .toBe(true);
  await waitForStep(page, LAST);
  await expectWhole(page, run_id, LAST);
});

test("a stopped run keeps its checkpoint and goes on from it without a doubled step", async ({ page }) => {
  const run_id = await launch(page, LONG);
  await waitForStep(page, 15);
  await page.getByRole("button", { name: "Stop" }).click();
  await waitForState(page, "stopped");
  const stopped = await readStep(page);
  expect(stopped).toBeLessThan(LAST);
  await page.getByRole("button", { name: "Resume" }).click();
  await waitForState(page, "running");
  await waitForState(page, "done");
  await expectWhole(page, run_id, LAST);
  await page.getByRole("tab", { name: /Attempts/ }).click();
  await expect(page.getByRole("row")).toHaveCount(3);
});

test("a run that was killed says so, and what a later attempt replaced is drawn behind", async ({ page }) => {
  const run_id = await launch(page, {
    ...SHORT,
    faults: [{ label: "The process is killed", step: 26 }],
  });
  await waitForState(page, "interrupted");
  await expect(page.getByRole("status").first()).toContainText(/killed/i);
  await page.getByRole("button", { name: "Resume" }).click();
  await waitForState(page, "done");
  await expectWhole(page, run_id, LAST);
  await expect(
    page.getByRole("region", { name: "Entropy" }).locator('path[data-role="rolled_back"]'),
  ).toHaveCount(1);
});

test("two tabs of one draft launch one run, however often they are pressed", async ({ page, context }) => {
  await page.goto("/runs/launch?preset=simulated-three-stages");
  await page.waitForURL(/draft=/);
  const other = await context.newPage();
  await other.goto(page.url());
  const press = (tab: typeof page) => tab.getByRole("button", { name: "Launch the simulation" }).dblclick();
  await Promise.all([press(page), press(other)]);
  const ids = await Promise.all([openedRun(page), openedRun(other)]);
  expect(ids[0]).toBe(ids[1]);
  await Promise.all([waitForStep(page, 3), waitForStep(other, 3)]);
  await page.goto("/runs");
  await expect(page.locator("[data-run]")).toHaveCount(1);
});

test("B23, B34: a NaN and an infinity are marked, and the page lives", async ({ page }) => {
  const run_id = await launch(page, {
    ...SHORT,
    faults: [
      { label: "Loss and gradient norm are NaN", step: 12 },
      { label: "Loss is Infinity, KL is −Infinity", step: 18 },
    ],
  });
  await waitForState(page, "done");
  const loss = page.getByRole("region", { name: "Loss" });
  await expect(loss.locator('path[data-role="nan"]')).toHaveCount(1);
  await expect(loss.locator('path[data-role="inf"]')).toHaveCount(1);
  await expect(
    page.getByRole("region", { name: "KL to the reference" }).locator('path[data-role="-inf"]'),
  ).toHaveCount(1);
  await loss.getByRole("button", { name: /^loss/i }).focus();
  const over = (LAST - 2).toLocaleString("en");
  await expect(loss.getByText(new RegExp(`mean \\S+ over ${over} values in sight`))).toBeVisible();
  await expectWhole(page, run_id, LAST);
});

test("lines that cannot be read are counted with their reason", async ({ page }) => {
  await launch(page, { ...SHORT, faults: [{ label: "A line that is not JSON", step: 8 }] });
  await waitForStep(page, 12);
  await page.getByRole("tab", { name: /Problems 1/ }).click();
  await expect(page.getByText("1 line could not be read")).toBeVisible();
  await expect(page.getByText(/not JSON/)).toBeVisible();
});

test("a checkpoint is saved on demand and marked", async ({ page }) => {
  await launch(page, { numbers: { ...LONG.numbers, "Checkpoint every": 1000 } });
  await waitForStep(page, 5);
  await page.getByRole("button", { name: "Checkpoint" }).click();
  const marks = page.getByRole("region", { name: "Entropy" }).locator('path[data-role="mark-checkpoint"]');
  await expect(marks).not.toHaveCount(0);
  await page.getByRole("button", { name: "Stop" }).click();
  await waitForState(page, "stopped");
});

test("a run that ends while it is drawn beside another is drawn to its end", async ({ page }) => {
  const first = await launch(page, {
    numbers: { "Steps per epoch": 20, "Steps per second": 20 },
    name: "the first",
  });
  await waitForState(page, "done");
  const second = await launch(page, {
    numbers: { "Steps per epoch": 20, "Steps per second": 5 },
    name: "the second",
  });
  await page.goto(`/runs/${first}?with=${JSON.stringify([second])}`);
  await expect.poll(async () => (await getRun(page, second)).run.state, { timeout: 60_000 }).toBe("done");
  const total = page.getByRole("slider", { name: "Total reward", exact: true });
  await expect(async () => {
    await total.press("End");
    await expect(total).toHaveAttribute("aria-valuetext", /^step 60:.*the second \d/, { timeout: 2000 });
  }).toPass({ timeout: 60_000 });
});
