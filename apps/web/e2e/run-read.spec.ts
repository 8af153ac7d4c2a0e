import { expectAccessible } from "./support/axe.ts";
import { fillLaunchPage, launch, waitForState, waitForStep } from "./support/runs.ts";
import { expect, test } from "./support/server.ts";

const FAST = { numbers: { "Steps per epoch": 20, "Steps per second": 20 } };

test("with the keyboard alone: from a curve to the groups of a step, to a trace, and back", async ({
  page,
}) => {
  await launch(page, FAST);
  await waitForState(page, "done");
  const chart = page.getByRole("slider", { name: "Reward parts" });
  await chart.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(chart).toHaveAttribute("aria-valuetext", /step 12: format/);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/step=12/);
  const row = page.locator("#run-drawer").getByRole("button", { name: /gold/ }).first();
  await row.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/group=g000012/);
  await expect(page.getByRole("article")).toHaveCount(8);
  await expect(page.getByRole("article").first()).toContainText("<answer>");
  await page.keyboard.press("]");
  await expect(page).toHaveURL(/step=13/);
  await page.keyboard.press("Escape");
  await expect(page.locator("#run-drawer")).toHaveCount(0);
});

test("the URL holds the step, the group, the tab and the window", async ({ page }) => {
  const run_id = await launch(page, FAST);
  await waitForState(page, "done");
  await page.goto(`/runs/${run_id}?step=9&group=g000009-1&tab=groups&from=5&to=20`);
  await expect(page.getByRole("tab", { name: "Groups at step 9" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("article")).toHaveCount(8);
  await page.getByRole("button", { name: "Show all" }).first().click();
  await expect(page).not.toHaveURL(/from=/);
});

test("a stretch is zoomed by dragging in every chart, and a double click shows all again", async ({
  page,
}) => {
  await launch(page, FAST);
  await waitForState(page, "done");
  const chart = page.getByRole("slider", { name: "Entropy" });
  await chart.hover({ position: { x: 120, y: 60 } });
  const box = await chart.boundingBox();
  if (!box) throw new Error("the chart has no place");
  const y = box.y + 60;
  await page.mouse.down();
  await page.mouse.move(box.x + 240, y, { steps: 6 });
  await page.mouse.up();
  await expect(page).toHaveURL(/from=.*to=/);
  await expect(page.getByRole("button", { name: "Show all" })).not.toHaveCount(0);
  await chart.dblclick({ position: { x: 200, y: 60 } });
  await expect(page).not.toHaveURL(/from=/);
  await expect(page).not.toHaveURL(/step=/);
});

test("a schedule is edited by keys and undone; preflight says what is wrong and refuses", async ({
  page,
}) => {
  await fillLaunchPage(page, {});
  const launchButton = page.getByRole("button", { name: "Launch the simulation" });
  await page.getByRole("slider", { name: "End of stage 1, in epochs" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(
    page.getByRole("button", { name: /^Stage 1, format 7:3:0 , epochs 0 to 1\.25/ }),
  ).toBeVisible();
  await page.keyboard.press("Control+z");
  await expect(page.getByRole("button", { name: /^Stage 1, format 7:3:0 , epochs 0 to 1$/ })).toBeVisible();

  await page.getByRole("button", { name: /^Stage 3, consistency/ }).focus();
  await page.keyboard.press("Alt+ArrowLeft");
  await expect(page.getByRole("button", { name: /^Stage 2, consistency/ })).toBeFocused();
  await page.keyboard.press("s");
  await expect(page.getByRole("button", { name: /^Stage 3, consistency 2/ })).toBeVisible();

  for (const part of ["format", "accuracy", "consistency"])
    await page.getByLabel(`Stage 1: weight of ${part}`).fill("0");
  await expect(page.getByRole("region", { name: "Preflight" })).toContainText("weighs nothing");
  await expect(launchButton).toBeDisabled();
  await page.getByLabel("Stage 1: weight of accuracy").fill("1");
  await expect(launchButton).toBeEnabled();
});

test("a stage's border is dragged", async ({ page }) => {
  await fillLaunchPage(page, {});
  const border = page.getByRole("slider", { name: "End of stage 1, in epochs" });
  await border.hover();
  const box = await border.boundingBox();
  if (!box) throw new Error("the border has no place");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 100, y, { steps: 8 });
  await page.mouse.up();
  await expect(border).toHaveAttribute("aria-valuenow", "1.5");
  await page.getByRole("button", { name: "Undo (Ctrl Z)" }).click();
  await expect(border).toHaveAttribute("aria-valuenow", "1");
});

test("a reload keeps the draft, and Enter in a field launches it", async ({ page }) => {
  await fillLaunchPage(page, FAST);
  await page.getByLabel("Name", { exact: true }).fill("by enter");
  await page.reload();
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("by enter");
  await page.getByLabel("Name", { exact: true }).press("Enter");
  await expect(page.getByRole("heading", { name: "by enter" })).toBeVisible();
});

test("runs are renamed, found, thrown away and brought back", async ({ page }) => {
  await launch(page, FAST);
  await waitForState(page, "done");
  await page.getByRole("button", { name: "Rename the run" }).click();
  await page.getByRole("textbox", { name: "Name of the run" }).fill("first try");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "first try" })).toBeVisible();
  const address = page.url();

  await page.goto("/runs");
  await expect(page.getByRole("row", { name: /first try/ })).toContainText("60 / 60");
  await page.getByLabel("Filter the runs").fill("nothing like it");
  await expect(page.getByText("No run is like that")).toBeVisible();
  await page.getByLabel("Filter the runs").fill("first");
  await page.getByRole("button", { name: "More of first try" }).click();
  await page.getByRole("menuitem", { name: "Move to the trash" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("row", { name: /first try/ })).toBeVisible();
  await page.getByRole("checkbox", { name: "Select first try" }).check();
  await page.getByRole("button", { name: "Move to the trash" }).click();
  await expect(page.getByText("No run")).toBeVisible();
  // Its own page says so, and brings it back.
  await page.goto(address);
  await page.getByRole("button", { name: "Bring it back" }).click();
  await expect(page.getByText("in the trash")).toHaveCount(0);
  await page.goto("/runs");
  await page.getByRole("checkbox", { name: "Select first try" }).check();
  await page.getByRole("button", { name: "Move to the trash" }).click();
  await expect(page.getByText("No run")).toBeVisible();
  await page.goto("/runs?trash=true");
  await page.getByRole("button", { name: "Restore first try" }).click();
  await expect(page.getByText("The trash is empty")).toBeVisible();
});

for (const scheme of ["light", "dark"] as const)
  test(`no page of the runs has a barrier, ${scheme}`, async ({ page }) => {
    test.slow();
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto("/runs");
    await page.getByText("No run yet").waitFor();
    await expectAccessible(page, "the empty list");
    await fillLaunchPage(page, {
      numbers: { ...FAST.numbers, "Learning speed": 1 },
      faults: [{ label: "Loss and gradient norm are NaN", step: 12 }],
    });
    await expectAccessible(page, "the launch page");
    await page.getByRole("button", { name: "Launch the simulation" }).click();
    await waitForStep(page, 30);
    await waitForState(page, "done");
    await expectAccessible(page, "a run");
    await page.goto(`${page.url().split("?")[0]}?tab=groups&step=20&group=g000020-0`);
    await page.getByRole("article").first().waitFor();
    await page.keyboard.press("f");
    await expectAccessible(page, "a group");
    for (const tab of ["Log", "Attempts", "Problems", "Settings"]) {
      await page.getByRole("tab", { name: tab }).click();
      await expectAccessible(page, tab);
    }
    await page.goto("/runs");
    await page.locator("[data-run]").first().waitFor();
    await expectAccessible(page, "the list");
  });
