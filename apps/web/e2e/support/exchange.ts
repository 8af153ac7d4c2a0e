import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { expect } from "./server.ts";

/** The formats of the export dialog, as a person reads them. */
export const FORMATS = ["CSV", "CVAT for images 1.1", "Label Studio", "FiftyOne", "Released layout"];

/** Exports by keyboard from where the page is, and returns the file that the browser saved, put into `folder`. */
export async function exportByKeyboard(page: Page, format: string, folder: string): Promise<string> {
  await page.keyboard.press("Shift+E");
  const dialog = page.getByRole("dialog", { name: /^Export key-frames/ });
  await expect(dialog.getByTestId("export-summary")).toContainText(/\d key-frame/);
  await dialog.getByRole("radio").first().focus();
  for (let step = 0; step < FORMATS.length; step += 1) {
    if (await dialog.getByRole("radio", { name: new RegExp(`^${format}`) }).isChecked()) break;
    await page.keyboard.press("ArrowDown");
  }
  await expect(dialog.getByRole("radio", { name: new RegExp(`^${format}`) })).toBeChecked();
  const saving = page.waitForEvent("download", { timeout: 60_000 });
  await page.keyboard.press("Enter");
  const download = await saving;
  const file = join(folder, `${randomUUID()}-${download.suggestedFilename()}`);
  await download.saveAs(file);
  await expect(dialog.getByTestId("export-summary")).toContainText("Saved as");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  return file;
}

export async function openImport(page: Page): Promise<Locator> {
  await page.keyboard.press("Shift+I");
  const dialog = page.getByRole("dialog", { name: "Import key-frames" });
  await expect(dialog).toBeVisible();
  return dialog;
}

/** Opens the picker by keyboard and gives it files. */
export async function chooseFiles(
  page: Page,
  dialog: Locator,
  files: string | readonly string[],
): Promise<void> {
  // A dialog that has just closed gives the focus back, and takes it from where it was put meanwhile.
  const picking = page.waitForEvent("filechooser");
  let isOpen = false;
  picking.then(
    () => {
      isOpen = true;
    },
    () => {},
  );
  await expect(async () => {
    if (isOpen) return;
    await dialog.getByRole("button", { name: "Choose files…" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => isOpen, { timeout: 3000 }).toBe(true);
  }).toPass();
  await (await picking).setFiles(files as string | string[]);
}
