import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectAccessible } from "./support/axe.ts";
import { addClips, dropFiles, getCard, getClipPath } from "./support/library.ts";
import { expect, test } from "./support/server.ts";

test("a dropped clip is sent, read and shown with its first frame", async ({ page }) => {
  await expect(page.getByText("Drop video files here")).toBeVisible();
  await dropFiles(page, [getClipPath("cfr-30.mp4")]);
  const card = getCard(page, "cfr-30.mp4");
  await expect(card).toContainText(/\d+ frames · \d+\u202f×\u202f\d+ · H\.264/);
  await expect(card).toContainText(/\d:\d\d\.\d/);
  const poster = card.locator("img");
  await expect.poll(() => poster.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(100);
  await expect(page.getByText("All work is done")).toBeVisible();
  await page.reload();
  await expect(card).toBeVisible();
});

test("a file that the library has is recognised by its bytes", async ({ page }) => {
  await addClips(page, ["two-frames.mp4"]);
  await dropFiles(page, [getClipPath("two-frames.mp4")]);
  await expect(page.getByText("Already in the library as “two-frames.mp4”.")).toBeVisible();
  await expect(page.getByRole("gridcell")).toHaveCount(1);
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await expect(page.getByText("Already in the library")).toBeHidden();
});

test("what cannot be read says why, and what was lost", async ({ page }) => {
  await dropFiles(page, [getClipPath("text.mp4"), getClipPath("truncated.mp4"), getClipPath("empty.mp4")]);
  await expect(getCard(page, "text.mp4")).toContainText(/text/);
  await expect(getCard(page, "truncated.mp4")).toContainText(/./);
  await expect(page.getByText("The file is empty.")).toBeVisible();
  await page.getByRole("button", { name: "Cancel: empty.mp4" }).click();
  await page.goto("/library?view=list");
  await expect(getCard(page, "text.mp4")).toContainText("Refused");
  await expect(getCard(page, "truncated.mp4")).toContainText(/Read in part|Refused/);
});

test("a clip is renamed, tagged and found; the view is in the URL", async ({ page }) => {
  await addClips(page, ["cfr-30.mp4", "two-frames.mp4"]);

  await getCard(page, "cfr-30.mp4").hover();
  await page.getByRole("button", { name: "What to do with cfr-30.mp4" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name of the clip" }).fill("kitchen walk.mp4");
  await page.keyboard.press("Enter");
  const kitchen = getCard(page, "kitchen walk.mp4");
  await expect(kitchen).toBeVisible();

  await kitchen.getByRole("checkbox").check();
  await expect(page.getByText("1 clip selected")).toBeVisible();
  await page.keyboard.press("t");
  await page.getByRole("combobox", { name: "Tags" }).fill("indoor");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(kitchen).toContainText("indoor");
  await page.keyboard.press("Escape");
  await expect(page.getByText("1 clip selected")).toBeHidden();

  await page.keyboard.press("/");
  await page.keyboard.type("indoor");
  await expect(page.getByRole("gridcell")).toHaveCount(1);
  await expect(page).toHaveURL(/q=indoor/);
  await page.getByRole("radiogroup", { name: "Layout" }).locator("label").last().click();
  await page.getByRole("button", { name: "Sort by length" }).click();
  await expect(page).toHaveURL(/view=list/);
  await expect(page).toHaveURL(/sort=duration/);

  await page.reload();
  await expect(page.getByRole("textbox", { name: "Filter clips" })).toHaveValue("indoor");
  await expect(kitchen).toContainText("indoor");
  await expect(page.getByRole("gridcell")).toHaveCount(1);
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await expect(page.getByRole("gridcell")).toHaveCount(2);
});

test("thrown away clips come back: by the notification, by Ctrl-Z, from the trash", async ({ page }) => {
  await addClips(page, ["two-frames.mp4", "single-frame.mp4"]);
  const card = getCard(page, "two-frames.mp4");

  await card.getByRole("checkbox").check();
  await page.keyboard.press("Delete");
  await expect(card).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(card).toBeVisible();

  await card.getByRole("checkbox").check();
  await page.keyboard.press("Delete");
  await expect(card).toBeHidden();
  await page.keyboard.press("Control+z");
  await expect(card).toBeVisible();

  await page.keyboard.press("Control+a");
  await page.getByRole("button", { name: "Move to the trash" }).click();
  await expect(page.getByText("Drop video files here")).toBeVisible();
  await page.getByRole("link", { name: "Open the trash" }).click();
  await expect(page).toHaveURL(/trash=true/);
  await expect(page.getByRole("gridcell")).toHaveCount(2);
  await page.keyboard.press("Control+a");
  await page.getByRole("button", { name: "Restore", exact: true }).click();
  await expect(page.getByText("The trash is empty")).toBeVisible();
  await page.getByRole("link", { name: "Back to the library" }).first().click();
  await expect(page.getByRole("gridcell")).toHaveCount(2);
});

test("the trash is emptied by keyboard, and says before what goes and how much", async ({ page }) => {
  await addClips(page, ["two-frames.mp4", "cfr-30.mp4"]);
  const kept = getCard(page, "two-frames.mp4");
  await getCard(page, "cfr-30.mp4").click();
  await expect(page).toHaveURL(/\/clips\//);
  const address = page.url();
  await page.goto("/library");
  await getCard(page, "cfr-30.mp4").getByRole("checkbox").check();
  await page.keyboard.press("Delete");
  await expect(getCard(page, "cfr-30.mp4")).toBeHidden();
  // It has gone from sight at once; that it can be taken back says that the server knows.
  await expect(page.getByRole("button", { name: "Undo" })).toBeVisible();

  await page.goto("/library?trash=true");
  await expect(getCard(page, "cfr-30.mp4")).toBeVisible();
  await page.keyboard.press("Shift+Delete");
  const dialog = page.getByRole("dialog", { name: "Empty the trash" });
  await expect(dialog.getByRole("status")).toHaveText(
    /^The videos of 1 clip are deleted for good, [\d.]+ kB: cfr-30\.mp4\.$/,
  );
  await expect(dialog.getByRole("button", { name: "Keep all" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(getCard(page, "cfr-30.mp4")).toBeVisible();

  await page.keyboard.press("Shift+Delete");
  await expect(dialog.getByRole("button", { name: "Keep all" })).toBeFocused();
  await expect(dialog.getByRole("button", { name: "Delete 1 video" })).toBeEnabled();
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page, "the question before the trash is emptied");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByText("The trash is empty")).toBeVisible();
  await page.getByRole("link", { name: "Back to the library" }).first().click();
  await expect(kept).toBeVisible();
  await expect(page.getByRole("gridcell")).toHaveCount(1);

  // A link to it still leads to what is known of it.
  await page.goto(address);
  await expect(page.getByText("The video of this clip was deleted with the trash")).toBeVisible();
  await page.goto("/library");
  await dropFiles(page, [getClipPath("cfr-30.mp4")]);
  await expect(page.getByText("Was deleted with the trash as “cfr-30.mp4”; it is back")).toBeVisible();
  await expect(page.getByRole("gridcell")).toHaveCount(2);
});

test("the keyboard goes from clip to clip and opens one", async ({ page }) => {
  await addClips(page, ["two-frames.mp4", "single-frame.mp4", "cfr-30.mp4"]);
  const cells = page.getByRole("gridcell");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const second = await cells.nth(1).getByRole("link").textContent();
  await page.keyboard.press("Space");
  await expect(cells.nth(1)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Shift+ArrowRight");
  await expect(page.getByText("2 clips selected")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/clips\/[0-9a-f]{64}/);
  await expect(page.getByRole("banner")).toContainText(second ?? "?");
});

test("clips are added from a folder that the owner listed", async ({ page, server }) => {
  const before = process.env.SIGHTLINE_FOLDERS;
  process.env.SIGHTLINE_FOLDERS = join(getClipPath("."), "..");
  try {
    await server.restart();
  } finally {
    if (before === undefined) delete process.env.SIGHTLINE_FOLDERS;
    else process.env.SIGHTLINE_FOLDERS = before;
  }
  await page.goto("/library");
  await page.getByRole("button", { name: "From a server folder…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "clips", exact: true }).last().click();
  await dialog.getByRole("checkbox", { name: "two-frames.mp4" }).check();
  await dialog.getByRole("checkbox", { name: "single-frame.mp4" }).check();
  await dialog.getByRole("button", { name: "Add 2 clips" }).click();
  await expect(getCard(page, "two-frames.mp4")).toContainText("2 frames");
  await expect(getCard(page, "single-frame.mp4")).toContainText("1 frame");
});

test("two tabs stay in step", async ({ page, context }) => {
  await addClips(page, ["two-frames.mp4"]);
  const other = await context.newPage();
  await other.goto("/library");
  await expect(getCard(other, "two-frames.mp4")).toBeVisible();
  await dropFiles(page, [getClipPath("single-frame.mp4")]);
  await expect(getCard(other, "single-frame.mp4")).toContainText("1 frame");
  await getCard(other, "two-frames.mp4").getByRole("checkbox").check();
  await other.keyboard.press("Delete");
  await expect(getCard(page, "two-frames.mp4")).toBeHidden();
  await other.keyboard.press("Control+z");
  await expect(getCard(page, "two-frames.mp4")).toBeVisible();
});

test("an upload that a reload cut off goes on where it stood", async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), "sightline-upload-"));
  const file = join(folder, "long walk.mp4");
  writeFileSync(file, randomBytes(40 * 1024 * 1024));
  try {
    const offsets: number[] = [];
    let isCut = true;
    await page.route("**/uploads/**", async (route) => {
      const request = route.request();
      if (request.method() !== "PATCH") return route.continue();
      const offset = Number(request.headers()["upload-offset"]);
      offsets.push(offset);
      // The second piece never leaves the browser before the reload.
      if (isCut && offset > 0) return;
      await route.continue();
    });
    const choose = async () => {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: "Choose files…" }).click(),
      ]);
      await chooser.setFiles(file);
    };
    await choose();
    await expect.poll(() => offsets.length).toBe(2);
    await page.reload();
    isCut = false;
    offsets.length = 0;
    await choose();
    await expect(getCard(page, "long walk.mp4")).toBeVisible();
    expect(offsets[0]).toBeGreaterThanOrEqual(16 * 1024 * 1024);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("an upload can be paused, goes on, and can be given up", async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), "sightline-upload-"));
  const file = join(folder, "long walk.mp4");
  writeFileSync(file, randomBytes(40 * 1024 * 1024));
  try {
    let isHeld = true;
    await page.route("**/uploads/**", async (route) => {
      if (isHeld && route.request().method() === "PATCH") return;
      await route.continue();
    });
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Choose files…" }).click(),
    ]);
    await chooser.setFiles(file);
    const panel = page.getByRole("region", { name: "Files being added" });
    await panel.getByRole("button", { name: "Pause: long walk.mp4" }).click();
    await expect(panel).toContainText("Paused");
    isHeld = false;
    await panel.getByRole("button", { name: "Go on: long walk.mp4" }).click();
    await expect(getCard(page, "long walk.mp4")).toBeVisible();

    isHeld = true;
    const [again] = await Promise.all([
      page.waitForEvent("filechooser"),
      page
        .getByRole("button", { name: "Add clips" })
        .click()
        .then(() => page.getByRole("menuitem", { name: /From this computer/ }).click()),
    ]);
    await again.setFiles(getClipPath("cfr-30.mp4"));
    await panel.getByRole("button", { name: "Cancel: cfr-30.mp4" }).click();
    await expect(page.getByText("cfr-30.mp4")).toBeHidden();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("five thousand clips scroll to the last, and only what is in sight is drawn", async ({
  page,
  server,
}) => {
  test.slow();
  await addClips(page, ["two-frames.mp4"]);
  await server.kill();
  insertClips(server.dataDir, 5000);
  await server.restart();
  await page.goto("/library?sort=name");
  const cells = page.getByRole("gridcell");
  await expect(page.getByText("5\u202f001 clips")).toBeVisible();
  await expect(cells.first()).toContainText("clip 0001.mp4");
  expect(await cells.count()).toBeLessThan(80);
  await page.getByRole("grid").evaluate((grid) => grid.parentElement?.scrollTo(0, grid.scrollHeight));
  await expect(getCard(page, "two-frames.mp4")).toBeVisible();
  expect(await cells.count()).toBeLessThan(80);
  await page.getByRole("textbox", { name: "Filter clips" }).fill("clip 2500");
  await expect(cells).toHaveCount(1);
});

