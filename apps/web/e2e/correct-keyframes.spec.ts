import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Page } from "@playwright/test";
import type { Clip } from "@sightline/core/clips";
import type { Decision } from "@sightline/core/decisions";
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import { expectAccessible } from "./support/axe.ts";
import { addFiles, expectFrame, openClip, query, waitForKeyFrames } from "./support/clip.ts";
import { chooseFiles, exportByKeyboard, openImport } from "./support/exchange.ts";
import { getClipPath } from "./support/library.ts";
import { expect, test } from "./support/server.ts";

const WORLD = getClipPath("../worlds/room-turns-4.mp4");

let scratch: string;
test.beforeAll(() => {
  process.env.SIGHTLINE_FOLDERS = dirname(WORLD);
  scratch = mkdtempSync(join(tmpdir(), "sightline-correct-e2e-"));
});
test.afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function addWithKeyFrames(page: Page): Promise<{ clip: Clip; selection: KeyFrameSelection }> {
  const [clip] = await addFiles(page, [WORLD]);
  if (clip === undefined) throw new Error("the world was not added");
  const { clip_id } = clip;
  await waitForKeyFrames(page, clip_id);
  return { clip, selection: await query<KeyFrameSelection>(page, "keyframes.get", { clip_id }) };
}

const listKept = ({ decisions }: KeyFrameSelection) =>
  decisions.flatMap(({ kept, frame }) => (kept ? [frame] : []));

/** The key-frames that the film strip shows raised. */
const listShown = (page: Page) =>
  page
    .getByTestId("key-frame")
    .evaluateAll((slots) => slots.map((slot) => Number(slot.getAttribute("data-frame"))));

const listDecisions = async (page: Page, clip_id: string) =>
  (await query<{ decisions: Decision[] }>(page, "decisions.list", { clip_id })).decisions;

const getVersion = (page: Page) => page.getByTestId("version");
const getOutcome = (page: Page) => page.getByTestId("decision-bar").getByRole("status");

/** Opens a clip's page and waits until what was decided of it is there. */
async function openDesk(page: Page, clip_id: string, frame = 0): Promise<void> {
  await openClip(page, clip_id, frame);
  await expect(getVersion(page)).toBeVisible();
}

/** Goes to a key-frame by keys. */
async function goToKeyFrame(page: Page, frame: number): Promise<void> {
  await page.keyboard.press("Home");
  await expectFrame(page, 0);
  const number = page.getByTestId("frame-number");
  for (let i = 0; i < 100; i += 1) {
    const shown = (await number.textContent()) ?? "";
    if (shown === `frame ${frame}`) return expectFrame(page, frame);
    await page.keyboard.press("]");
    await expect(number).not.toHaveText(shown);
  }
  throw new Error(`key-frame ${frame} was not reached`);
}

