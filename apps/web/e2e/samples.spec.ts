import type { CompletionGroup } from "@sightline/core/runs";
import { listSampleWorlds, toMoves } from "@sightline/core/worlds";
import { expectAccessible } from "./support/axe.ts";
import { expectFrame } from "./support/clip.ts";
import { ask, waitForState } from "./support/runs.ts";
import { expect, test } from "./support/server.ts";

test.use({ samples: "new" });

const RECORDED = "tiny-recorded";
const WORLDS = listSampleWorlds().map(({ world_id }) => world_id);
/** Clips whose path changes the heading or the place; on the others level 1 has nothing to ask. */
const ASKED = listSampleWorlds()
  .filter((world) => toMoves(world.steps).length > 0)
  .map(({ world_id }) => world_id);

test("a new folder opens with the sample clips, ready to be looked at", async ({ page }) => {
  await page.goto("/library");
  for (const name of WORLDS) await expect(page.getByRole("link", { name: new RegExp(name) })).toBeVisible();
  await page.getByRole("link", { name: /room-turns-4/ }).click();
  await expectFrame(page, 0);
});

test("the recorded run says that it was recorded, and shows all three stages", async ({ page }) => {
  await page.goto("/runs");
  const row = page.getByRole("row", { name: /tiny/ });
  await expect(row).toContainText("recorded");
  await expect(row).toContainText("192 / 192");
  await row.getByRole("link").click();
  await waitForState(page, "done");
  await expect(page.getByText("recorded", { exact: true })).toBeVisible();
  await expect(page.getByRole("region", { name: "Stages" }).getByRole("button")).toHaveText([
    /format.*7:3:0/,
    /accuracy.*3:7:0/,
    /consistency.*1:7:2/,
  ]);
  for (const name of ["Reward parts", "P(consistent | correct)", "KL to the reference", "Accuracy per task"])
    await expect(page.getByRole("slider", { name })).toBeVisible();
  await expect(page.getByRole("button", { name: "Stop" })).toHaveCount(0);
  await expectAccessible(page, "the recorded run");
});

test("its evaluation asks a question of every sample clip; a trace opens, and from it the clip", async ({
  page,
}) => {
  await page.goto(`/runs/${RECORDED}?tab=groups&step=192`);
  await waitForState(page, "done");
  await page.getByText(/Evaluation: \d+ of 132 held-out answers right/).click();
  const groups = await ask<CompletionGroup[]>(page, "runs.completions", { run_id: RECORDED, step: 192 });
  const samples = groups.filter(({ question_id }) => question_id.startsWith("sample/"));
  expect(samples.map(({ question_id }) => question_id.slice("sample/".length)).sort()).toEqual(ASKED.sort());

  const group = samples.find(({ question_id }) => question_id === "sample/street-round-the-corner-3");
  await page.goto(`/runs/${RECORDED}?tab=groups&step=192&group=${group?.group_id}`);
  const trace = page.getByRole("article");
  await expect(trace).toHaveCount(1);
  await expect(trace.locator('[data-kind="think"]')).toContainText("4 left south 5 forward south");
  await expect(trace.locator('[data-kind="letter"]')).toHaveText("C");
  await expect(trace).toContainText("read by lone letter");
  await expect(trace).toContainText(/judge C · agrees/);
  await expectAccessible(page, "a trace of the recorded run");
  await page.getByRole("link", { name: /street-round-the-corner-3/ }).click();
  await expect(page).toHaveURL(new RegExp(`/clips/${group?.clip_id}`));
  await expectFrame(page, 0);
});
