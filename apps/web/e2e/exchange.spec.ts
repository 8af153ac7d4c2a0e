import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Page } from "@playwright/test";
import type { Clip } from "@sightline/core/clips";
import { type Decision, foldVersion } from "@sightline/core/decisions";
import { hashSettings, type KeyFrameSelection, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { unpackZip } from "../../server/src/features/exchange/zip.ts";
import { expectAccessible } from "./support/axe.ts";
import { addFiles, getTable, mutate, openClip, query, waitForKeyFrames } from "./support/clip.ts";
import { chooseFiles, exportByKeyboard, FORMATS, openImport } from "./support/exchange.ts";
import { getCard, getClipPath } from "./support/library.ts";
import { expect, test } from "./support/server.ts";

const WALK = getClipPath("ntsc-29.97.mp4");
const TURNED = getClipPath("rotated-90.mp4");
const SETTINGS = hashSettings(SIGHTLINE_SETTINGS);

let scratch: string;
test.beforeAll(() => {
  process.env.SIGHTLINE_FOLDERS = dirname(WALK);
  scratch = mkdtempSync(join(tmpdir(), "sightline-exchange-e2e-"));
});
test.afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function addClips(page: Page, files: readonly string[]): Promise<Clip[]> {
  const clips = (await addFiles(page, files)).filter((clip) => clip !== undefined);
  expect(clips).toHaveLength(files.length);
  for (const { clip_id } of clips) await waitForKeyFrames(page, clip_id);
  return clips;
}

/** The key-frames of the newest version. */
async function listFrames(page: Page, clip_id: string): Promise<number[]> {
  const selection = await query<KeyFrameSelection>(page, "keyframes.get", { clip_id });
  const { decisions } = await query<{ decisions: Decision[] }>(page, "decisions.list", { clip_id });
  const { time_secs } = await getTable(page, clip_id);
  const history = decisions.filter(({ settings_hash }) => settings_hash === SETTINGS);
  return foldVersion({ selection, time_secs }, history).key_frames.map(({ frame }) => frame);
}

const decide = (page: Page, clip_id: string, decided: object) =>
  mutate(page, "decisions.decide", { decision_id: randomUUID(), clip_id, settings_hash: SETTINGS, decided });

test("every format: exported, imported, unchanged; corrected meanwhile, brought back, taken back; by keyboard alone", async ({
  page,
}) => {
  test.setTimeout(240_000);
  const [clip] = await addClips(page, [WALK]);
  const { clip_id } = clip as Clip;
  await openClip(page, clip_id);
  await decide(page, clip_id, { kind: "add", frame: 7 });
  const held = await listFrames(page, clip_id);

  for (const format of FORMATS) {
    const file = await exportByKeyboard(page, format, scratch);
    const dialog = await openImport(page);
    await chooseFiles(page, dialog, file);
    const entry = dialog.getByTestId("entry");
    await expect(entry).toContainText(`= ${held.length} the same`);
    await expect(entry).toContainText("+ 0 added");
    await expect(entry).toContainText("− 0 dropped");
    await expect(entry).toContainText("holds version ");
    const base = format === "Label Studio" || format === "FiftyOne" ? 1 : 0;
    await expect(entry).toContainText(`frames count from ${base}`);
    await expect(dialog.getByRole("button", { name: "Import", exact: true })).toBeDisabled();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();

    await decide(page, clip_id, { kind: "drop", frame: 7 });
    await decide(page, clip_id, { kind: "add", frame: 11 });
    const again = await openImport(page);
    await chooseFiles(page, again, file);
    await expect(again.getByTestId("entry")).toContainText("added frame 7 · dropped frame 11");
    expect(await listFrames(page, clip_id)).not.toEqual(held);
    await again.getByRole("button", { name: "Import", exact: true }).focus();
    await page.keyboard.press("Enter");
    await expect(again).toBeHidden();
    // The offer to undo goes after a while, but not while it has the focus.
    await page.getByRole("button", { name: "Undo", exact: true }).focus();
    await expect.poll(() => listFrames(page, clip_id)).toEqual(held);
    await page.keyboard.press("Enter");
    await expect.poll(() => listFrames(page, clip_id)).toContain(11);
    await decide(page, clip_id, { kind: "drop", frame: 11 });
    await decide(page, clip_id, { kind: "add", frame: 7 });
    expect(await listFrames(page, clip_id)).toEqual(held);
  }
});

test("an earlier version is exported as it was; the dialogs are accessible", async ({ page }) => {
  const [clip] = await addClips(page, [WALK]);
  const { clip_id } = clip as Clip;
  const first = await listFrames(page, clip_id);
  await decide(page, clip_id, { kind: "add", frame: 7 });
  await openClip(page, clip_id);
  await page.getByRole("button", { name: "Export and import key-frames" }).click();
  await page.getByRole("menuitem", { name: /Export key-frames/ }).click();
  const dialog = page.getByRole("dialog", { name: "Export key-frames" });
  await expect(dialog.getByTestId("export-summary")).toHaveText(`${first.length + 1} key-frames · version 1`);
  await expectAccessible(page, "the export dialog");
  await dialog.getByRole("combobox", { name: "Version" }).click();
  await page.getByRole("option", { name: "Version 0: as the extractor selected" }).click();
  await expect(dialog.getByTestId("export-summary")).toHaveText(`${first.length} key-frames · version 0`);
  const saving = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Export", exact: true }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toBe("ntsc-29.97.keyframes-v0.csv");
  const file = join(scratch, "v0.csv");
  await download.saveAs(file);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  expect(lines).toHaveLength(first.length + 1);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  const again = await openImport(page);
  await chooseFiles(page, again, file);
  await expect(again.getByTestId("entry")).toContainText("holds version 0 · version 1 becomes 2");
  await expectAccessible(page, "the import preview");
});

test("rows of frames that were added push the others down, and hide none", async ({ page }) => {
  const [clip] = await addClips(page, [WALK]);
  const { clip_id } = clip as Clip;
  await openClip(page, clip_id);
  const rows = page.getByTestId("decisions").getByRole("listitem");
  const { decisions } = await query<KeyFrameSelection>(page, "keyframes.get", { clip_id });
  await expect(rows).toHaveCount(decisions.length);
  for (const frame of [3, 5, 7]) await decide(page, clip_id, { kind: "add", frame });
  await expect(rows).toHaveCount(decisions.length + 3);
  // Each begins where the one above it ends.
  await expect
    .poll(() =>
      rows.evaluateAll((items) => {
        const boxes = items.map((item) => item.getBoundingClientRect()).sort((a, b) => a.top - b.top);
        return boxes.slice(1).every(({ top }, at) => Math.abs(top - (boxes[at]?.bottom ?? 0)) < 1.5);
      }),
    )
    .toBe(true);
});

test("several clips of the library in one file, and back", async ({ page }) => {
  const clips = await addClips(page, [WALK, TURNED]);
  await page.goto("/library");
  for (const { name } of clips) await expect(getCard(page, name)).toBeVisible();
  await page.keyboard.press("Control+a");
  await expect(page.getByText("2 clips selected")).toBeVisible();
  const file = await exportByKeyboard(page, "CVAT for images 1.1", scratch);
  expect(file).toContain("2 clips.keyframes.cvat.zip");
  const dialog = await openImport(page);
  await chooseFiles(page, dialog, file);
  await expect(dialog.getByTestId("entry")).toHaveCount(2);
  await expect(dialog.getByTestId("import-summary")).toHaveText("2 clips unchanged");
});

test("the released folder without provenance: its original indices are lost, and it says so", async ({
  page,
}) => {
  const [clip] = await addClips(page, [WALK]);
  const { clip_id } = clip as Clip;
  await openClip(page, clip_id);
  const before = await listFrames(page, clip_id);
  const archive = await exportByKeyboard(page, "Released layout", scratch);
  const inside = await unpackZip(archive, join(scratch, randomUUID()), 2 ** 30);
  const video = inside.find(({ path }) => path === "video_keyframe/ntsc-29.97.mp4");
  const folder = join(scratch, randomUUID(), "video_keyframe");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "ntsc-29.97.mp4"), readFileSync(video?.file ?? ""));

  const dialog = await openImport(page);
  const picking = page.waitForEvent("filechooser");
  await dialog.getByRole("button", { name: "Choose a folder…" }).click();
  await (await picking).setFiles(folder);
  await expect(dialog.getByTestId("lost")).toContainText("Its original indices are lost");
  await expect(dialog.getByTestId("lost")).toContainText(`${before.length} pictures`);
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await expect(dialog).toBeHidden();
  expect(await listFrames(page, clip_id)).toEqual(before);
  const own = async () =>
    (await query<Clip[]>(page, "clips.list")).find(({ name }) => name === "ntsc-29.97 (key-frames).mp4");
  await expect.poll(own).toBeDefined();
  const { clip_id: own_id } = (await own()) as Clip;
  await waitForKeyFrames(page, own_id);
  await expect.poll(() => listFrames(page, own_id)).toEqual(before.map((_, at) => at));
});

