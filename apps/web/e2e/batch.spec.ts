import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { addFiles } from "./support/clip.ts";
import { getCard, getClipPath } from "./support/library.ts";
import { expect, test } from "./support/server.ts";

const NAMES = ["cfr-30.mp4", "gif.gif", "b-frames.mp4"];

let folder: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sightline-e2e-folder-"));
  mkdirSync(join(folder, "walks"));
  for (const name of NAMES) copyFileSync(getClipPath(name), join(folder, "walks", name));
  for (const name of ["empty.mp4", "text.mp4"]) copyFileSync(getClipPath(name), join(folder, name));
  process.env.SIGHTLINE_FOLDERS = `${folder}:${join(folder, "walks")}`;
});
test.afterAll(() => {
  delete process.env.SIGHTLINE_FOLDERS;
  rmSync(folder, { recursive: true, force: true });
});

const waitUntilDone = (page: Page, through: string) =>
  expect(page.getByTestId("pace")).toHaveText(`done${through}`, { timeout: 90_000 });

const getRow = (page: Page, name: string) =>
  page.getByRole("table").getByRole("row").filter({ hasText: name });

test("selected clips, by keyboard alone: started, followed live, a row leads to its clip; compared with another preset", async ({
  page,
}) => {
  test.setTimeout(240_000);
  await addFiles(
    page,
    NAMES.map((name) => join(folder, "walks", name)),
  );
  await page.goto("/library");
  for (const name of NAMES) await expect(getCard(page, name)).toBeVisible();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("k");
  const dialog = page.getByRole("dialog", { name: "Key-frames of many clips" });
  await expect(dialog.getByText("3 clips selected")).toBeVisible();
  await expectAccessible(page, "the dialog that starts a batch");
  await dialog.getByLabel("Threshold").fill("0.8");
  await dialog.getByLabel("Name").fill("strict");
  await page.keyboard.press("Enter");

  await expect(page).toHaveURL(/\/batches\/[0-9a-f-]{36}$/);
  await expect(page.getByRole("heading", { name: "strict" })).toBeVisible();
  await expect(page.getByText("3 clips · sightline · below 0.80")).toBeVisible();
  await waitUntilDone(page, "3 of 3");
  for (const name of NAMES) await expect(getRow(page, name)).toContainText(/done.* of /);
  await expectAccessible(page, "a batch");
  await page.goto(page.url());
  await expect(getRow(page, "gif.gif")).toContainText("done");

  const links = page.getByRole("table").getByRole("link");
  await expect(links).toHaveCount(NAMES.length);
  await links.first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(links.nth(1)).toBeFocused();
  const second = await links.nth(1).textContent();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/clips\//);
  await expect(page.getByRole("heading", { name: second ?? "" })).toBeVisible();

  await page.goBack();
  await page.getByRole("tab", { name: "Against other settings" }).click();
  await expect(page.getByText("No clip has key-frames under these settings yet")).toBeVisible();
  await page.getByRole("button", { name: "Select them for the same clips" }).click();
  await expect(page.getByRole("heading", { name: "strict · embodied-r" })).toBeVisible();
  await waitUntilDone(page, "3 of 3");
  await page.getByRole("tab", { name: "Against other settings" }).click();
  await expect(page.getByTestId("comparison-summary")).toContainText("3 clips:");
  await expect(page.getByTestId("jaccard")).toHaveCount(NAMES.length);
  const jaccards = await page.getByTestId("jaccard").allTextContents();
  expect(jaccards).toEqual([...jaccards].sort((a, b) => Number(a) - Number(b)));
  await expectAccessible(page, "a batch compared");
  await page.getByRole("table").getByRole("link", { name: "cfr-30.mp4" }).click();
  await expect(page).toHaveURL(/\/compare-settings\?/);
  await expect(page.getByTestId("agreement")).toContainText(/\d+kept by both|kept by both\d+/);
});

test("a folder from the palette: what failed says why and what to do, is reported, and is tried again alone", async ({
  page,
  server,
}) => {
  test.setTimeout(240_000);
  await page.goto("/library");
  await expect(page.getByRole("button", { name: "Add clips" })).toBeVisible();
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("textbox", { name: "Search" })).toBeFocused();
  await page.keyboard.type("key-frames of many");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Key-frames of many clips" });
  await dialog.getByText("A folder", { exact: true }).click();
  await expect(dialog.getByText("2 videos here, and what is in these folders")).toBeVisible();
  await dialog.getByRole("button", { name: "Start" }).click();
  await expect(page.getByRole("heading", { name: "5 clips" })).toBeVisible();
  await waitUntilDone(page, "5 of 5 · 2 failed");

  await page.getByText("Failed 2", { exact: true }).click();
  await expect(page).toHaveURL(/state=failed/);
  await expect(getRow(page, "empty.mp4")).toContainText("The file is empty.");
  await expect(getRow(page, "empty.mp4")).toContainText("Get a whole copy");
  await expect(getRow(page, "walks/gif.gif")).toHaveCount(0);
  await page.getByRole("button", { name: "Report" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "What failed, as CSV" }).click();
  const report = readFileSync(await (await download).path(), "utf8");
  expect(report.split("\r\n").map((line) => line.split(",")[0])).toEqual([
    "name",
    "empty.mp4",
    "text.mp4",
    "",
  ]);

  copyFileSync(getClipPath("vfr-gap.mp4"), join(folder, "empty.mp4"));
  await page.getByRole("button", { name: "Try the 2 again" }).click();
  await expect(getRow(page, "empty.mp4")).toHaveCount(0, { timeout: 60_000 });
  await waitUntilDone(page, "5 of 5 · 1 failed");
  await expect(page.getByText("Failed 1", { exact: true })).toBeVisible();

  // What was done before is there at once in another batch, and a restart forgets nothing.
  await server.restart();
  await page.goto("/batches");
  await expect(page.getByTestId("batch")).toHaveCount(1);
  await page.keyboard.press("n");
  await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
  await expect(page.getByText("Already there 4", { exact: true })).toBeVisible();
});

test("a batch that is not there says so, and so does an empty list", async ({ page }) => {
  await page.goto("/batches/none");
  await expect(page.getByText("There is no such batch")).toBeVisible();
  await page.getByRole("link", { name: "To the batches" }).click();
  await expect(page.getByText("No batch yet")).toBeVisible();
  await expectAccessible(page, "no batches");
});
