import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { FindFilter, FindView, FoundPage } from "@sightline/core/find";
import { formatNumberOf } from "@sightline/core/format";
import { expectAccessible } from "./support/axe.ts";
import { ask, launch, waitForState } from "./support/runs.ts";
import { expect, type RunningServer, test } from "./support/server.ts";

const FAST = { numbers: { "Steps per epoch": 20, "Steps per second": 20 } };

const find = (page: Page, run_id: string, filter: FindFilter): Promise<FoundPage> =>
  ask(page, "find.list", { run_id, filter, limit: 1 });

/** Waits until the server has read all completions that a run wrote, and has indexed their words. */
async function waitForIndex(page: Page, { dataDir }: RunningServer, run_id: string): Promise<void> {
  const attempt = join(dataDir, "runs", run_id, "attempts/001");
  const written = readdirSync(attempt)
    .filter((name) => name.startsWith("completions-"))
    .flatMap((name) => readFileSync(join(attempt, name), "utf8").trim().split("\n")).length;
  await expect
    .poll(
      async () => {
        const { total, indexed } = await find(page, run_id, {});
        return { total, is_indexed: indexed.done === indexed.total };
      },
      { timeout: 60_000 },
    )
    .toEqual({ total: written, is_indexed: true });
}

/** How many a filter finds, as the page says it. */
async function sayFound(page: Page, run_id: string, filter: FindFilter): Promise<string> {
  return formatNumberOf((await find(page, run_id, filter)).total, "completion");
}

test("completions are found by words and filters; each view has an address and can be named", async ({
  page,
  server,
}) => {
  const run_id = await launch(page, FAST);
  await waitForState(page, "done");
  await waitForIndex(page, server, run_id);
  const all = await sayFound(page, run_id, {});
  const left = await sayFound(page, run_id, { words: "left" });
  const some = await sayFound(page, run_id, { words: "left", accuracy: "none" });
  expect(new Set([all, left, some]).size).toBe(3);
  await page.keyboard.press("/");
  await page.keyboard.type("left");
  const drawer = page.locator("#run-drawer");
  await expect(drawer.getByLabel("Words in the text")).toHaveValue("left");
  await drawer.getByLabel("Words in the text").fill("");
  await expect(page).not.toHaveURL(/find=/);
  const list = drawer.getByRole("listbox", { name: "Completions found" });
  await expect(list.getByRole("option").first()).toBeVisible();
  await expect(drawer.getByRole("status")).toHaveText(all);

  await drawer.getByLabel("Words in the text").fill("left");
  await expect(page).toHaveURL(/find=/);
  await expect(drawer.getByRole("status")).toHaveText(left);
  await expect(list.locator("mark").first()).toHaveText(/left/i);
  await expectAccessible(page, "the tab Find");

  await drawer.getByLabel("Shortest, in tokens").fill("100");
  await drawer.getByLabel("Longest, in tokens").fill("2");
  await expect(drawer.getByText("No length is 100 or more and 2 or less")).toBeVisible();
  await drawer.getByLabel("Shortest, in tokens").fill("");
  await drawer.getByLabel("Longest, in tokens").fill("");
  await expect(drawer.getByRole("status")).toHaveText(left);

  await drawer.getByRole("combobox", { name: "Accuracy" }).click();
  await page.getByRole("option", { name: "accuracy 0", exact: true }).click();
  await expect(drawer.getByRole("status")).toHaveText(some);
  await expect(list.getByText("✓")).toHaveCount(0);

  await drawer.getByRole("button", { name: "Save view" }).click();
  await page.getByLabel("Name of the view").fill("Wrong and left");
  await page.keyboard.press("Enter");
  await expect(drawer.getByRole("button", { name: "Views (1)" })).toBeVisible();
  const listViews = async () =>
    (await ask<FindView[]>(page, "find.views", undefined)).map(({ view_id }) => view_id);
  const kept = await listViews();

  // A second view of that name is asked about, and the one before it can be brought back.
  await drawer.getByRole("button", { name: "Save view" }).click();
  await page.getByLabel("Name of the view").fill("Wrong and left");
  await expect(page.getByText("Wrong and left is there already")).toBeVisible();
  await page.getByRole("button", { name: "Replace", exact: true }).click();
  await expect(page.getByText("took the place of the one that was called so")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(listViews).toEqual(kept);
  await expect(drawer.getByRole("button", { name: "Views (1)" })).toBeVisible();

  await page.reload();
  await expect(drawer.getByRole("status")).toHaveText(some);
  await drawer.getByRole("button", { name: "Clear" }).click();
  await expect(drawer.getByRole("status")).toHaveText(all);
  await drawer.getByRole("button", { name: "Views (1)" }).click();
  await page
    .getByRole("menuitem", { name: /Wrong and left/ })
    .first()
    .click();
  await expect(drawer.getByRole("status")).toHaveText(some);

  // At 200 % the filters leave the list its room.
  await page.setViewportSize({ width: 720, height: 450 });
  await page.reload();
  await expect(list.getByRole("option").nth(1)).toBeInViewport({ ratio: 1 });
});

test("with the keyboard alone: a found completion is opened, tagged, noted, and the tag taken back", async ({
  page,
}) => {
  await launch(page, FAST);
  await waitForState(page, "done");
  await page.getByRole("tab", { name: "Find" }).press("Enter");
  const drawer = page.locator("#run-drawer");
  const list = drawer.getByRole("listbox", { name: "Completions found" });
  const options = list.getByRole("option");
  await expect(options.nth(1)).toContainText("gold");
  await list.focus();
  await page.keyboard.press("ArrowDown");
  await expect(options.first()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowDown");
  await expect(options.nth(1)).toHaveAttribute("aria-selected", "true");
  await expect(page).toHaveURL(/trace=\d+/);
  await expect(drawer.getByRole("article")).toContainText("<answer>");

  await drawer.getByLabel("New tag").focus();
  await page.keyboard.type("wrong object");
  await page.keyboard.press("Enter");
  await expect(list.getByText("wrong object")).toBeVisible();
  await drawer.getByLabel("New note").focus();
  await page.keyboard.type("Looks at the other bench.");
  await page.keyboard.press("Control+Enter");
  const remarks = drawer.getByRole("region", { name: "Notes and tags" });
  await expect(remarks.getByText("Looks at the other bench.")).toBeVisible();
  await remarks.getByRole("button", { name: "Undo" }).first().press("Enter");
  await expect(list.getByText("wrong object")).toHaveCount(0);
  await expect(remarks.getByText(/taken back by/)).toBeVisible();
  await remarks.getByRole("button", { name: "Bring back" }).press("Enter");
  await expect(list.getByText("wrong object")).toBeVisible();
  await expectAccessible(page, "an opened completion");
  await drawer.getByRole("button", { name: "Open its group" }).press("Enter");
  await expect(page.getByRole("tab", { name: /^Groups at step/ })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("article").first()).toBeVisible();
});
