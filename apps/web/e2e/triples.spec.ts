import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "@playwright/test";
import type { Clip } from "@sightline/core/clips";
import type { TripleSet, TripleSetSummary } from "@sightline/core/perception";
import { type OpenAiServer, startOpenAiServer } from "../../server/src/testing/openai-server.ts";
import { expectAccessible } from "./support/axe.ts";
import { addFiles, expectFrame, openClip, query, waitForKeyFrames } from "./support/clip.ts";
import { getClipPath } from "./support/library.ts";
import { expect, test } from "./support/server.ts";

const WORLD = getClipPath("../worlds/room-turns-4.mp4");
const KEY = "sk-never-to-be-seen-0123456789";

test.beforeAll(() => {
  process.env.SIGHTLINE_FOLDERS = dirname(WORLD);
});

/** Adds the clip, waits for its key-frames and opens its page at the triples. */
async function openTriples(page: Page): Promise<Clip> {
  const [clip] = await addFiles(page, [WORLD]);
  if (clip === undefined) throw new Error("the clip was not added");
  const { clip_id } = clip;
  await waitForKeyFrames(page, clip_id);
  await openClip(page, clip_id);
  await page.getByRole("tab", { name: "Triples" }).click();
  await expect(page).toHaveURL(/tab=triples/);
  return clip;
}

const rows = (page: Page) => page.getByTestId("triple");

async function waitForDone(page: Page, { clip_id }: Clip, sets: number): Promise<TripleSet[]> {
  await expect
    .poll(
      async () => {
        const listed = await query<TripleSetSummary[]>(page, "triples.list", { clip_id });
        return listed.filter(({ state }) => state === "done").length;
      },
      { timeout: 60_000 },
    )
    .toBe(sets);
  const listed = await query<TripleSetSummary[]>(page, "triples.list", { clip_id });
  return Promise.all(
    listed.map(({ triple_set_id }) => query<TripleSet>(page, "triples.get", { triple_set_id })),
  );
}

async function makeTruth(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Make", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Make triples" });
  await dialog.getByLabel("The world's truth").check();
  await expect(dialog.getByTestId("estimate")).toContainText("key-frames");
  await dialog.getByRole("button", { name: "Make triples" }).click();
  await expect(dialog).toBeHidden();
}

