import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { Clip } from "@sightline/core/clips";
import { hashSettings, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { expectAccessible } from "./support/axe.ts";
import { mutate, query, waitForKeyFrames } from "./support/clip.ts";
import { addClips } from "./support/library.ts";
import { expect, test } from "./support/server.ts";

type Row = Record<string, unknown>;

const row = (id: string, clip_name: string | null, more: Row = {}): Row => ({
  question_id: id,
  question: `Where is the kiosk in ${id}?`,
  options: ["on the left", "on the right", "behind me"],
  gold: "B",
  task: "position",
  clip_name,
  scene: id.slice(0, 1),
  ...more,
});

/** Lets files of questions fall on the page. */
async function dropQuestions(page: Page, files: { name: string; text: string }[]): Promise<void> {
  const transfer = await page.evaluateHandle((given) => {
    const made = new DataTransfer();
    for (const { name, text } of given) made.items.add(new File([text], name));
    return made;
  }, files);
  // A file that hangs over a page tells of itself again and again; the page may still be on its way.
  await expect(async () => {
    await page.dispatchEvent("main", "dragover", { dataTransfer: transfer });
    await expect(page.getByText("Drop to import questions")).toBeVisible({ timeout: 1000 });
  }).toPass({ timeout: 60_000 });
  await page.dispatchEvent("main", "drop", { dataTransfer: transfer });
}

const toLines = (rows: readonly Row[]) => rows.map((one) => JSON.stringify(one)).join("\n");
const imported = (page: Page) => page.getByRole("list", { name: "Imported files" });
const rows = (page: Page) => page.getByRole("table", { name: "Questions", exact: true }).locator("tbody tr");

test("a dropped file is imported with its report; a bad one says where it broke", async ({ page }) => {
  await page.getByRole("link", { name: "Questions" }).click();
  await expect(page.getByRole("heading", { name: "No questions yet" })).toBeVisible();
  await expectAccessible(page, "the empty page");
  const urban = (id: number, head: string) => ({
    Question_id: id,
    video_id: "EmbodiedCity_7.mp4",
    question_category: "Goal Detection",
    question: `Question: Is the shop in sight?\n${head}\nA. Yes.\nB. No.`,
    answer: "B",
  });
  await dropQuestions(page, [
    {
      name: "urban.json",
      text: JSON.stringify([
        urban(1, "choose:"),
        urban(2, "**choose:**"),
        { ...urban(3, "choose:"), answer: "D" },
      ]),
    },
    { name: "broken.json", text: '[\n{"question": "Where?"},\n{"question"' },
  ]);
  await expect(imported(page)).toContainText(
    "3 rows read as UrbanVideo-Bench: 1 question, 2 set aside, 0 remarks.",
  );
  await expect(imported(page)).toContainText("No question was found in 1 rows: line 3");
  await page.getByRole("button", { name: "Clear broken.json" }).click();
  await imported(page).getByRole("link", { name: "Open" }).click();

  const report = page.getByRole("complementary", { name: "About the set" });
  await expect(report).toContainText("2 rows set aside");
  await expect(report).toContainText("gold D is not among the 2 options");
  await expect(report).toContainText("no plain header before the options");
  await report.getByRole("button", { name: "Take 2 in" }).click();
  await expect(rows(page)).toHaveCount(2);
  await expect(report).toContainText("taken in");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(rows(page)).toHaveCount(1);
});

test("clips are matched by name; of several a person chooses one, and may take it back", async ({ page }) => {
  await addClips(page, ["two-frames.mp4"]);
  await page.goto("/questions");
  await dropQuestions(page, [
    {
      name: "mine.jsonl",
      text: toLines([
        row("a1", "videos/Two-Frames.avi"),
        row("a2", "two-frames.mp4"),
        row("b1", "later.mp4"),
        row("c1", null, { gold: null, task: "order" }),
      ]),
    },
  ]);
  const table = page.getByRole("table", { name: "Sets of questions" });
  await expect(table).toContainText("2 matched · 1 no clip · 1 no name");
  await table.getByRole("link", { name: "mine.jsonl" }).click();
  await expect(rows(page)).toHaveCount(4);

  // A second clip of that name: now it is asked, not guessed.
  await page.goto("/library");
  await addClips(page, ["single-frame.mp4"]);
  await page.getByRole("gridcell").filter({ hasText: "single-frame.mp4" }).hover();
  await page.getByRole("button", { name: "What to do with single-frame.mp4" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name of the clip" }).fill("TWO-FRAMES.mkv");
  await page.keyboard.press("Enter");
  await expect
    .poll(async () => (await query<Clip[]>(page, "clips.list")).map(({ name }) => name))
    .toContain("TWO-FRAMES.mkv");
  await page.goto("/questions");
  await expect(table).toContainText("2 to choose · 1 no clip · 1 no name");
  await table.getByRole("link", { name: "mine.jsonl" }).click();
  await page.getByRole("tab", { name: /Clips · 2 to choose/ }).click();
  await expect(page).toHaveURL(/tab=clips/);
  await expectAccessible(page, "the choice of a clip");
  await page.getByRole("radio", { name: /TWO-FRAMES.mkv/ }).check();
  await expect(page.getByText("2 matched · 1 no clip · 1 no name")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("2 to choose · 1 no clip · 1 no name")).toBeVisible();
});

test("a question is found, edited, undone and thrown away; the address holds what is shown", async ({
  page,
}) => {
  await page.goto("/questions");
  const many = Array.from({ length: 1200 }, (_, at) =>
    row(`q${at}`, `clip_${at % 40}.mp4`, { task: at % 3 === 0 ? "order" : "position" }),
  );
  await dropQuestions(page, [{ name: "many.jsonl", text: toLines(many) }]);
  await imported(page).getByRole("link", { name: "Open" }).click();
  await expect(page.getByText("1 200 of 1 200 questions")).toBeVisible();
  expect(await rows(page).count()).toBeLessThan(80);

  await page.getByRole("button", { name: "Where is the kiosk in q0?" }).focus();
  await page.keyboard.press("End");
  await expect(page.getByRole("button", { name: "Where is the kiosk in q1199?" })).toBeFocused();

  await page.keyboard.press("/");
  await page.keyboard.type("in q77?");
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("combobox", { name: "Task" }).click();
  await page.getByRole("option", { name: /position/ }).click();
  await page.getByRole("button", { name: "Where is the kiosk in q77?" }).click();
  await expect(page).toHaveURL(/q=in/);
  await expect(page).toHaveURL(/task=position/);
  await page.reload();
  await expect(page.getByRole("textbox", { name: "Filter the questions" })).toHaveValue("in q77?");
  const detail = page.getByRole("complementary", { name: "Question" });
  await expect(detail).toContainText("on the right");
  await expectAccessible(page, "an open question");

  await detail.getByRole("button", { name: "Edit" }).click();
  await detail.getByRole("textbox", { name: "Question", exact: true }).fill("Where is the bench in q77?");
  await detail.getByRole("textbox", { name: "Option C" }).fill("on the right");
  await detail.getByRole("button", { name: "Save" }).click();
  await expect(detail.getByRole("alert")).toHaveText("Options B and C say the same: change one.");
  await detail.getByRole("button", { name: "Take option C away" }).click();
  await detail.getByRole("radio", { name: "A is right" }).check();
  await expectAccessible(page, "a question being edited");
  await detail.getByRole("button", { name: "Save" }).click();
  await expect(rows(page)).toContainText(["edited"]);
  await expect(detail.getByRole("region", { name: "History" })).toContainText("Where is the kiosk in q77?");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(rows(page).first()).toContainText("Where is the kiosk in q77?");
  await expect(detail).toContainText("a change was taken back");

  await detail.getByRole("button", { name: "Move to the trash" }).click();
  await expect(page.getByText("No question is like that")).toBeVisible();
  await detail.getByRole("button", { name: "Restore" }).click();
  await expect(rows(page)).toHaveCount(1);
});

test("a set is split by scene, exported and imported again, thrown away and brought back", async ({
  page,
}) => {
  await page.goto("/questions");
  const set = Array.from({ length: 40 }, (_, at) =>
    row(`${"abcdefghij".charAt(at % 10)}${at}`, "x.mp4", { task: at % 2 ? "order" : "position" }),
  );
  await dropQuestions(page, [{ name: "scenes.jsonl", text: toLines(set) }]);
  await imported(page).getByRole("link", { name: "Open" }).click();
  await page.getByRole("tab", { name: "Split" }).click();
  await page.getByRole("textbox", { name: "Train, %" }).fill("60");
  await page.getByRole("textbox", { name: "Val, %" }).fill("20");
  await page.getByRole("button", { name: "Split", exact: true }).click();
  const split = page.getByRole("table", { name: "Split, questions per task" });
  await expect(split.locator("tbody tr")).toHaveCount(2);
  await expectAccessible(page, "a split");
  await page.getByRole("combobox", { name: "Side of the split" }).click();
  await page.getByRole("option", { name: "val" }).click();
  await expect(page.getByText("8 of 40 questions")).toBeVisible();
  await page.reload();
  await expect(page.getByText("8 of 40 questions")).toBeVisible();
  await expect(split).toBeVisible();

  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as JSONL" }).click();
  const text = readFileSync(await (await saved).path(), "utf8");
  expect(text.trim().split("\n")).toHaveLength(40);
  await page.getByRole("link", { name: "Back to the questions" }).click();
  const table = page.getByRole("table", { name: "Sets of questions" });
  await expect(table).toBeVisible();
  await dropQuestions(page, [{ name: "again.jsonl", text }]);
  await expect(imported(page)).toContainText("40 rows read as Sightline: 40 questions, none set aside");
  await dropQuestions(page, [{ name: "twice.jsonl", text }]);
  await expect(imported(page)).toContainText("These questions are here already, as “again.jsonl”.");

  await page.getByRole("button", { name: "More of again.jsonl" }).click();
  await page.getByRole("menuitem", { name: "Move to the trash" }).click();
  await expect(table).not.toContainText("again.jsonl");
  await page.getByRole("link", { name: "Trash" }).click();
  await page.getByRole("button", { name: "Restore again.jsonl" }).click();
  await expect(page.getByText("The trash is empty")).toBeVisible();
});

test.describe("with the sample project", () => {
  test.use({ samples: true });
  test("the sample questions are there, labelled, each on its clip", async ({ page }) => {
    await page.goto("/questions");
    const table = page.getByRole("table", { name: "Sets of questions" });
    await expect(table.getByRole("row").filter({ hasText: "Sample questions" })).toContainText("sample");
    await table.getByRole("link", { name: "Sample questions" }).click();
    await expect(page.getByText(/^\d+ matched$/)).toBeVisible();
    await rows(page).first().getByRole("button").click();
    await page.getByRole("complementary", { name: "Question" }).getByRole("link").first().click();
    await expect(page).toHaveURL(/\/clips\/[0-9a-f]{64}/);
  });

  test("a set is exported for GRPO with the triples that there are, from its menu", async ({ page }) => {
    const named = (clips: Clip[]) => clips.find(({ name }) => name.includes("room-turns"))?.clip_id ?? "";
    await expect.poll(async () => named(await query<Clip[]>(page, "clips.list"))).not.toBe("");
    const clip_id = named(await query<Clip[]>(page, "clips.list"));
    await waitForKeyFrames(page, clip_id);
    const settings_hash = hashSettings(SIGHTLINE_SETTINGS);
    const perceiver = { kind: "oracle" };
    await mutate(page, "triples.start", {
      clip_id,
      settings_hash,
      perceiver,
      question_id: null,
      question: "",
    });
    await expect
      .poll(async () => (await query<{ state: string }[]>(page, "triples.list", { clip_id }))[0]?.state)
      .toBe("done");
    await page.goto("/questions");
    await page.getByRole("button", { name: "More of Sample questions" }).press("Enter");
    const saved = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "Export for GRPO, with triples" }).press("Enter");
    const file = await saved;
    expect(file.suggestedFilename()).toBe("Sample questions_grpo.jsonl");
    const lines = readFileSync(await file.path(), "utf8")
      .trim()
      .split("\n");
    const exported = lines.map(
      (line) => JSON.parse(line) as { clip: string; messages: [{ content: string }] },
    );
    expect(exported.length).toBeGreaterThan(0);
    for (const { clip, messages } of exported) {
      expect(clip).toBe(clip_id);
      expect(messages[0].content).toMatch(/Frame 1: After .*[\s\S]*Question: .*\nChoices:\nA\. /);
    }
    await expect(page.getByText(/questions were left out: they have no answer, or/)).toBeVisible();
  });
});

test("@field: UrbanVideo-Bench, 5,355 rows: read, listed and searched at once; id 1786 is set aside", async ({
  page,
}) => {
  const shared = process.env.SIGHTLINE_SHARED ?? `${import.meta.dirname}/../../../../shared`;
  await page.goto("/questions");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Import questions" }).first().click();
  await (await chooser).setFiles(`${shared}/data/benchmarks/urbanvideo/MCQ.parquet`);
  await expect(imported(page)).toContainText(
    /5.355 rows read as UrbanVideo-Bench: 5.354 questions, 1 set aside/,
  );
  await imported(page).getByRole("link", { name: "Open" }).click();
  await expect(page.getByRole("complementary")).toContainText("1786");
  await page.getByRole("textbox", { name: "Filter the questions" }).fill("乐购便利店");
  await expect(page.getByText(/of 5.354 questions/)).toBeVisible();
});
