import type { CompletionGroup } from "@sightline/core/runs";
import { expectAccessible } from "./support/axe.ts";
import {
  ask,
  expectWhole,
  fillTiny,
  getRun,
  openedRun,
  readStep,
  waitForState,
  waitForStep,
} from "./support/runs.ts";
import { expect, test } from "./support/server.ts";

// A real policy is warm-started and trained, on a machine that may be busy with others.
test.describe.configure({ timeout: 900_000 });

/** Three stages of eight steps, after a warm start that is just long enough for tags and letters. */
const SHORT = {
  "To train on": 64,
  "Held out": 16,
  "Warm start": 48,
  "Warm-start steps": 60,
  "Group size": 4,
  "Micro-batch": 32,
  "Longest completion": 24,
  "Checkpoint every": 2,
  "Evaluate every": 0,
};
const LAST = 24;

test("the tiny preset is launched, watched, stopped, resumed and read", async ({ page }) => {
  await fillTiny(page, "short", SHORT);
  await expect(page.getByRole("region", { name: "Preflight" })).toContainText("The trainer is ready.", {
    timeout: 120_000,
  });
  await expect(page.getByRole("region", { name: "Preflight" })).toContainText("8 steps an epoch");
  await expectAccessible(page, "the launch page of a real run");
  await page.getByRole("button", { name: "Launch", exact: true }).click();
  const run_id = await openedRun(page);

  await expect.poll(() => readStep(page), { timeout: 400_000 }).toBeGreaterThanOrEqual(3);
  await expect(page.getByRole("region", { name: "Stages" }).getByRole("button")).toHaveText([
    /format.*7:3:0/,
    /accuracy.*3:7:0/,
    /consistency.*1:7:2/,
  ]);
  await page.getByRole("button", { name: "Stop" }).click();
  await waitForState(page, "stopped");
  const stopped = await readStep(page);
  expect(stopped).toBeLessThan(LAST);
  await expect
    .poll(async () => (await getRun(page, run_id)).attempts[0])
    .toMatchObject({ reason: "stopped", exit_code: 75 });

  await page.getByRole("button", { name: "Resume" }).click();
  await waitForStep(page, stopped + 1);
  await expect
    .poll(() => page.locator("[data-run-state]").getAttribute("data-run-state"), { timeout: 300_000 })
    .toBe("done");
  await expectWhole(page, run_id, LAST);

  const groups = await ask<CompletionGroup[]>(page, "runs.completions", { run_id, step: LAST });
  const trained = groups.filter(({ completions }) => completions[0]?.split !== "eval");
  expect(trained.map(({ completions }) => completions.length)).toEqual(Array(8).fill(4));
  const judged = trained.find(({ completions }) =>
    completions.some(({ judges, parse }) => judges[0]?.status === "ok" && parse.think && parse.answer),
  );
  await page.goto(`/runs/${run_id}?tab=groups&step=${LAST}`);
  await page
    .locator("#run-drawer")
    .getByRole("button", { name: /gold/ })
    .nth(trained.indexOf(judged as CompletionGroup))
    .click();
  await expect(page).toHaveURL(new RegExp(`group=${judged?.group_id}`));
  const traces = page.getByRole("article");
  await expect(traces).toHaveCount(4);
  const trace = traces.filter({ hasText: /judge [A-D] · (agrees|disagrees)/ }).first();
  await expect(trace.locator('[data-kind="think"]').first()).not.toBeEmpty();
  // The letter that was read, be it from a letter or from an option's words.
  await expect(trace.locator("strong").first()).toHaveText(/^[A-D]$/);
  await expect(trace).toContainText(/read by (lone letter|first letter|option text)/);
  await expect(trace).toContainText(/at \d+–\d+/);
  await expect(trace.getByRole("list")).toContainText(/×0\.1.*×0\.7.*×0\.2/);
  await expectAccessible(page, "a group of a real run");
});
