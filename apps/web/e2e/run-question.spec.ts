import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Locator } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { expect, test } from "./support/server.ts";

test.use({ samples: true });

const RECORDED = join(import.meta.dirname, "../../../fixtures/recorded/tiny.json.gz");

type Completion = {
  step: number;
  question_id: string;
  parse: { letter: string | null };
  rewards: Record<string, { raw: number | null } | undefined>;
};

/** Completions of one question in the recorded run's file, read with nothing of the product. */
function readQuestion(question_id: string): Completion[] {
  const { files } = JSON.parse(gunzipSync(readFileSync(RECORDED)).toString()) as {
    files: Record<string, string>;
  };
  return (files["attempts/001/completions-00001.jsonl"] ?? "")
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text) as Completion)
    .filter((line) => line.question_id === question_id);
}

test("with the keyboard alone: from a completion to its question over time, and from a step of it to the groups", async ({
  page,
}) => {
  await page.goto("/runs/tiny-recorded");
  await expect(page.locator("[data-steps='192']")).toBeVisible({ timeout: 60_000 });
  await page.keyboard.press("/");
  const drawer = page.locator("#run-drawer");
  const list = drawer.getByRole("listbox", { name: "Completions found" });
  await list.getByRole("option").first().waitFor();
  await list.focus();
  await page.keyboard.press("ArrowDown");
  await drawer.getByRole("button", { name: "Question over time" }).press("Enter");

  const right = drawer.getByRole("slider", { name: /over time$/ });
  const name = (await right.getAttribute("aria-label")) ?? "";
  const asked = readQuestion(name.replace(/ over time$/, ""));
  const steps = [...new Set(asked.map(({ step }) => step))].sort((a, b) => a - b);
  expect(steps.length).toBeGreaterThan(0);
  const last = asked.filter(({ step }) => step === steps.at(-1));
  const scored = last.flatMap(({ rewards }) => rewards.accuracy?.raw ?? []);
  const mean = scored.reduce((sum, raw) => sum + raw, 0) / scored.length;

  await right.focus();
  await page.keyboard.press("End");
  await expect(right).toHaveAttribute("aria-valuenow", String(steps.at(-1)));
  const readNumber = async (chart: Locator, label: string) => {
    const said = (await chart.getAttribute("aria-valuetext")) ?? "";
    return Number(new RegExp(`\\b${label} ([\\d.]+)`).exec(said)?.[1]);
  };
  await expect.poll(() => readNumber(right, "right")).toBeCloseTo(mean, 2);
  const answers = drawer.getByRole("slider", { name: "What was answered" });
  const letter = last[0]?.parse.letter ?? "none";
  const share = last.filter((one) => (one.parse.letter ?? "none") === letter).length / last.length;
  await expect.poll(() => readNumber(answers, letter)).toBeCloseTo(share, 2);
  await expectAccessible(page, "a question over time");

  await right.press("Enter");
  await expect(page).toHaveURL(new RegExp(`step=${steps.at(-1)}\\b`));
});