test("triples from real pixels without a network: made, read, edited, taken back, compared", async ({
  page,
}) => {
  const clip = await openTriples(page);
  const pane = page.getByRole("region", { name: "Triples", exact: true });
  await expect(pane.getByText("No triples of this clip yet")).toBeVisible();
  await expectAccessible(page, "the empty triples pane");
  await pane.getByRole("button", { name: "Make without a network" }).click();
  const [set] = await waitForDone(page, clip, 1);
  if (set === undefined) throw new Error("no set");
  await expect(rows(page)).toHaveCount(set.key_frames);
  await expect(page).toHaveURL(new RegExp(`triples=${set.triple_set_id}`));
  await expect(rows(page).first()).not.toContainText("geometry");
  const turned = set.triples.find(({ action }) => action === "rotate right");
  if (turned === undefined) throw new Error("the turn to the right was not seen");
  const row = page.locator(`[data-testid=triple][data-index="${turned.index}"]`);
  await expect(row.getByTestId("action")).toHaveText("rotate right");

  // A click opens the frame; hovering lights up the strip and the row.
  await row.getByRole("button", { name: `open frame ${turned.frame}` }).click();
  await expectFrame(page, turned.frame);
  await expect(row).toHaveAttribute("aria-current", "true");
  await rows(page).nth(1).hover();
  await expect(rows(page).nth(1)).toHaveAttribute("data-hovered", "true");

  // By keyboard: raw text, edit, save; then undo.
  await page.keyboard.press("r");
  await expect(row.getByTestId("raw")).toContainText("Motion: rotate right");
  await page.keyboard.press("e");
  const editor = page.getByTestId("triple-editor");
  await editor.getByLabel("Change").fill("A red cabinet comes into view on the right.");
  await editor.getByLabel("Change").press("Control+Enter");
  await expect(row).toContainText("A red cabinet comes into view on the right.");
  await expect(row).toContainText("edited");
  await page.reload();
  await expect(row).toContainText("A red cabinet comes into view on the right.");

  await page.getByRole("button", { name: "Text", exact: true }).click();
  const text = page.getByTestId("video-text");
  await expect(text).toContainText("Frame 0: Observe:");
  await expect(text).toContainText(
    `Frame ${turned.index}: After rotate right, Observe: A red cabinet comes into view on the right.`,
  );
  await expectAccessible(page, "the text that the model reads");
  await page.keyboard.press("Escape");
  await expect(text).toBeHidden();

  await page.keyboard.press("Control+z");
  await expect(row).not.toContainText("A red cabinet");
  await row.getByRole("button", { name: /^Edit triple/ }).click();
  await editor.getByText("History (2)").click();
  await expect(editor).toContainText("took an edit back");
  await editor.getByRole("button", { name: "Cancel" }).click();

  await makeTruth(page);
  await waitForDone(page, clip, 2);
  await page.getByRole("combobox", { name: "Compare with" }).click();
  await page.getByRole("option", { name: /embedded/ }).click();
  await expect(page).toHaveURL(/against=/);
  await expect(rows(page).nth(1).locator("mark").first()).toBeVisible();
  await expect(rows(page).nth(1).getByTestId("action")).toHaveCount(2);
  await expect(page.getByTestId("tally")).toHaveCount(2);
  await page.getByRole("button", { name: "Count all clips" }).click();
  await expect(page.getByTestId("tally").first()).toContainText("oracle · 1 clip");
  await expectAccessible(page, "two sets side by side");

  // B21: what a file brings in is text, whatever it looks like.
  const hostile = 'a < b & <img src=x onerror="window.hit = 1">';
  const triples = set.triples.map((triple) => ({ ...triple, change: hostile, raw: hostile }));
  await page.getByLabel("File of triples").setInputFiles({
    name: "elsewhere.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify({ question: "", triples })),
  });
  await expect(rows(page).nth(1)).toContainText(hostile);
  await page.keyboard.press("r");
  await expect(page.getByTestId("raw")).toHaveText(hostile);
  expect(await page.evaluate(() => "hit" in window)).toBe(false);

  // The trash gives back.
  const menu = page.getByRole("button", { name: "What to do with these triples" });
  const shown = page.getByRole("combobox", { name: "Set of triples" });
  await menu.click();
  await page.getByRole("menuitem", { name: "Move to the trash" }).click();
  await expect(shown).not.toHaveValue(/elsewhere\.json/);
  await menu.click();
  await page.getByRole("menuitem", { name: /Bring back elsewhere\.json/ }).click();
  await shown.click();
  await expect(page.getByRole("option", { name: /elsewhere\.json/ })).toBeVisible();
});