test("with the keyboard alone: move the threshold, correct three key-frames, take one back, kill the server, export, import, lose nothing", async ({
  page,
  server,
}) => {
  test.setTimeout(240_000);
  const { clip, selection } = await addWithKeyFrames(page);
  const { clip_id } = clip;
  await openDesk(page, clip_id);
  await expect(getVersion(page)).toContainText("version 0");
  const before = listKept(selection);
  await expect.poll(() => listShown(page)).toEqual(before);

  // The threshold moves by arrow keys, and the key-frames change at once.
  await page.getByTestId("threshold").focus();
  for (let i = 0; i < 6; i += 1) await page.keyboard.press("PageUp");
  await expect.poll(() => listShown(page)).not.toEqual(before);
  await expect(page.getByTestId("trial")).toBeVisible();
  // What is only tried can't be decided of.
  await page.keyboard.press("d");
  await expect(getOutcome(page)).toContainText("Save these key-frames first");
  await page.getByRole("button", { name: "Save", exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(getVersion(page)).toContainText("version 0", { timeout: 60_000 });
  await expect(page.getByTestId("trial")).toBeHidden();

  const settings = { ...selection.settings, threshold: 0.8 };
  const kept = listKept(await query<KeyFrameSelection>(page, "keyframes.get", { clip_id, settings }));
  await expect.poll(() => listShown(page)).toEqual(kept);
  const [, second = -1, third = -1] = kept;
  expect(kept.length).toBeGreaterThan(3);

  // Three corrections: drop, shift, add.
  await goToKeyFrame(page, second);
  await page.keyboard.press("d");
  await expect(getOutcome(page)).toContainText(`Dropped key-frame ${second}`);
  await goToKeyFrame(page, third);
  await page.keyboard.press(".");
  await page.keyboard.press(".");
  await expectFrame(page, third + 2);
  await page.keyboard.press("c");
  await expect(getOutcome(page)).toContainText(`Shifted key-frame ${third} to frame ${third + 2}`);
  await page.keyboard.press("Home");
  for (let i = 0; i < 5; i += 1) await page.keyboard.press(".");
  await expectFrame(page, 5);
  await page.keyboard.press("a");
  const corrected = [...kept.filter((frame) => frame !== second && frame !== third), 5, third + 2].sort(
    (a, b) => a - b,
  );
  await expect.poll(() => listShown(page)).toEqual(corrected);
  await expect(getVersion(page)).toHaveText("version 3 · 3 corrections by owner");
  await expect(page.getByTestId("kept-count")).toContainText(`${corrected.length} key-frames`);
  await expect(page.locator(`[data-testid=decision][data-frame="5"]`)).toContainText("Added by owner");
  await expect(page.locator(`[data-testid=decision][data-frame="5"]`)).toContainText("Not sampled");

  // One is taken back, brought back, and taken back again.
  await page.keyboard.press("u");
  await expect(getVersion(page)).toHaveText("version 4 · 2 corrections by owner");
  await page.keyboard.press("Shift+U");
  await expect(getVersion(page)).toHaveText("version 5 · 3 corrections by owner");
  await page.keyboard.press("Control+z");
  await expect(getVersion(page)).toHaveText("version 6 · 2 corrections by owner");
  const undone = corrected.filter((frame) => frame !== 5);
  await expect.poll(() => listShown(page)).toEqual(undone);
  await expect.poll(async () => (await listDecisions(page, clip_id)).length).toBe(6);

  await page.reload();
  await expect(getVersion(page)).toHaveText("version 6 · 2 corrections by owner");
  await expect.poll(() => listShown(page)).toEqual(undone);

  // The server dies in the middle: what was confirmed is there, what was pressed meanwhile arrives, once.
  const confirmed = await listDecisions(page, clip_id);
  await goToKeyFrame(page, kept[3] ?? -1);
  await server.kill();
  await page.keyboard.press("s");
  await page.keyboard.press("a");
  await expect(getVersion(page)).toContainText("not saved yet");
  await server.restart();
  await expect(page.getByTestId("version-line")).not.toContainText("not saved yet", { timeout: 60_000 });
  const after = await listDecisions(page, clip_id);
  expect(after.slice(0, 6)).toEqual(confirmed);
  expect(after.slice(6).map(({ kind }) => kind)).toEqual(["keep"]);
  await page.reload();
  await expect(getVersion(page)).toHaveText("version 7 · 2 corrections by owner");
  await expect.poll(() => listShown(page)).toEqual(undone);

  // Out into a file and in again: unchanged; changed meanwhile, the import brings it back.
  const file = await exportByKeyboard(page, "CSV", scratch);
  const unchanged = await openImport(page);
  await chooseFiles(page, unchanged, file);
  await expect(unchanged.getByTestId("import-summary")).toHaveText("1 clip unchanged");
  await page.keyboard.press("Escape");
  await expect(unchanged).toBeHidden();
  await goToKeyFrame(page, kept[3] ?? -1);
  await page.keyboard.press("d");
  await expect.poll(() => listShown(page)).not.toEqual(undone);
  const changed = await openImport(page);
  await chooseFiles(page, changed, file);
  await expect(changed.getByTestId("import-summary")).toHaveText("A new version of 1 clip");
  await changed.getByRole("button", { name: "Import", exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(changed).toBeHidden();
  await expect.poll(() => listShown(page)).toEqual(undone);
  await expect(getVersion(page)).toContainText("version 9 · taken from ");
});

test("what the server could not be told outlives a reload, which asks first", async ({ page }) => {
  const { clip, selection } = await addWithKeyFrames(page);
  const kept = listKept(selection);
  const [, second = -1, third = -1] = kept;
  await openDesk(page, clip.clip_id, second);
  await page.route(/decisions\.decide/, (route) => route.abort());
  await page.keyboard.press("d");
  await goToKeyFrame(page, third);
  await page.keyboard.press("d");
  await expect(getVersion(page)).toContainText("2 decisions not saved yet");
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.reload();
  expect(asked).toEqual(["beforeunload"]);
  await expect(getVersion(page)).toContainText("2 decisions not saved yet");
  expect(await listDecisions(page, clip.clip_id)).toEqual([]);

  await page.unroute(/decisions\.decide/);
  await expect(getVersion(page)).toHaveText("version 2 · 2 corrections by owner");
  const rest = kept.filter((frame) => frame !== second && frame !== third);
  await expect.poll(() => listShown(page)).toEqual(rest);
  expect((await listDecisions(page, clip.clip_id)).map(({ kind }) => kind)).toEqual(["drop", "drop"]);
  await page.reload();
  await expect(getVersion(page)).toHaveText("version 2 · 2 corrections by owner");
  expect(asked).toHaveLength(1);
});

test("an action is called right or wrong beside geometry's, and a note stands at its key-frame", async ({
  page,
}) => {
  const { clip, selection } = await addWithKeyFrames(page);
  const [, second = -1, third = -1] = listKept(selection);
  await openDesk(page, clip.clip_id);
  await page.keyboard.press("q");
  await expect(getOutcome(page)).toContainText("No way leads to the first key-frame");
  await goToKeyFrame(page, second);
  const row = (frame: number) => page.locator(`[data-testid=decision][data-frame="${frame}"]`);
  await expect(row(second).getByTestId("geometry-action")).toBeVisible();
  await page.keyboard.press("q");
  await expect(row(second).getByTestId("person-action")).toHaveText("owner: right");
  await page.keyboard.press("w");
  await expect(page.getByRole("dialog", { name: "The action is wrong" })).toBeVisible();
  await expectAccessible(page, "the choice of actions");
  await page.keyboard.press("0");
  await expect(row(second).getByTestId("person-action")).toHaveText("owner: tilt downward");
  await goToKeyFrame(page, third);
  await page.keyboard.press("5");
  await expect(row(third).getByTestId("person-action")).toHaveText("owner: move upward");
  await page.keyboard.press("v");
  await page.keyboard.type("blurred by the turn");
  await page.keyboard.press("Enter");
  await expect(row(third).getByTestId("frame-note")).toHaveText("owner: blurred by the turn");
  // The word is of one way only: with the key-frame before it gone, it is of none.
  await goToKeyFrame(page, second);
  await page.keyboard.press("d");
  await expect(row(third).getByTestId("person-action")).toBeHidden();
  await page.keyboard.press("u");
  await expect(row(third).getByTestId("person-action")).toHaveText("owner: move upward");
});

test("every version can be looked at under its own address and returned to", async ({ page }) => {
  const { clip, selection } = await addWithKeyFrames(page);
  const kept = listKept(selection);
  const [, second = -1, third = -1] = kept;
  await openDesk(page, clip.clip_id);
  await goToKeyFrame(page, second);
  await page.keyboard.press("d");
  await goToKeyFrame(page, third);
  await page.keyboard.press("d");
  await expect(getVersion(page)).toContainText("version 2");
  await page.keyboard.press("h");
  const entries = page.getByTestId("history-entry");
  await expect(entries).toHaveCount(3);
  await expect(entries.nth(0)).toContainText(`owner dropped key-frame ${third}`);
  await expectAccessible(page, "the history");

  await entries.nth(1).getByRole("button").first().click();
  await expect(page).toHaveURL(/version=1/);
  await expect.poll(() => listShown(page)).toEqual(kept.filter((frame) => frame !== second));
  await page.keyboard.press("a");
  await expect(getOutcome(page)).toContainText("is an earlier one");
  await page.reload();
  await expect(getVersion(page)).toContainText("version 1");
  await page.getByRole("button", { name: "Return to it" }).click();
  await expect(getVersion(page)).toHaveText("version 3 · 1 correction by owner");
  await expect(page).not.toHaveURL(/version=/);
  await expect.poll(() => listShown(page)).toEqual(kept.filter((frame) => frame !== second));
  await page.keyboard.press("u");
  await expect
    .poll(() => listShown(page))
    .toEqual(kept.filter((frame) => frame !== second && frame !== third));
});

test("two tabs see each other's decisions, and the same one in both is one", async ({ page, context }) => {
  const { clip, selection } = await addWithKeyFrames(page);
  const [, second = -1] = listKept(selection);
  const other = await context.newPage();
  await openDesk(page, clip.clip_id, second);
  await openDesk(other, clip.clip_id, second);
  await page.bringToFront();
  await page.keyboard.press("d");
  await expect(getVersion(other)).toHaveText("version 1 · 1 correction by owner");
  await other.bringToFront();
  await other.keyboard.press("d");
  await expect(getOutcome(other)).toContainText("that was said already");
  await other.keyboard.press("u");
  await expect(getVersion(page)).toContainText("version 2");
  await expect.poll(() => listShown(page)).toEqual(listKept(selection));
  expect(await listDecisions(page, clip.clip_id)).toHaveLength(2);
});

test("decisions stay with the settings that they were made under, and other settings say so", async ({
  page,
}) => {
  const { clip, selection } = await addWithKeyFrames(page);
  const [, second = -1] = listKept(selection);
  await openDesk(page, clip.clip_id, second);
  await page.keyboard.press("d");
  await expect(getVersion(page)).toContainText("version 1");
  await page.getByTestId("threshold").focus();
  await page.keyboard.press("ArrowUp");
  await expect(page.getByTestId("other-corrections")).toContainText("has 1 decision");
  await page.getByTestId("other-corrections").getByRole("button", { name: "Show" }).click();
  await expect(getVersion(page)).toHaveText("version 1 · 1 correction by owner");
  await expect(page.getByTestId("other-corrections")).toBeHidden();
});
