import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { LineOf } from "@sightline/core/wire";
import { expectAccessible } from "./support/axe.ts";
import { expect, test } from "./support/server.ts";

type Line = LineOf<"completion">;

test.use({ samples: true });

const RECORDED = join(import.meta.dirname, "../../../fixtures/recorded/tiny.json.gz");
const COMPLETIONS = "attempts/001/completions-00001.jsonl";

function readRecorded(): { files: Record<string, string>; lines: Line[] } {
  const { files } = JSON.parse(gunzipSync(readFileSync(RECORDED)).toString()) as {
    files: Record<string, string>;
  };
  const lines = (files[COMPLETIONS] ?? "")
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text) as Line);
  return { files, lines };
}

const getPath = ({ run_id, attempt, step, group_id }: Line) =>
  `/runs/${run_id}/groups/${attempt}/${step}/${encodeURIComponent(group_id)}`;

const HOSTILE = [
  '<think>a < b & <img src=x onerror="window.ran=1"> <script>window.ran=1</script></think><answer>B</answer>',
  "<think>turned \u202Ethgir eht ot</think><answer>B</answer>",
  "<think>a\u200Bb\uFEFF</think><answer>C</answer>",
  "<think>p</think><answer>A</answer><think>q</think><answer>C</answer>",
  "<answer>A</answer><think>late</think>",
  "I ran out of room before",
  "<think>[link](javascript:window.ran=1) **bold**</think><answer>D</answer>",
];

/** Lays a copy of the recorded run beside it, its first trained group with other texts and one wrong number. */
function layOutHostileRun(dataDir: string): Line {
  const { files, lines } = readRecorded();
  const first = lines.find(({ split }) => split !== "eval") as Line;
  const changed = lines.slice(0, 400).map((line): Line => {
    if (line.group_id !== first.group_id) return line;
    const text = HOSTILE[line.k];
    if (text === undefined) return { ...line, advantage: Number(line.advantage) + 0.25, finish: "length" };
    const parse = { think: null, answer: null, letter: null, rule: "none" };
    return { ...line, text, parse };
  });
  const all = {
    ...files,
    [COMPLETIONS]: `${changed.map((line) => JSON.stringify(line)).join("\n")}\n`,
  };
  for (const [path, text] of Object.entries(all)) {
    const file = join(dataDir, "runs/tiny-hostile", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text.replaceAll("tiny-recorded", "tiny-hostile"));
  }
  return { ...first, run_id: "tiny-hostile" };
}

test("B21: a hostile text is text and nothing else, reads in its own direction, and every fault is named (sanitised)", async ({
  page,
  server,
}) => {
  const line = layOutHostileRun(server.dataDir);
  await server.restart();
  await page.goto("/runs/tiny-hostile");
  await expect(page.locator("[data-steps='192']")).toBeVisible({ timeout: 90_000 });
  await page.goto(getPath(line));
  await expect(page.getByRole("article")).toHaveCount(8);
  await expect(page.getByRole("article").filter({ hasText: "<img src=x onerror=" })).toHaveCount(1);

  // A number that is off is said with both numbers, and the group is read all the same.
  const off = Number(
    readRecorded().lines.find((one) => one.group_id === line.group_id && one.k === 7)?.advantage,
  );
  await expect(page.getByRole("alert")).toContainText(`an advantage of ${Number((off + 0.25).toFixed(4))}`);
  await expect(page.getByRole("alert")).toContainText(`worked out it is ${Number(off.toFixed(4))}`);

  const open = async (k: number) => {
    await page.goto(`${getPath(line)}?k=${k}`);
    await expect(page.getByTestId("inspector").getByRole("article")).toBeVisible();
  };
  const tags = page.getByTestId("tags");

  await open(0);
  await expect(page.getByTestId("inspector")).toContainText("<script>window.ran=1</script>");
  await page.keyboard.press("r");
  await expect(page.getByTestId("raw-text")).toContainText('<img src=x onerror="window.ran=1">');
  expect(await page.evaluate(() => "ran" in window)).toBe(false);
  await expect(page.getByTestId("inspector").locator("img[src=x], script, a[href^=javascript]")).toHaveCount(
    0,
  );

  await open(1);
  // The closing tag stands behind what was turned round, its letters from left to right.
  const readDirection = () =>
    page.getByTestId("inspector").evaluate((root) => {
      const tags = [...root.querySelectorAll("[data-kind=tag]")];
      const text = tags.find((one) => one.textContent === "</think>")?.firstChild;
      if (!text) return "no such tag";
      const measure = (from: number) => {
        const range = document.createRange();
        range.setStart(text, from);
        range.setEnd(text, from + 1);
        return range.getBoundingClientRect().left;
      };
      return measure(0) < measure(7) ? "from left to right" : "from right to left";
    });
  await expect.poll(readDirection).toBe("from left to right");
  await page.keyboard.press("r");
  await expect(page.getByTestId("raw-text")).toContainText("right-to-left override");

  await open(2);
  await expect(page.getByTestId("length")).toContainText("2 of them cannot be seen");
  await page.keyboard.press("r");
  await expect(page.getByTestId("raw-text")).toContainText("zero-width space");

  await open(3);
  await expect(tags).toContainText("2 answer blocks");
  await expect(tags).toContainText("2 think blocks");
  await expect(page.getByTestId("span")).toContainText("the last answer block");
  await open(4);
  await expect(tags).toContainText("answer before think");
  await open(5);
  await expect(tags).toContainText("no think block, no answer block");
  await expect(page.getByTestId("span")).toContainText("No answer block");
  await open(7);
  await expect(page.getByTestId("length")).toContainText("cut at the longest length");
  await expect(page.getByRole("region", { name: "Reward" })).toContainText("The run wrote an advantage of");
  await expectAccessible(page, "a hostile trace");
});

