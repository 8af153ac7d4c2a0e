import { setTimeout } from "node:timers/promises";
import { expectAccessible } from "./support/axe.ts";
import { addClips, getCard } from "./support/library.ts";
import { expect, test } from "./support/server.ts";

test("Ctrl-K finds a page, a clip and a command", async ({ page }) => {
  const openSearch = async () => {
    await expect(page.getByRole("dialog", { name: "Search" })).toHaveCount(0);
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("textbox", { name: "Search" })).toBeFocused();
  };
  await addClips(page, ["two-frames.mp4"]);
  await openSearch();
  await page.keyboard.type("hos");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/hosts$/);
  await expect(page).toHaveTitle("Hosts · Sightline");

  await openSearch();
  await page.keyboard.type("two fra");
  await expect(page.getByRole("dialog")).toContainText("two-frames.mp4");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/clips\/[0-9a-f]{64}/);

  await openSearch();
  await page.keyboard.type("trash");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/library\?trash=true/);

  await openSearch();
  await page.keyboard.type("no such thing");
  await expect(page.getByText("Nothing is called “no such thing”")).toBeVisible();
});

test("the search loses nothing of a fast hand: what is typed before it is open, and Enter before its lists are there", async ({
  page,
}) => {
  await page.route(/hosts\.list/, async (route) => {
    await setTimeout(1500);
    await route.continue();
  });
  await expect(page.getByText("Drop video files here")).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("this mach");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/hosts\/local/);
});

test("? lists the keys of the page and those that work everywhere", async ({ page }) => {
  await addClips(page, ["two-frames.mp4"]);
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await expect(dialog.getByRole("heading", { name: "Library" })).toBeVisible();
  await expect(dialog).toContainText("Move to the trash");
  await expect(dialog).toContainText("Find anything");
  await page.keyboard.press("Delete");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("gridcell")).toHaveCount(1);
});

test("the colour scheme is chosen, stays, and follows the system when told to", async ({ page }) => {
  const root = page.locator("html");
  await page.emulateMedia({ colorScheme: "light" });
  await expect(root).toHaveAttribute("data-mantine-color-scheme", "light");
  await page.getByRole("button", { name: "Colour scheme" }).click();
  await page.getByRole("menuitem", { name: "Dark" }).click();
  await expect(root).toHaveAttribute("data-mantine-color-scheme", "dark");
  await page.reload();
  await expect(root).toHaveAttribute("data-mantine-color-scheme", "dark");
  await page.getByRole("button", { name: "Colour scheme" }).click();
  await page.getByRole("menuitem", { name: "As the system" }).click();
  await expect(root).toHaveAttribute("data-mantine-color-scheme", "light");
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(root).toHaveAttribute("data-mantine-color-scheme", "dark");
});

test("the rail narrows and stays narrow", async ({ page }) => {
  const rail = page.getByRole("navigation", { name: "Places" });
  const getWidth = async () => (await rail.boundingBox())?.width ?? 0;
  await expect.poll(getWidth).toBeGreaterThan(150);
  await page.getByRole("button", { name: "Narrow the rail" }).click();
  await expect.poll(getWidth).toBeLessThan(60);
  await page.reload();
  await expect(page.getByRole("link", { name: "Runs" })).toBeVisible();
  await expect.poll(getWidth).toBeLessThan(60);
});

test("an address that no page answers to says so and leads back", async ({ page }) => {
  await page.goto("/nowhere/at/all");
  await expect(page.getByText("There is no page at this address")).toBeVisible();
  await expect(page).toHaveTitle("Not found · Sightline");
  await page.getByRole("link", { name: "Open the library" }).click();
  await expect(page).toHaveURL(/\/library$/);
});

test("a mistyped view opens the page all the same", async ({ page }) => {
  await page.goto("/library?view=heap&sort=colour&trash=perhaps");
  await expect(page.getByText("Drop video files here")).toBeVisible();
});

