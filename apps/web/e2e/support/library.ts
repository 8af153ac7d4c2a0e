import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, type Locator, type Page } from "@playwright/test";

/** A clip of the fixtures by its file name. */
export function getClipPath(name: string): string {
  return join(import.meta.dirname, "../../../../fixtures/clips", name);
}

/** Drags files from the desktop over the page and lets them fall. */
export async function dropFiles(page: Page, paths: readonly string[]): Promise<void> {
  const files = paths.map((path) => ({
    name: basename(path),
    base64: readFileSync(path).toString("base64"),
  }));
  const transfer = await page.evaluateHandle((given) => {
    const made = new DataTransfer();
    for (const { name, base64 } of given) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      made.items.add(new File([bytes], name, { lastModified: 0 }));
    }
    return made;
  }, files);
  // A file that hangs over a page tells of itself again and again; the page may still be on its way.
  await expect(async () => {
    await expect(page.getByRole("button", { name: "Add clips" })).toBeVisible();
    for (const type of ["dragenter", "dragover"])
      await page.dispatchEvent("main", type, { dataTransfer: transfer });
    await expect(page.getByText("Drop to add to the library")).toBeVisible({ timeout: 1000 });
  }).toPass({ timeout: 60_000 });
  await page.dispatchEvent("main", "drop", { dataTransfer: transfer });
}

/** A clip's card or row. */
export function getCard(page: Page, name: string): Locator {
  return page.getByRole("gridcell").filter({ has: page.getByRole("link", { name, exact: true }) });
}

/** Adds clips of the fixtures and waits until they have been read. */
export async function addClips(page: Page, names: readonly string[]): Promise<void> {
  await page.goto("/library");
  await dropFiles(page, names.map(getClipPath));
  for (const name of names) {
    await expect(getCard(page, name)).toBeVisible();
    await expect(getCard(page, name)).not.toContainText("Reading");
  }
  await expect(page.getByRole("region", { name: "Files being added" })).toBeHidden();
}
