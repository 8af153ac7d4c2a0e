import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { launch, waitForState } from "./support/runs.ts";
import { expect, test } from "./support/server.ts";

const FAST = { numbers: { "Steps per epoch": 20, "Steps per second": 20 } };
const RECORDED = join(import.meta.dirname, "../../../fixtures/recorded/tiny.json.gz");

type Line = Record<string, unknown>;
type Completion = {
  step: number;
  split?: string;
  task: string;
  group_id: string;
  gold: string;
  parse: { letter: string | null; rule: string };
  rewards: Record<string, { raw: number | null } | undefined>;
  reward: number;
  judges: { agrees: boolean | null }[];
};

/** The recorded run as its files say, read with nothing of the product. */
function readRecorded(step: number) {
  const { files } = JSON.parse(gunzipSync(readFileSync(RECORDED)).toString()) as {
    files: Record<string, string>;
  };
  const linesOf = (file: string) =>
    (files[`attempts/001/${file}`] ?? "")
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text));
  const metrics = (linesOf("events.jsonl") as Line[]).find(
    (line) => line.type === "metrics" && line.split === "train" && line.step === step,
  ) as { values: Record<string, number> };
  const all = linesOf("completions-00001.jsonl") as Completion[];
  const completions = all.filter((line) => line.step === step && line.split !== "eval");
  const evaluation = (linesOf("events.jsonl") as Line[]).findLast((line) => line.type === "evaluation") as {
    step: number;
    overall: { accuracy: number; n: number };
  };
  return { values: metrics.values, completions, evaluation };
}

/** What a chart says of a step, in words. */
async function readChart(page: Page, name: string, keys: string[]): Promise<string> {
  const chart = page.getByRole("slider", { name, exact: true });
  await chart.focus();
  for (const key of keys) await page.keyboard.press(key);
  return (await chart.getAttribute("aria-valuetext")) ?? "";
}

/** The number behind a label is the expected one, to the last digit that is shown. */
function expectShown(said: string, label: string, expected: number) {
  const escaped = label.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const shown = new RegExp(`(?:: |, )${escaped} ([−\\d.]+(?:e[−+]?\\d+)?)`)
    .exec(said)?.[1]
    ?.replaceAll("−", "-");
  expect(shown, `${label} in "${said}"`).toBeDefined();
  const decimals = /\.(\d+)/.exec(shown ?? "")?.[1]?.length ?? 0;
  const exponent = Number(/e([-+]?\d+)/.exec(shown ?? "")?.[1] ?? 0);
  const half = 0.5 * 10 ** (exponent - decimals) + 1e-12;
  expect(
    Math.abs(Number(shown) - expected),
    `${label}: shown ${shown}, file ${expected}`,
  ).toBeLessThanOrEqual(half);
}

/** A chart says these numbers of a step by their labels, and these words: at once, or when all of its data have come. */
async function expectChart(
  page: Page,
  name: string,
  keys: string[],
  numbers: Record<string, number>,
  words: string[] = [],
): Promise<void> {
  await expect(async () => {
    const said = await readChart(page, name, keys);
    for (const word of words) expect(said).toContain(word);
    for (const [label, number] of Object.entries(numbers)) expectShown(said, label, number);
  }).toPass({ timeout: 60_000 });
}