test("a vision model behind an endpoint: entered, tried, cancelled, gone on with, contradicted; its key is nowhere", async ({
  page,
  server,
}) => {
  const model: OpenAiServer = await startOpenAiServer({ key: KEY });
  try {
    const answers: string[] = [];
    page.on("response", (response) => {
      answers.push(response.url());
      if (response.url().includes("/trpc/") && !response.url().includes("follow"))
        response
          .text()
          .then((text) => answers.push(text))
          .catch(() => undefined);
    });
    await page.goto("/settings");
    const settings = page.getByRole("region", { name: "Endpoints" });
    await settings.getByRole("button", { name: "Add an endpoint" }).click();
    const dialog = page.getByRole("dialog", { name: "Add an endpoint" });
    await dialog.getByLabel("Name").fill("lab");
    await dialog.getByLabel("Base URL").fill(model.base_url);
    await dialog.getByLabel("Models").fill("eyes-7b");
    await dialog.getByLabel("Models").press("Enter");
    await dialog.getByLabel("Calls at the same time").fill("1");
    await dialog.getByRole("button", { name: "Save" }).click();
    const entry = settings.getByTestId("endpoint");
    await entry.getByRole("button", { name: "Try it" }).click();
    await expect(entry.getByRole("alert")).toContainText("wants a key");
    await entry.getByRole("button", { name: "What to do with lab" }).click();
    await page.getByRole("menuitem", { name: "Change" }).click();
    const change = page.getByRole("dialog", { name: "Change lab" });
    await change.getByLabel("Key", { exact: true }).fill(KEY);
    await expectAccessible(page, "an endpoint's dialog");
    await change.getByRole("button", { name: "Save" }).click();
    await expect(entry).toContainText("has a key");
    await entry.getByRole("button", { name: "Try it" }).click();
    await expect(entry.getByRole("status")).toContainText("It has 1 model; eyes-7b answered");

    const clip = await openTriples(page);
    await page.getByRole("button", { name: "Others…" }).click();
    const make = page.getByRole("dialog", { name: "Make triples" });
    await make.getByLabel("A vision model behind an endpoint").check();
    await expect(make.getByLabel("Model", { exact: true })).toHaveValue("eyes-7b");
    await make.getByLabel("What to look out for").fill("Where is the kiosk?");
    await expect(make.getByTestId("estimate")).toContainText(/\d+ calls · \d+ pictures · roughly .* tokens/);
    await expectAccessible(page, "making triples");
    // It then says nothing more, so that there is time to cancel.
    model.queue({ kind: "answer" }, { kind: "answer" });
    model.always({ kind: "silence" });
    await make.getByRole("button", { name: "Make triples" }).click();
    const work = page.getByTestId("triples-work");
    await expect(work).toContainText(/Describing · [1-9]/);
    await work.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByText(/^Cancelled\./)).toBeVisible();
    model.always({ kind: "answer" });
    await page.getByRole("button", { name: "Go on" }).click();
    const [set] = await waitForDone(page, clip, 1);
    expect(model.calls.filter(({ images }) => images.length > 0).length).toBeLessThanOrEqual(
      (set?.key_frames ?? 0) + 1,
    );
    for (const { images } of model.calls.slice(1)) expect(images.length).toBeGreaterThan(0);

    // The model says "move forward" whatever happens; the clip turns.
    const tally = page.getByTestId("tally");
    await expect(tally).toContainText("move forward 100 %");
    await expect(tally).toContainText(/[1-9]\d* of \d+ contradict the pictures/);
    await expect(page.getByTestId("geometry").filter({ hasText: "rotate" }).first()).toBeVisible();

    // The same again costs nothing.
    await page.getByRole("button", { name: "Make", exact: true }).click();
    await make.getByLabel("A vision model behind an endpoint").check();
    await make.getByLabel("What to look out for").fill("Where is the kiosk?");
    await expect(make.getByTestId("estimate")).toContainText("costs nothing");
    await page.keyboard.press("Escape");

    // A failure says what to do where it happened.
    model.always({ kind: "html" });
    await page.getByRole("button", { name: "Make", exact: true }).click();
    await make.getByLabel("A vision model behind an endpoint").check();
    await make.getByLabel("What to look out for").fill("How many doors?");
    await make.getByRole("button", { name: "Make triples" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "answers with a page" })).toBeVisible();

    // The key lies in its own file and nowhere else; nothing is written any more while one looks.
    expect(model.calls.length).toBeGreaterThan(2);
    expect(answers.some((text) => text.includes("eyes-7b"))).toBe(true);
    for (const text of answers) expect(text).not.toContain(KEY);
    expect(await page.content()).not.toContain(KEY);
    await server.kill();
    const holders = listFiles(server.dataDir).filter((file) => readFileSync(file).includes(KEY));
    expect(holders).toEqual([join(server.dataDir, "keys.json")]);
    expect(statSync(holders[0] ?? "").mode & 0o777).toBe(0o600);
    for (const file of listFiles(join(import.meta.dirname, "../dist"))) {
      expect(readFileSync(file).includes(KEY), file).toBe(false);
    }
  } finally {
    await model.close();
  }
});

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
