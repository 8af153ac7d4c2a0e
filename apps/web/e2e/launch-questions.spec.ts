import type { RunSummary } from "@sightline/core/runs";
import { expectAccessible } from "./support/axe.ts";
import { ask, fillTiny, openedRun, readStep } from "./support/runs.ts";
import { expect, test } from "./support/server.ts";

test.describe.configure({ timeout: 900_000 });

const HEADINGS = ["north", "east", "south", "west"];
const QUARTERS = { left: 3, right: 1, around: 2, forward: 0 } as const;
type Move = keyof typeof QUARTERS;

/** A person's question with its triples: which way does one look after these turns? */
function makeQuestion(index: number): Record<string, unknown> {
  const moves = Object.keys(QUARTERS) as Move[];
  const path = Array.from({ length: 1 + (index % 3) }, (_, k) => moves[(index >> (2 * k)) % 4] as Move);
  const end = path.reduce((heading, move) => heading + QUARTERS[move], index) % 4;
  return {
    question_id: `mine-${index}`,
    task: "heading",
    question: `Which way does the agent look? It began looking ${HEADINGS[index % 4]}.`,
    options: HEADINGS,
    gold: "ABCD"[end],
    triples: path.map((move) => ({ action: `rotate ${move}`, change: "nothing new", relevant: "" })),
  };
}

const FILE = Array.from({ length: 200 }, (_, index) => `${JSON.stringify(makeQuestion(index))}\n`).join("");

/** Cut short: 160 questions that are trained on make 20 steps an epoch, three epochs 60; a few are enough. */
const SHORT = {
  "Warm-start steps": 2,
  "Group size": 4,
  "Micro-batch": 32,
  "Longest completion": 16,
  "Checkpoint every": 5,
  "Evaluate every": 0,
};

test("two hundred questions of one's own are checked, launched and trained on", async ({ page }) => {
  await fillTiny(page, "my questions", SHORT);
  await page.getByText("My questions", { exact: true }).click();
  await page
    .getByRole("region", { name: "Data" })
    .locator('input[type="file"]')
    .setInputFiles({
      name: "mine.jsonl",
      mimeType: "application/jsonl",
      buffer: Buffer.from(FILE),
    });
  await expect(page.getByText("mine.jsonl: 200 questions")).toBeVisible();
  await expect(page.getByText("heading 200")).toBeVisible();
  const preflight = page.getByRole("region", { name: "Preflight" });
  await expect(preflight).toContainText("The trainer is ready.", { timeout: 120_000 });
  await expect(preflight).toContainText("160 training questions, 20 steps an epoch.");
  await page.getByRole("button", { name: "Launch", exact: true }).click();
  const run_id = await openedRun(page);
  await expect.poll(() => readStep(page), { timeout: 400_000 }).toBeGreaterThanOrEqual(2);
  const readGroups = () =>
    ask<{ question_id: string; prompt: string }[]>(page, "runs.completions", { run_id, step: 1 });
  await expect.poll(readGroups, { timeout: 60_000 }).toHaveLength(8);
  const groups = await readGroups();
  for (const { question_id, prompt } of groups) {
    const index = Number(question_id.replace("mine-", ""));
    expect(prompt).toContain(String(makeQuestion(index).question));
    expect(prompt).toContain("nothing new");
  }
  await page.getByRole("button", { name: "Stop" }).click();
});

test("what is wrong in a file is told line by line, and nothing starts", async ({ page }) => {
  const good = JSON.stringify(makeQuestion(0));
  const bad = (change: Record<string, unknown>) => JSON.stringify({ ...makeQuestion(1), ...change });
  const lines = [
    Buffer.from(good),
    Buffer.from(bad({ gold: undefined })),
    Buffer.from(bad({ task: "juggling" })),
    Buffer.from(bad({ options: Array.from({ length: 9 }, (_, k) => `way ${k}`) })),
    Buffer.concat([Buffer.from('{"question": "'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    Buffer.from(good.slice(0, good.length / 2)),
  ];
  await fillTiny(page, "broken", SHORT);
  await page.getByText("My questions", { exact: true }).click();
  await page
    .getByRole("region", { name: "Data" })
    .locator('input[type="file"]')
    .setInputFiles({
      name: "broken.jsonl",
      mimeType: "application/jsonl",
      buffer: Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")])),
    });
  await expect(page.getByText("broken.jsonl: 1 question, 5 lines to mend")).toBeVisible();
  await expect(page.getByRole("status").getByRole("listitem")).toHaveText([
    /^line 2 gold is missing$/,
    /^line 3 unknown task "juggling"; known: heading/,
    /^line 4 9 options; at most 8$/,
    /^line 5 not UTF-8$/,
    /^line 6 not a whole JSON object/,
  ]);
  await expectAccessible(page, "a file with wrong lines");
  await expect(page.getByRole("button", { name: "Launch", exact: true })).toBeDisabled();
  await page.getByLabel("Name", { exact: true }).press("Enter");
  await page.keyboard.press("Control+Enter");
  await page.goto("/runs");
  await expect(page.getByText("No run yet")).toBeVisible();
  expect(await ask<RunSummary[]>(page, "runs.list", { trash: false })).toEqual([]);
});
