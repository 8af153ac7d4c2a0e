import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { expect, test } from "./support/server.ts";

test.use({ samples: true });

const RECORDED = join(import.meta.dirname, "../../../fixtures/recorded/tiny.json.gz");

type Metrics = { type: string; split: string; step: number; values: { reward: number } };
type Completion = {
  step: number;
  split?: string;
  group_id: string;
  question_id: string;
  reward: number;
};

/** Where the recorded run's reward is lowest once it has learnt something, and which group was paid least there. */
function findDip() {
  const { files } = JSON.parse(gunzipSync(readFileSync(RECORDED)).toString()) as {
    files: Record<string, string>;
  };
  const linesOf = <T>(file: string) =>
    (files[`attempts/001/${file}`] ?? "")
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text) as T);
  const rewards = linesOf<Metrics>("events.jsonl").filter(
    (line) => line.type === "metrics" && line.split === "train" && line.step > 20,
  );
  const dip = rewards.reduce((low, line) => (line.values.reward < low.values.reward ? line : low));
  const paid = new Map<string, { question_id: string; sum: number }>();
  for (const one of linesOf<Completion>("completions-00001.jsonl")) {
    if (one.step !== dip.step || one.split === "eval") continue;
    const known = paid.get(one.group_id) ?? { question_id: one.question_id, sum: 0 };
    paid.set(one.group_id, { ...known, sum: known.sum + one.reward });
  }
  const [worst] = [...paid].sort((a, b) => a[1].sum - b[1].sum);
  if (worst === undefined) throw new Error(`step ${dip.step} has no completions`);
  return { step: dip.step, reward: dip.values.reward, group_id: worst[0], groups: paid.size };
}

/** Presses Tab until a control has the focus whose accessible name begins so. */
async function tabTo(page: Page, role: string, name: RegExp, most: number): Promise<void> {
  const wanted = page.getByRole(role as "slider", { name });
  for (let press = 0; press < most; press += 1) {
    await page.keyboard.press("Tab");
    for (const one of await wanted.all())
      if (await one.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`${most} times Tab reach no ${role} called ${name}`);
}

test("with the keyboard alone: from a dip in a curve to the group that made it", async ({ page }) => {
  const dip = findDip();
  await page.goto("/runs/tiny-recorded");
  await expect(page.locator("[data-steps='192']")).toBeVisible({ timeout: 60_000 });

  const chart = page.getByRole("slider", { name: "Total reward" });
  await expect(chart).toBeVisible();
  await tabTo(page, "slider", /^Total reward$/, 80);
  await page.keyboard.press("Home");
  for (let at = 1; at + 10 <= dip.step; at += 10) await page.keyboard.press("Shift+ArrowRight");
  for (let k = 0; k < (dip.step - 1) % 10; k += 1) await page.keyboard.press("ArrowRight");
  await expect(chart).toHaveAttribute("aria-valuetext", new RegExp(`^step ${dip.step}: `));
  await expect(chart).toHaveAttribute("aria-valuetext", new RegExp(dip.reward.toFixed(3)));

  await page.keyboard.press("Enter");
  await expect(page.getByRole("tab", { name: `Groups at step ${dip.step}` })).toHaveAttribute(
    "aria-selected",
    "true",
  );
  await page.keyboard.press("g");
  await expect(page.locator("#run-drawer")).toBeFocused();
  // The rows say what each group was paid: the lowest mean is the one that made the dip.
  const rows = page.locator("#run-drawer").getByRole("button", { name: / ± / });
  await expect(rows).toHaveCount(dip.groups);
  const means = (await rows.allTextContents()).map((text) =>
    Number(/(-?[\d.]+) ± /.exec(text.replaceAll("−", "-"))?.[1]),
  );
  const worst = rows.nth(means.indexOf(Math.min(...means)));
  for (let press = 0; press < 40; press += 1) {
    if (await worst.evaluate((element) => element === document.activeElement)) break;
    await page.keyboard.press("Tab");
  }
  await expect(worst).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(
    new RegExp(`step=${dip.step}.*group=${dip.group_id}|group=${dip.group_id}.*step=${dip.step}`),
  );
  await expect(page.getByRole("article").first()).toContainText("<answer>");
  await expect(worst).toBeFocused();
});