test("with the keyboard alone: from a number in a sample's reasoning to the clip at the frame that it stands for", async ({
  page,
}) => {
  const line = readRecorded().lines.find(
    (one) => one.clip_id !== null && /\b1 (?:left|right|forward)/.test(one.text),
  );
  if (line === undefined) throw new Error("no completion about a clip");
  await page.goto("/runs/tiny-recorded");
  await expect(page.locator("[data-steps='192']")).toBeVisible({ timeout: 90_000 });
  // The key-frames of the sample clips are made in the background.
  await expect(async () => {
    await page.goto(`${getPath(line)}?k=${line.k}`);
    await expect(page.getByTestId("trace-picture").first()).toBeVisible({ timeout: 30_000 });
  }).toPass({ timeout: 120_000 });
  const inspector = page.getByTestId("inspector");
  await expect(inspector.locator("img").first()).toBeVisible();
  const cite = inspector.getByRole("button", { name: "Open frame 1" }).first();
  await cite.focus();
  const lit = inspector.locator("[data-testid=trace-picture][data-pointed=true]");
  await expect(lit).toHaveCount(1);
  await expect(lit).toHaveAttribute("data-cited", "true");
  const name = (await lit.getAttribute("aria-label")) ?? "";
  const frame = /: frame (\d+)/.exec(name)?.[1];
  await expect(inspector.getByTestId("told-picture")).toContainText(`frame ${frame}`);
  // The other way round: the picture lights up what names it.
  await lit.focus();
  await expect(inspector.locator("[data-kind=citation][data-pointed]").first()).toBeVisible();
  await cite.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/clips/${line.clip_id}\\?frame=${frame}`));
});

test("Find looks into a completion, and a completion has an address of its own", async ({ page }) => {
  await page.goto("/runs/tiny-recorded");
  await expect(page.locator("[data-steps='192']")).toBeVisible({ timeout: 90_000 });
  await page.keyboard.press("/");
  const drawer = page.locator("#run-drawer");
  const list = drawer.getByRole("listbox", { name: "Completions found" });
  await list.getByRole("option").first().waitFor();
  await list.focus();
  await page.keyboard.press("ArrowDown");
  await expect(
    drawer.getByTestId("inspector").getByRole("region", { name: "How it was read" }),
  ).toBeVisible();
  await expect(drawer.getByRole("region", { name: "Judge" })).toBeVisible();
  await expectAccessible(page, "a completion in Find");
  await drawer.getByRole("link", { name: "Over the whole page" }).press("Enter");
  await expect(page).toHaveURL(/\/groups\/1\/\d+\/.*k=\d/);
  await expect(page.getByTestId("inspector")).toBeVisible();
});
