import type { Page } from "@playwright/test";
import { SECRET, startReceiver } from "../../server/src/features/alerts/testing/receiver.ts";
import { expectAccessible } from "./support/axe.ts";
import { look } from "./support/looks.ts";
import { ask, launch, waitForState } from "./support/runs.ts";
import { expect, test } from "./support/server.ts";

test.describe.configure({ timeout: 360_000 });

const SMALL = { "Steps per epoch": 20, "Steps per second": 0, "Checkpoint every": 20 };
const NAN = "Loss and gradient norm are NaN";

/** Goes on by Tab until an element with this name has the focus, as one without a mouse does. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let k = 0; k < 80; k += 1) {
    await page.keyboard.press("Tab");
    const found = await page.evaluate(() => {
      const at = document.activeElement as HTMLElement | null;
      return (
        at?.getAttribute("aria-label") ??
        (at as HTMLInputElement | null)?.labels?.[0]?.textContent ??
        at?.textContent ??
        ""
      );
    });
    if (typeof name === "string" ? found.trim() === name : name.test(found)) return;
  }
  throw new Error(`Tab does not come to ${name}`);
}

test("a rule is made by the keyboard, back-tested on past runs before it is saved, and fires on the next run", async ({
  page,
}) => {
  await launch(page, { name: "sick before", numbers: SMALL, faults: [{ label: NAN, step: 12 }] });
  await waitForState(page, "done");
  await launch(page, { name: "healthy before", numbers: SMALL });
  await waitForState(page, "done");

  await page.goto("/alerts");
  await expect(page.getByRole("heading", { name: "No alert yet" })).toBeVisible();
  await expectAccessible(page, "alerts, empty");
  await look(page, "alerts-empty");
  await page.getByRole("tab", { name: "Rules" }).click();
  await expect(page.getByRole("heading", { name: "No rule yet" })).toBeVisible();

  await page.keyboard.press("Escape");
  await page.locator("h1").click();
  await page.keyboard.press("n");
  const form = page.getByRole("form", { name: "Rule" });
  await form.waitFor();
  const test_ = page.getByRole("region", { name: "Back-test" });
  await expect(test_.getByRole("status")).toHaveText("It would have fired 1 time, on 1 of 2 runs.");
  await expect(test_.getByRole("listitem").first()).toContainText("sick before");
  await expect(test_.getByRole("listitem").first()).toContainText("step 12");
  await expect(test_.getByRole("img", { name: /^sick before: .*, marks at step 12$/ })).toBeVisible();
  await expect(test_.getByRole("img", { name: /^healthy before: .*, no mark$/ })).toBeVisible();
  await expectAccessible(page, "a new rule");
  await look(page, "alert-rule");

  await tabTo(page, /^Steps in a row/);
  await page.keyboard.press("Control+a");
  await page.keyboard.type("2");
  await expect(test_.getByRole("status")).toHaveText("It would not have fired on any of 2 runs.");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("0");
  await expect(form.getByRole("alert")).toHaveText("Steps in a row is from 1 to 1000.");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("1");
  await expect(test_.getByRole("status")).toHaveText("It would have fired 1 time, on 1 of 2 runs.");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("list", { name: "Rules" })).toContainText("all runs · steps in a row 1");
  await expectAccessible(page, "the rules");

  const run_id = await launch(page, { name: "sick now", numbers: SMALL, faults: [{ label: NAN, step: 7 }] });
  const strip = page.getByRole("region", { name: "Alerts of this run" });
  await expect(strip).toContainText("Non-finite value");
  await expect(strip).toContainText("at step 7");
  await waitForState(page, "done");
  await expect(page.locator('[data-role="mark-alert"]').first()).toBeAttached();
  await expectAccessible(page, "a run with an alert");
  await look(page, "alert-on-run");
  await page.goto("/runs");
  await expect(page.getByRole("link", { name: "1 new alert of sick now" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Alerts 1" })).toBeVisible();
  await page.getByRole("link", { name: "Alerts 1" }).press("Enter");
  const list = page.getByRole("list", { name: "Alerts" });
  await expect(list.getByRole("listitem")).toHaveCount(1);
  await expect(list).toContainText("sick now, at step 7");
  await expectAccessible(page, "alerts");
  await look(page, "alerts");
  await list.getByRole("button", { name: "Seen: Non-finite value, sick now, step 7" }).press("Enter");
  await expect(page.getByText("Nothing new.")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await expect(list.getByRole("listitem")).toHaveCount(1);
  await list.getByRole("button", { name: /^Seen:/ }).press("Enter");
  await expect(page.getByText("Nothing new.")).toBeVisible();
  await page.goto(`/runs/${run_id}`);
  await expect(page.getByRole("heading", { name: "sick now" })).toBeVisible();
  await expect(page.locator('[data-role="mark-alert"]').first()).toBeAttached();
  await expect(strip).toHaveCount(0);
});

test("a rule is changed, taken back, removed and brought back", async ({ page, context }) => {
  await page.goto("/alerts?tab=rules");
  await page.getByRole("button", { name: "Add the six with their defaults" }).click();
  const rules = page.getByRole("list", { name: "Rules" });
  await expect(rules.getByRole("listitem")).toHaveCount(6);
  await look(page, "alert-rules");
  await rules.getByRole("link", { name: "No signal" }).click();
  await page.getByLabel("Window", { exact: true }).fill("50");
  await page.getByRole("button", { name: "Save the rule" }).click();
  await expect(rules).toContainText("window 50 steps, share at least 0.9");
  await rules.getByRole("link", { name: "No signal" }).click();
  await page.getByLabel("Window", { exact: true }).fill("45");
  // Another tab changes it first: what it wrote is not written over.
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.getByLabel("Window", { exact: true })).toHaveValue("50");
  await other.getByLabel("Window", { exact: true }).fill("40");
  await other.getByRole("button", { name: "Save the rule" }).click();
  await expect(other.getByRole("list", { name: "Rules" })).toContainText("window 40 steps");
  await other.close();
  await page.getByRole("button", { name: "Save the rule" }).click();
  await expect(page.getByText("has changed this rule meanwhile")).toBeVisible();
  await expect(page.getByLabel("Window", { exact: true })).toHaveValue("45");
  await page.getByRole("link", { name: "All rules" }).click();
  await expect(rules).toBeVisible();
  await page.reload();
  await expect(rules).toContainText("window 40 steps");
  await rules.getByRole("link", { name: "No signal" }).click();
  await page
    .getByRole("region", { name: "History" })
    .getByRole("button", { name: "Bring back" })
    .last()
    .click();
  await expect(page.getByLabel("Window", { exact: true })).toHaveValue("20");
  await page.getByRole("link", { name: "All rules" }).click();
  await rules.getByRole("button", { name: "What to do with Stalled" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await expect(rules.getByRole("listitem")).toHaveCount(5);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(rules.getByRole("listitem")).toHaveCount(6);
});

test("a receiver is added, tried and told of an alert; its address does not come back", async ({ page }) => {
  const receiver = await startReceiver();
  try {
    await page.goto("/alerts?tab=receivers");
    await page.getByRole("button", { name: "Add a receiver" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("lab chat");
    await dialog.getByLabel("Address").fill("http://example.org/x");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByRole("alert")).toContainText(
      "Alerts can't go there. Allowed: https to any host",
    );
    await dialog.getByLabel("Address").fill(receiver.url);
    await dialog.getByLabel("Signing key").fill("a-key-to-sign-with");
    await expectAccessible(page, "a receiver");
    await look(page, "alert-receiver");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("list", { name: "Receivers" })).toContainText(
      `http://127.0.0.1:${receiver.port}/…`,
    );
    await page.getByRole("button", { name: "Send a test to lab chat" }).click();
    const log = page.getByRole("region", { name: "Deliveries" });
    await expect(log).toContainText("A test to lab chat");
    await expect(log).toContainText("Answered 200.");
    receiver.answer.push(410);
    await page.getByRole("button", { name: "Send a test to lab chat" }).click();
    await expect(log).toContainText("The receiver has nothing at this address any more (410).");
    await log.getByRole("button", { name: "Tell again" }).click();
    await expect(log.getByText("told")).toHaveCount(2);
    expect(await page.content()).not.toContain(SECRET);
    expect(JSON.stringify(await ask(page, "alerts.webhooks", undefined))).not.toContain(SECRET);

    await page.goto("/alerts/rules/new");
    const receivers = page.getByRole("combobox", { name: "Receivers" });
    await receivers.press("Enter");
    await receivers.press("ArrowDown");
    await page.getByRole("option", { name: "lab chat" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Save the rule" }).press("Enter");
    await expect(page.getByRole("list", { name: "Rules" })).toBeVisible();
    await launch(page, { name: "sick", numbers: SMALL, faults: [{ label: NAN, step: 5 }] });
    await expect
      .poll(() => receiver.received.map(({ body }) => JSON.parse(body).kind), { timeout: 60_000 })
      .toEqual(["test", "test", "test", "fired", "ended"]);
    await page.goto("/alerts?tab=receivers");
    await expect(page.getByRole("region", { name: "Deliveries" })).toContainText("An alert to lab chat");
    await expectAccessible(page, "receivers");
    await look(page, "alert-receivers");
  } finally {
    await receiver.close();
  }
});