test("a page that fails to load leaves the others alive", async ({ page }) => {
  let isBroken = true;
  await page.route(/\/assets\/settings-.*\.js/, (route) => (isBroken ? route.abort() : route.continue()));
  await page.getByRole("link", { name: "Settings" }).click();
  await expect(page.getByText("This page could not be shown")).toBeVisible();
  await page.getByRole("link", { name: "Hosts" }).click();
  await expect(page.getByRole("heading", { name: "This machine" })).toBeVisible();
  isBroken = false;
  await page.getByRole("link", { name: "Settings" }).click();
  await expect(page.getByRole("heading", { name: "Appearance" })).toBeVisible();
});

test("while the server is away that is said, and it is found again by itself", async ({ page, server }) => {
  await addClips(page, ["two-frames.mp4"]);
  await server.kill();
  const banner = page.getByText("The server is not answering.");
  await expect(banner).toBeVisible();
  await expect(page.getByRole("gridcell")).toHaveCount(1);
  await server.restart();
  await expect(banner).toBeHidden();
  await expect(page.getByRole("contentinfo")).toContainText("Connected");
});

test("five windows side by side are live together, though a browser has six connections for all of them", async ({
  page,
  context,
}) => {
  test.slow();
  await addClips(page, ["two-frames.mp4"]);
  const windows = [page];
  for (let index = 0; index < 4; index += 1) {
    const other = await context.newPage();
    await other.goto(index % 2 === 0 ? "/library" : "/runs");
    windows.push(other);
    await expect(other.getByRole("contentinfo")).toContainText("Connected");
  }
  const last = windows[3];
  if (last === undefined) throw new Error("There is no fourth window.");
  await getCard(last, "two-frames.mp4").getByRole("checkbox").check();
  await last.keyboard.press("Delete");
  await expect(getCard(page, "two-frames.mp4")).toBeHidden();
});

test("who is no longer admitted is told how to come in again", async ({ page, context, server }) => {
  await expect(page.getByText("Drop video files here")).toBeVisible();
  await context.clearCookies();
  await page.keyboard.press("Control+z");
  await expect(page.getByText("Open the printed URL again")).toBeVisible();
  await page.goto(`/enter?token=${server.token}`);
  await expect(page.getByText("Drop video files here")).toBeVisible();
});

test("work that goes on is in the tray of every page", async ({ page }) => {
  await page.route("**/uploads/**", async (route) => {
    if (route.request().method() !== "PATCH") await route.continue();
  });
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Choose files…" }).click(),
  ]);
  await chooser.setFiles({ name: "walk.mp4", mimeType: "video/mp4", buffer: Buffer.alloc(5_000_000, 7) });
  await page.getByRole("link", { name: "Settings" }).click();
  await page
    .getByRole("contentinfo")
    .getByRole("button", { name: /Adding walk/ })
    .click();
  await page.getByRole("button", { name: "Pause: Adding walk.mp4" }).click();
  await expect(page.getByRole("contentinfo")).toContainText("Adding walk.mp4");
  await page.getByRole("button", { name: "Cancel: Adding walk.mp4" }).click();
  await expect(page.getByRole("contentinfo")).not.toContainText("walk.mp4");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`no page puts up a barrier in the ${colorScheme} scheme`, async ({ page }) => {
    test.slow();
    await page.emulateMedia({ colorScheme });
    await expect(page.getByText("Drop video files here")).toBeVisible();
    await expectAccessible(page, "the empty library");
    await addClips(page, ["two-frames.mp4", "text.mp4"]);
    await expectAccessible(page, "the library as cards");
    await getCard(page, "two-frames.mp4").getByRole("checkbox").check();
    await expectAccessible(page, "the library with a selection");
    await page.keyboard.press("t");
    await expect(page.getByRole("dialog")).toBeVisible();
    await expectAccessible(page, "the tags");
    for (const [address, text] of [
      ["/library?view=list", "Picture"],
      ["/library?trash=true", "The trash is empty"],
      ["/hosts", "More machines take more runs"],
      ["/settings", "Appearance"],
      ["/evaluate", "There is no question yet"],
      ["/nowhere", "There is no page"],
    ] as const) {
      await page.goto(address);
      await expect(page.getByText(text).first()).toBeVisible();
      await expectAccessible(page, address);
    }
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
    await expectAccessible(page, "the keys");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("dialog")).toContainText("Open the trash");
    await expectAccessible(page, "the search");
  });
}