test.describe("the recorded run", () => {
  test.use({ samples: true });

  test("numbers of every kind of chart are those of its event file", async ({ page }) => {
    await page.goto("/runs/tiny-recorded?smooth=0");
    await expect(page.locator("[data-steps='192']")).toBeVisible({ timeout: 60_000 });
    // Step 100 of 192: from the first one nine times ten steps on, then nine.
    const keys = ["Home", ...Array(9).fill("Shift+ArrowRight"), ...Array(9).fill("ArrowRight")];
    const { values, completions, evaluation } = readRecorded(100);
    const share = (isSo: (one: Completion) => boolean) =>
      completions.filter(isSo).length / completions.length;
    const value = (name: string) => values[name] ?? Number.NaN;

    const parts = { format: value("rewards/format/mean"), accuracy: value("rewards/accuracy/mean") };
    await expectChart(page, "Reward parts", keys, parts, ["step 100:"]);
    await expectChart(page, "Weighted shares, stacked", keys, {
      accuracy: 0.7 * value("rewards/accuracy/mean"),
      "reward as logged": value("reward"),
    });
    await expectChart(page, "Weights in force", ["Home"], { format: 0.7, accuracy: 0.3 });

    const judged = readRecorded(192).completions.filter(
      (one) => one.rewards.accuracy?.raw === 1 && one.judges[0]?.agrees != null,
    );
    await expectChart(
      page,
      "P(consistent | correct)",
      ["End"],
      { "consistent | correct": judged.filter((one) => one.judges[0]?.agrees).length / judged.length },
      [`N ${judged.length}`],
    );

    const heading = completions.filter((one) => one.task === "heading");
    await expectChart(page, "Accuracy per task", keys, {
      heading: heading.filter((one) => one.rewards.accuracy?.raw === 1).length / heading.length,
    });
    await expectChart(page, "Completion length, tokens", keys, {
      "mean, shortest to longest": value("completions/mean_length"),
    });
    const letters = [...new Set(completions.map((one) => one.gold))].flatMap((letter) => [
      [letter, share((one) => one.parse.letter === letter)] as const,
      [`gold ${letter}`, share((one) => one.gold === letter)] as const,
    ]);
    await expectChart(page, "Letters answered, against the gold's", keys, Object.fromEntries(letters));
    const rules = [...new Set(completions.map((one) => one.parse.rule))].map(
      (rule) => [rule.replaceAll("_", " "), share((one) => one.parse.rule === rule)] as const,
    );
    await expectChart(page, "How the letter was read", keys, Object.fromEntries(rules));

    const groups = new Map<string, Completion[]>();
    for (const one of completions) groups.set(one.group_id, [...(groups.get(one.group_id) ?? []), one]);
    const tied = [...groups.values()].filter((group) => new Set(group.map((one) => one.reward)).size === 1);
    const tiedAt = (raw: number) =>
      tied.filter((group) => group.every((one) => one.rewards.accuracy?.raw === raw)).length / groups.size;
    await expectChart(page, "Groups without a signal", keys, {
      "all right": tiedAt(1),
      "all wrong": tiedAt(0),
    });
    await expectChart(
      page,
      "Accuracy on held-out questions",
      ["End"],
      { "held-out accuracy": evaluation.overall.accuracy },
      [`step ${evaluation.step}`, `N ${evaluation.overall.n}`],
    );
    await expectChart(page, "Total reward", keys, { "mean ± sd within groups": value("reward") });
    for (const [title, name, label] of [
      ["Entropy", "entropy", "entropy"],
      ["Loss", "loss", "loss"],
      ["Learning rate", "learning_rate", "learning_rate"],
      ["Seconds per step", "step_time", "whole step"],
      ["KL to the reference", "kl", "kl"],
      ["Gradient norm", "grad_norm", "grad_norm"],
      ["Completions cut", "completions/clipped_ratio", "cut at the longest length"],
    ] as const)
      await expectChart(page, title, keys, { [label]: value(name) });
  });

  test("has no barrier with all its charts", async ({ page }) => {
    await page.goto("/runs/tiny-recorded?x=time");
    await expect(page.locator("[data-steps='192']")).toBeVisible({ timeout: 60_000 });
    await expectAccessible(page, "the charts over time");
  });
});