/** Copies the library's first clip under other ids, as a large library would have them. */
function insertClips(dataDir: string, count: number): void {
  const require = createRequire(join(import.meta.dirname, "../../server/package.json"));
  const Database = require("better-sqlite3") as new (
    path: string,
  ) => {
    prepare(sql: string): { run(...values: unknown[]): void; pluck(): { all(): string[] } };
    exec(sql: string): void;
    close(): void;
  };
  const db = new Database(join(dataDir, "sightline.db"));
  const columns = db.prepare("SELECT name FROM pragma_table_info('clips')").pluck().all();
  const values: Record<string, string> = { clip_id: "?", revision: "revision + ?", name: "?" };
  const insert = db.prepare(
    `INSERT INTO clips (${columns.join(", ")}) SELECT ${columns.map((name) => values[name] ?? name).join(", ")}
     FROM clips WHERE name = 'two-frames.mp4'`,
  );
  const order = columns.filter((name) => name in values);
  db.exec("BEGIN");
  for (let index = 1; index <= count; index += 1) {
    const given: Record<string, unknown> = {
      clip_id: index.toString(16).padStart(64, "0"),
      revision: index + 1000,
      name: `clip ${String(index).padStart(4, "0")}.mp4`,
    };
    insert.run(...order.map((name) => given[name]));
  }
  db.exec("COMMIT");
  db.close();
}
