import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { waitForState } from "./support/runs.ts";
import { expect, test } from "./support/server.ts";

test.use({ samples: true });
test.describe.configure({ timeout: 420_000 });

const SLOW = { timeout: 180_000 };

/** Goes on with the tab key until something has the focus. */
async function tabTo(page: Page, wanted: Locator, key = "Tab"): Promise<void> {
  await expect(wanted).toBeVisible(SLOW);
  for (let presses = 0; presses < 150; presses += 1) {
    if (await wanted.evaluate((node) => node === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error("the tab key never got there");
}

const panel = (page: Page) => page.getByRole("region", { name: "Which link broke?" });

/** From the list of runs to the wrong answers of which one link broke, by the keyboard. */
async function openWrongAnswers(page: Page, link: string): Promise<void> {
  await page.goto("/runs");
  await tabTo(page, page.getByRole("row", { name: /tiny/ }).getByRole("link").first());
  await page.keyboard.press("Enter");
  await waitForState(page, "done");
  await tabTo(page, page.getByRole("tab", { name: "Links" }));
  await page.keyboard.press("Enter");
  const table = page.locator("#run-drawer").getByRole("table");
  await expect(page.locator("#run-drawer").getByRole("status")).toHaveText(/^1\s?740\swrong\sanswers$/, SLOW);
  await tabTo(page, table.getByRole("button", { name: new RegExp(`^${link}: `) }));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/tab=find/);
  await expect(page.locator("#run-drawer").getByLabel("Words in the text")).toBeFocused(SLOW);
}

test("with the keyboard alone: from a wrong answer of the sample run to the frame that explains it", async ({
  page,
}) => {
  await openWrongAnswers(page, "The reasoning states it");
  const drawer = page.locator("#run-drawer");
  await page.keyboard.type('"3 forward east 4 left north 5 forward north"');
  const list = drawer.getByRole("listbox", { name: "Completions found" });
  await expect(list.getByRole("option")).not.toHaveCount(0, SLOW);
  // Until then more may be found, and the rows move.
  await expect(drawer.getByRole("progressbar", { name: "Words indexed" })).toBeHidden(SLOW);
  await tabTo(page, list);
  // The one on the sample clip; questions that were generated have none.
  const isOfClip = drawer.getByText(/sample\/street-round-the-corner-3/).first();
  for (let presses = 0; presses < 12 && !(await isOfClip.isVisible()); presses += 1) {
    await page.keyboard.press("ArrowDown");
    await expect(list.getByRole("option", { selected: true })).toHaveAttribute(
      "aria-posinset",
      String(presses + 1),
      SLOW,
    );
    await expect(panel(page).getByRole("status")).toBeVisible(SLOW);
  }
  await expect(panel(page).getByRole("status")).toHaveText(
    "The reasoning states it: no. After 3 forward it says east; from west that is west.",
    SLOW,
  );
  const rows = panel(page)
    .getByRole("listitem")
    .filter({ has: page.locator("[class*=name]") });
  await expect(rows).toHaveCount(7);
  await expect(panel(page).locator("[data-broken]")).toContainText("3 forward east");
  await expectAccessible(page, "which link broke");

  await tabTo(page, panel(page).getByRole("button", { name: "Make the clip’s triples" }));
  await page.keyboard.press("Enter");
  await expect(panel(page).getByRole("button", { name: "Make the clip’s triples" })).toHaveCount(0, SLOW);
  const evidence = panel(page).locator("[data-broken]").getByRole("link");
  await expect(evidence).toBeFocused(SLOW);
  const frame = /frame (\d+) ·/.exec((await evidence.textContent()) ?? "")?.[1] ?? "";
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/clips/[0-9a-f]{64}.*frame=${frame}`));
  const lit = page.getByTestId("triple").and(page.locator('[aria-current="true"]'));
  await expect(lit).toHaveAttribute("data-frame", frame, SLOW);
  await expect(lit).toContainText("move forward");
});

test("the clip of a generated question is rendered by one key, and the evidence then leads to its frame", async ({
  page,
}) => {
  await openWrongAnswers(page, "The reasoning states it");
  const drawer = page.locator("#run-drawer");
  await page.keyboard.type('"1 left west heading south"');
  const list = drawer.getByRole("listbox", { name: "Completions found" });
  await expect(list.getByRole("option")).toHaveCount(1, SLOW);
  await tabTo(page, list);
  await page.keyboard.press("ArrowDown");
  await expect(panel(page).getByRole("status")).toContainText(
    "After 1 left it says west; from west that is south.",
    SLOW,
  );
  await expect(panel(page).locator('[data-link="clip"]')).toContainText("can’t tell");
  const render = panel(page).getByRole("button", { name: "Render this world’s clip" });
  await tabTo(page, render);
  await page.keyboard.press("Enter");
  await expect(panel(page).getByRole("progressbar")).toBeVisible();
  await expect(panel(page).locator('[data-link="clip"]')).toContainText("holds", SLOW);
  await expect(panel(page).locator('[data-link="key_frames"]')).toContainText("holds");
  await expect(panel(page).locator("[data-broken]").getByRole("link")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/clips\/[0-9a-f]{64}/);
  await expect(page.getByTestId("triple").and(page.locator('[aria-current="true"]'))).toContainText(
    "rotate left",
    SLOW,
  );
});

test("the count has an address, columns by steps and by tasks, and each number finds its answers", async ({
  page,
}) => {
  await page.goto("/runs/tiny-recorded?tab=links");
  await waitForState(page, "done");
  const drawer = page.locator("#run-drawer");
  await expect(drawer.getByRole("status")).toHaveText(/^1\s?740\swrong\sanswers$/, SLOW);
  await expectAccessible(page, "links counted over a run");
  const cell = drawer.getByRole("button", { name: /^The conclusion follows, \d+–\d+: \d+ answer/ }).first();
  const n = /: ([\d,]+) answer/.exec((await cell.getAttribute("aria-label")) ?? "")?.[1];
  await cell.click();
  await expect(drawer.getByRole("combobox", { name: "Broken link" })).toHaveValue("broke at: conclusion");
  await expect(drawer.getByRole("status")).toHaveText(new RegExp(`^${n} completion`));
  await page.goBack();
  await drawer.getByText("By tasks").click();
  await expect(drawer.getByRole("columnheader", { name: "heading" })).toBeVisible();
});