test("other runs are drawn beside it, over any axis, and the address says so", async ({ page }) => {
  const first = await launch(page, { ...FAST, name: "the first" });
  await waitForState(page, "done");
  await launch(page, { ...FAST, name: "the second" });
  await waitForState(page, "done");
  await page.getByRole("button", { name: "Overlay runs" }).click();
  await page.getByRole("combobox", { name: /Other runs beside/ }).click();
  await page.getByRole("option", { name: /the first/ }).click();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(new RegExp(`with=.*${first}`));
  const parts = page.getByRole("region", { name: "Reward parts" });
  await expect(parts.getByRole("button", { name: /the first · accuracy/ })).toBeVisible();
  // Stacks and rates hold one line of each other run, and say which; what they can't hold they say, too.
  for (const [title, said] of [
    ["Weighted shares, stacked", "Of the other runs: the reward as logged."],
    ["Groups without a signal", "Of the other runs: all groups without a signal."],
    ["P(consistent | correct)", null],
  ] as const) {
    const chart = page.getByRole("region", { name: title, exact: true });
    await chart.scrollIntoViewIfNeeded();
    await expect(chart.getByRole("button", { name: /^the first/ })).toBeVisible();
    if (said !== null) await expect(chart).toContainText(said);
  }
  await expect(page.getByRole("region", { name: "Accuracy per task" })).toContainText("This run alone");

  await page.getByRole("combobox", { name: "X axis" }).click();
  await page.getByRole("option", { name: "epochs" }).click();
  await expect(page).toHaveURL(/x=epoch/);
  await expect
    .poll(() => readChart(page, "Total reward", ["Home", "Shift+ArrowRight"]))
    .toMatch(/^epoch 0\.5/);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("tab", { name: /^Groups at step 1\d/ })).toHaveAttribute(
    "aria-selected",
    "true",
  );
  await page.reload();
  await expect(parts.getByRole("button", { name: /the first · accuracy/ })).toBeVisible();
});

test("a chart is zoomed by the wheel and by keys, moved, and shown whole again", async ({ page }) => {
  await launch(page, FAST);
  await waitForState(page, "done");
  const chart = page.getByRole("slider", { name: "Total reward" });
  await chart.scrollIntoViewIfNeeded();
  const read = async () => {
    const search = new URL(page.url()).searchParams;
    return [Number(search.get("from")), Number(search.get("to"))] as const;
  };
  await chart.hover();
  await page.keyboard.down("Control");
  for (let i = 0; i < 6; i++) await page.mouse.wheel(0, -100);
  await page.keyboard.up("Control");
  // Six notches of a fifth each; a slow page draws what they come to in between.
  await expect.poll(async () => (await read())[1] - (await read())[0]).toBeCloseTo(60 * Math.exp(-1.08), 0);
  const zoomed = await read();
  await chart.focus();
  await page.keyboard.press("Alt+PageDown");
  await expect.poll(async () => (await read())[0]).toBeGreaterThan(zoomed[0]);
  await page.keyboard.press("+");
  await expect
    .poll(async () => (await read())[1] - (await read())[0])
    .toBeLessThan((zoomed[1] - zoomed[0]) * 0.6);
  await page.keyboard.press("z");
  await expect(page).not.toHaveURL(/from=/);
});

async function exportAs(page: Page, chart: Locator, kind: string): Promise<Buffer> {
  await chart.getByRole("button", { name: /^Export/ }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: new RegExp(`^${kind}`) }).click(),
  ]);
  return readFileSync(await download.path());
}

test("a chart is exported as numbers and as pictures", async ({ page }) => {
  await launch(page, FAST);
  await waitForState(page, "done");
  const chart = page.getByRole("region", { name: "Entropy" });
  await chart.scrollIntoViewIfNeeded();
  const rows = (await exportAs(page, chart, "CSV")).toString().trim().split("\n");
  expect(rows[0]).toBe("series,step,value,low,high,n,state");
  expect(rows.slice(1).map((row) => Number(row.split(",")[1]))).toEqual(
    Array.from({ length: rows.length - 1 }, (_, k) => k + 1),
  );
  expect((await exportAs(page, chart, "SVG")).toString()).toMatch(/^<svg [\s\S]*Entropy[\s\S]*<path/);
  const png = await exportAs(page, chart, "PNG");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect(png.length).toBeGreaterThan(5000);
});
