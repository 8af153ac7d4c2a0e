import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { LineOf } from "@sightline/core/wire";
import { expectAccessible } from "./support/axe.ts";
import { expect, test } from "./support/server.ts";

test.use({ samples: true });

const RECORDED = join(import.meta.dirname, "../../../fixtures/recorded/tiny.json.gz");

/** The trained groups of the recorded run's file, read with nothing of the product. */
function readGroups(): LineOf<"completion">[][] {
  const { files } = JSON.parse(gunzipSync(readFileSync(RECORDED)).toString()) as {
    files: Record<string, string>;
  };
  const groups = new Map<string, LineOf<"completion">[]>();
  for (const text of (files["attempts/001/completions-00001.jsonl"] ?? "").trim().split("\n")) {
    const line = JSON.parse(text) as LineOf<"completion">;
    if (line.split !== "eval") groups.set(line.group_id, [...(groups.get(line.group_id) ?? []), line]);
  }
  return [...groups.values()];
}

const getPath = ([line]: LineOf<"completion">[]) =>
  `/runs/tiny-recorded/groups/1/${line?.step}/${encodeURIComponent(line?.group_id ?? "")}`;

test("a group by its address: ordered by advantage, worked out again, with what differs and what is cited", async ({
  page,
}) => {
  const group = readGroups().find(
    (one) => one[0]?.step === 47 && new Set(one.map(({ reward }) => reward)).size > 1,
  );
  if (group === undefined) throw new Error("no group with a spread at step 47");
  await page.goto("/runs/tiny-recorded");
  await expect(page.locator("[data-steps='192']")).toBeVisible({ timeout: 60_000 });
  await page.goto(getPath(group));
  const columns = page.getByRole("article");
  await expect(columns).toHaveCount(8);
  const advantages = group.map(({ advantage }) => Number(advantage)).sort((a, b) => b - a);
  const cells = page.getByTitle("Advantage within its group");
  await expect(async () => {
    const shown = await cells.allTextContents();
    expect(shown).toHaveLength(8);
    for (const [at, text] of shown.entries())
      expect(Number(text.replace("−", "-"))).toBeCloseTo(advantages[at] ?? 0, 1);
  }).toPass({ timeout: 40_000 });

  const rewards = group.map(({ reward }) => Number(reward));
  const mean = rewards.reduce((sum, one) => sum + one, 0) / rewards.length;
  const account = page.getByRole("region", { name: "How the advantages came about" });
  await expect(account).toContainText(`mean ${Number(mean.toFixed(4))}`);
  await expect(account).toContainText("✓ the run wrote the same numbers");

  // A number of a move in the text, the picture after it and its words light up together.
  const pictures = page.getByTestId("trace-picture");
  await expect(pictures.first()).toBeVisible();
  const cite = columns.first().getByRole("button", { name: "Open frame 2" }).first();
  await cite.focus();
  await expect(pictures.nth(2)).toHaveAttribute("data-pointed", "true");
  await expect(pictures.nth(2)).toHaveAttribute("data-cited", "true");
  await expect(page.getByTestId("told-picture")).toContainText("View after move 2");
  await expect(page.locator("[data-kind=differs]").first()).toBeVisible();
  await expectAccessible(page, "a group");

  await page.getByRole("button", { name: "Hold the others against it" }).first().click();
  await expect(page).toHaveURL(/against=\d/);
  await expect(columns.first().locator("[data-kind=differs]")).toHaveCount(0);
  await page.keyboard.press("o");
  await expect(page).toHaveURL(/order=k/);
  await expect(columns.first()).toHaveAccessibleName(/^Completion 1,/);
});

test("B25: a group of equal rewards says that nothing is learned, and raises no alarm", async ({ page }) => {
  const tied = readGroups().find((one) => new Set(one.map(({ reward }) => reward)).size === 1);
  if (tied === undefined) throw new Error("no tied group");
  await page.goto("/runs/tiny-recorded");
  await expect(page.locator("[data-steps='192']")).toBeVisible({ timeout: 60_000 });
  await page.goto(getPath(tied));
  const account = page.getByRole("region", { name: "How the advantages came about" });
  await expect(account).toContainText("nothing is learned from this group");
  await expect(account).toContainText("✓ the run wrote the same numbers");
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("with the keyboard alone: from a curve to a step, to a group, to its page, to one trace and the picture that it cites", async ({
  page,
}) => {
  await page.goto("/runs/tiny-recorded");
  await expect(page.locator("[data-steps='192']")).toBeVisible({ timeout: 60_000 });
  const chart = page.getByRole("slider", { name: "Reward parts" });
  await chart.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/step=\d+/);
  const row = page.locator("#run-drawer").getByRole("button", { name: /gold/ }).first();
  await row.focus();
  await page.keyboard.press("Enter");
  const whole = page.getByRole("link", { name: "Over the whole page" });
  await whole.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("group-page").getByRole("article")).toHaveCount(8);
  // The last one as they stand is the one with the lowest advantage.
  await page.keyboard.press("8");
  await expect(page).toHaveURL(/k=\d/);
  const inspector = page.getByTestId("inspector");
  await expect(inspector.getByRole("region", { name: "How it was read" })).toContainText("embodied-r");
  await expect(inspector.getByRole("region", { name: "Reward" })).toContainText("✓ The run wrote the same.");
  const cite = inspector.getByRole("button", { name: /^Open frame \d/ }).first();
  await cite.focus();
  await page.keyboard.press("Enter");
  await expect(inspector.getByTestId("told-picture")).toContainText(/View (at|after)/);
  await page.keyboard.press("r");
  await expect(inspector.getByTestId("raw-text")).toBeVisible();
  await page.keyboard.press("r");
  await page.keyboard.press("[");
  await expect(page.getByText("7 of 8")).toBeVisible();
  await expectAccessible(page, "a trace");
  await page.keyboard.press("Shift+?");
  await expect(page.getByRole("dialog")).toContainText("Raw text, or as it reads");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("article")).toHaveCount(8);
  await page.reload();
  await expect(page.getByRole("article")).toHaveCount(8);
});

test("an address of no group says so and leads to the run", async ({ page }) => {
  await page.goto("/runs/tiny-recorded/groups/1/9999/nothing");
  await expect(page.getByText("This group cannot be shown")).toBeVisible();
  await page.goto("/runs/tiny-recorded/groups/one/no/nothing");
  await expect(page.getByText("This group cannot be shown")).toBeVisible();
  await page.getByRole("link", { name: "Open the run" }).click();
  await expect(page).toHaveURL(/\/runs\/tiny-recorded$/);
});