test("a bad file says what and where, nothing changes, and what it does not say can be said", async ({
  page,
}) => {
  const [clip] = await addClips(page, [WALK]);
  const { clip_id } = clip as Clip;
  await openClip(page, clip_id);
  const before = await listFrames(page, clip_id);
  const bad = join(scratch, "bad.csv");
  writeFileSync(bad, "clip_name,frame_base,frame\nntsc-29.97.mp4,0,0\nntsc-29.97.mp4,0,99999\n");
  const dialog = await openImport(page);
  await chooseFiles(page, dialog, bad);
  await expect(dialog.getByTestId("fault")).toContainText("line 3: frame 99999 is not in the clip");
  await expect(dialog.getByRole("button", { name: "Import", exact: true })).toBeDisabled();

  const unsaid = join(scratch, "unsaid.csv");
  writeFileSync(unsaid, "frame\n1\n31\n");
  await chooseFiles(page, dialog, unsaid);
  await expect(dialog.getByTestId("fault")).toContainText(
    "does not say whether its frames count from 0 or from 1",
  );
  await dialog.getByRole("radiogroup", { name: "Number of the first frame" }).getByText("1").click();
  await expect(dialog.getByTestId("entry")).toContainText("frames count from 1, as you said");
  expect(await listFrames(page, clip_id)).toEqual(before);
});
