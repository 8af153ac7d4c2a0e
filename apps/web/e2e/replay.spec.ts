import { expectAccessible } from "./support/axe.ts";
import { launch, waitForState } from "./support/runs.ts";
import { expect, test } from "./support/server.ts";

test.describe("on the recorded run", () => {
  test.use({ samples: true });

  test("with the keyboard alone: the released rules are replayed, a flipped answer is opened, and its address keeps it", async ({
    page,
  }) => {
    await page.goto("/runs/tiny-recorded");
    await waitForState(page, "done");
    await page.getByRole("link", { name: "Replay" }).press("Enter");
    await expect(page.getByRole("heading", { name: "Reward replay" })).toBeVisible();
    await expect(page.getByText("Nothing was replayed yet")).toBeVisible();
    await expectAccessible(page, "reward replay, empty");

    await page.getByRole("combobox", { name: "Parts" }).press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("combobox", { name: "Parts" })).toHaveValue(/Embodied-R/);
    await page.getByRole("textbox", { name: "Name" }).focus();
    await page.keyboard.type("As released");
    await page.keyboard.press("Enter");

    const view = page.getByRole("region", { name: "As released" });
    await expect(view).toHaveAttribute("data-replay-state", "done", { timeout: 90_000 });
    await expect(page).toHaveURL(/replay=/);
    const numbers = view.getByRole("table", { name: "Before and after" });
    await expect(numbers).toContainText(/12\s288 completions in 1\s536 groups/);
    await expect(numbers.getByRole("row", { name: /^Accuracy/ })).toContainText("−");
    for (const name of ["Reward, mean", "Groups without a signal", "Advantage, mean size"])
      await expect(view.getByRole("slider", { name })).toBeVisible();

    await view.getByRole("button", { name: /^Accuracy lost, all tasks/ }).press("Enter");
    await expect(page).toHaveURL(/flip=accuracy_lost/);
    const flipped = view.getByRole("region", { name: "Flipped completions" });
    await expect(flipped.getByRole("heading", { name: "Accuracy lost" })).toBeVisible();
    await flipped.locator("button[aria-expanded]").first().press("Enter");
    const opened = page.getByRole("region", { name: "Before and after of one completion" });
    await expect(opened.getByRole("row", { name: /^accuracy/ })).toContainText(/1\.000\s*0\.000/);
    await expect(opened.getByRole("article")).toContainText("<answer>");
    await expectAccessible(page, "reward replay with a flipped completion");

    await page.reload();
    await expect(opened.getByRole("row", { name: /^accuracy/ })).toContainText(/1\.000\s*0\.000/);
    await expect(page.getByRole("list", { name: "Replays" })).toContainText("As released");
    await page.keyboard.press("Escape");
    await expect(opened).toHaveCount(0);
    await flipped.locator("button[aria-expanded]").first().press("Enter");
    await opened.getByRole("link", { name: "Open its group" }).press("Enter");
    await expect(page.getByRole("tab", { name: /^Groups at step/ })).toHaveAttribute("aria-selected", "true");
  });

  test("the run's own rules give back what it emitted, and the page says so", async ({ page }) => {
    await page.goto("/runs/tiny-recorded/replay");
    await page.getByRole("combobox", { name: "Parts" }).click();
    await page.getByRole("option", { name: /Sightline/ }).click();
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await expect(page.getByText(/every reward and advantage comes out as the run emitted it/)).toBeVisible({
      timeout: 90_000,
    });
    await expect(page.getByText("No verdict turned over")).toBeVisible();
  });

  test("the paper's figures are drawn from the run, with what was read of the paper's and its caveats", async ({
    page,
  }) => {
    await page.goto("/runs/tiny-recorded");
    await waitForState(page, "done");
    await page.getByRole("link", { name: "Figures" }).press("Enter");
    await expect(page.getByRole("heading", { name: /training figures/ })).toBeVisible();
    for (const letter of "abcdef")
      await expect(page.getByRole("slider", { name: new RegExp(`^${letter} ·`) })).toBeVisible();
    const a = page.getByRole("region", { name: /^a ·/ });
    await expect(a).toContainText("this run, training");
    await expect(a).toContainText("held-out questions");
    await expect(a).toContainText("paper, read from the figure ± 0.02");
    await expect(page.getByRole("figure").filter({ hasText: "e ·" })).toContainText(
      "No values were read from these curves, so none are drawn",
    );
    await expect(page.getByRole("region", { name: /^f ·/ })).toContainText("99.43 %");
    await expectAccessible(page, "the paper's figures");
    await a.getByRole("button", { name: /export|take/i }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: /SVG/ }).click();
    expect((await download).suggestedFilename()).toMatch(/\.svg$/);
  });
});

test("a formula is refused with its place, then replayed, removed and brought back; figures say what is missing", async ({
  page,
}) => {
  const run_id = await launch(page, {
    numbers: { "Steps per epoch": 20, "Steps per second": 20 },
  });
  await waitForState(page, "done");
  await page.goto(`/runs/${run_id}/replay`);
  await page.getByRole("combobox", { name: "Reward" }).click();
  await page.getByRole("option", { name: "A formula of your own" }).click();
  const formula = page.getByRole("textbox", { name: "Formula" });
  await formula.fill("accuracy * (tokens < 90) + leng");
  await expect(page.getByText("There is no value called leng.")).toBeVisible();
  await expect(page.locator("mark")).toHaveText("leng");
  await expect(page.getByRole("button", { name: "Replay", exact: true })).toBeDisabled();
  await expectAccessible(page, "a formula that can't be used");

  await formula.fill("accuracy * (tokens < 90)");
  await page.getByRole("textbox", { name: "Name" }).fill("Short and right");
  await page.getByRole("button", { name: "Replay", exact: true }).click();
  const view = page.getByRole("region", { name: "Short and right" });
  await expect(view).toHaveAttribute("data-replay-state", "done", { timeout: 60_000 });
  await expect(view).toContainText("reward = accuracy * (tokens < 90)");
  await expect(view.getByText(/rewards changed/)).toBeVisible();

  await page.getByRole("button", { name: "Remove Short and right" }).click();
  await expect(page.getByText("Nothing was replayed yet")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("list", { name: "Replays" })).toContainText("Short and right");
});
