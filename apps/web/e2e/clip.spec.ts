import { delimiter, dirname } from "node:path";
import type { Page } from "@playwright/test";
import type { Clip } from "@sightline/core/clips";
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import { expectAccessible } from "./support/axe.ts";
import { addFiles, expectFrame, openClip, query, readOrdinal, waitForKeyFrames } from "./support/clip.ts";
import { addClips, getCard, getClipPath } from "./support/library.ts";
import { expect, test } from "./support/server.ts";

const WORLD = getClipPath("../worlds/room-turns-4.mp4");

test.beforeAll(() => {
  process.env.SIGHTLINE_FOLDERS = [dirname(getClipPath("cfr-30.mp4")), dirname(WORLD)].join(delimiter);
});

/** Adds a clip and waits until the server has selected its key-frames. */
async function addWithKeyFrames(
  page: Page,
  file: string,
): Promise<{ clip: Clip; selection: KeyFrameSelection }> {
  const [clip] = await addFiles(page, [file]);
  if (clip === undefined) throw new Error(`${file} was not added`);
  const { clip_id } = clip;
  await waitForKeyFrames(page, clip_id);
  const selection = await query<KeyFrameSelection>(page, "keyframes.get", { clip_id });
  return { clip, selection };
}

const countKept = ({ decisions }: KeyFrameSelection) => decisions.filter(({ kept }) => kept).length;

function getFrameInUrl(page: Page): number {
  return Number(new URL(page.url()).searchParams.get("frame") ?? 0);
}

test("a clip is opened from the library and says why each frame was kept or dropped", async ({ page }) => {
  await addClips(page, ["cfr-30.mp4"]);
  await getCard(page, "cfr-30.mp4").getByRole("link").first().click();
  await expect(page).toHaveURL(/\/clips\/[0-9a-f]{64}/);
  await expectFrame(page, 0);
  expect(await readOrdinal(page)).toBe(0);

  const rows = page.getByTestId("decision");
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(0)).toContainText("Kept: first frame");
  await expect(rows.nth(1)).toContainText(/(Kept|Dropped): .*\d+ match/);
  await expect(page.getByTestId("kept-count")).toContainText("of 3 sampled frames");

  await page.keyboard.press("?");
  const headings = page.getByRole("dialog", { name: "Keys" }).getByRole("heading", { level: 3 });
  await expect(headings.first()).toBeVisible();
  const pages = await headings.allTextContents();
  expect(new Set(pages).size).toBe(pages.length);
});

test("player, strip, list and URL agree, and a reload lands on the same picture", async ({ page }) => {
  const { clip, selection } = await addWithKeyFrames(page, WORLD);
  await openClip(page, clip.clip_id);
  const [, second, third] = selection.decisions.map(({ frame }) => frame);
  if (second === undefined || third === undefined) throw new Error("the clip has too few sampled frames");

  await page.locator(`[data-testid=decision][data-frame="${third}"]`).click();
  await expectFrame(page, third);
  await expect(page).toHaveURL(new RegExp(`frame=${third}$`));
  await expect(page.locator(`[data-testid=decision][data-frame="${third}"]`)).toHaveAttribute(
    "aria-current",
    "true",
  );

  await page.reload();
  await expectFrame(page, third);
  await expect(page.locator(`[data-testid=decision][data-frame="${third}"]`)).toBeVisible();

  await page.keyboard.press("ArrowLeft");
  await expectFrame(page, second);
  await expect.poll(() => getFrameInUrl(page)).toBe(second);
  await page.keyboard.press("]");
  const next_kept = selection.decisions.find(({ frame, kept }) => kept && frame > second)?.frame ?? -1;
  await expectFrame(page, next_kept);
  await page.keyboard.press("End");
  await expectFrame(page, (clip.frame_count ?? 0) - 1);
  await page.keyboard.press("<");
  await page.keyboard.press("Home");
  await expectFrame(page, 0);

  const strip = page.locator(`[data-testid=key-frame][data-frame="${next_kept}"]`);
  await strip.click();
  await expectFrame(page, next_kept);
  await expect(strip).toHaveAttribute("data-here", "true");
});

test("clicks are steps in the history, scrubbing leaves one place", async ({ page }) => {
  const { clip, selection } = await addWithKeyFrames(page, WORLD);
  await openClip(page, clip.clip_id);
  const third = selection.decisions[2]?.frame ?? -1;
  await page.locator(`[data-testid=decision][data-frame="${third}"]`).click();
  await expectFrame(page, third);

  const ruler = await page.getByTestId("ruler").boundingBox();
  if (ruler === null) throw new Error("no ruler");
  await page.mouse.move(ruler.x + 10, ruler.y + 10);
  await page.mouse.down();
  for (let share = 0; share <= 0.6; share += 0.05) {
    await page.mouse.move(ruler.x + ruler.width * share, ruler.y + 10);
  }
  // A slow hand: it rests for longer than the address lags behind a clip that plays.
  await page.waitForTimeout(1200);
  await page.mouse.up();
  await expect.poll(() => getFrameInUrl(page)).toBeGreaterThan(third);
  const scrubbed = getFrameInUrl(page);
  await expectFrame(page, scrubbed);

  await page.goBack();
  await expectFrame(page, third);
  await page.goBack();
  await expectFrame(page, 0);
  await page.goForward();
  await expectFrame(page, third);
  await page.goForward();
  await expectFrame(page, scrubbed);
});

test("J, K and L play forwards and backwards at the clip's own times", async ({ page }) => {
  const { clip } = await addWithKeyFrames(page, WORLD);
  await openClip(page, clip.clip_id);
  await page.keyboard.press("l");
  await page.keyboard.press("l");
  await expect(page.getByTestId("rate")).toHaveText("2×");
  await expect.poll(() => getFrameInUrl(page)).toBeGreaterThan(10);
  await page.keyboard.press("k");
  await expectFrame(page, await waitUntilStopped(page));

  // Backwards it has the whole clip before it: it must not come to an end while it is looked at.
  await page.keyboard.press("End");
  const last = (clip.frame_count ?? 0) - 1;
  await expectFrame(page, last);
  await page.keyboard.press("j");
  await expect(page.getByTestId("rate")).toHaveText("−1×");
  await expect.poll(() => readShown(page)).toBeLessThan(last - 3);
  await page.keyboard.press("Space");
  const resting = await waitUntilStopped(page);
  await page.waitForTimeout(300);
  expect(await readShown(page)).toBe(resting);
});

/** The frame at which playing has stopped, once the address names it, too. */
async function waitUntilStopped(page: Page): Promise<number> {
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await expect.poll(async () => getFrameInUrl(page) === (await readShown(page))).toBe(true);
  return readShown(page);
}

async function readShown(page: Page): Promise<number> {
  const text = (await page.getByTestId("frame-number").textContent()) ?? "";
  return Number(text.replace("frame ", ""));
}

test("the threshold is tried by keyboard and by mouse, saved and taken back", async ({ page }) => {
  const { clip, selection } = await addWithKeyFrames(page, WORLD);
  await openClip(page, clip.clip_id);
  const count = page.getByTestId("kept-count");
  const trial = page.getByTestId("trial");
  await expect(count).toContainText(`${countKept(selection)} key-frames`);

  const threshold = page.getByTestId("threshold");
  await threshold.focus();
  for (let press = 0; press < 9; press += 1) await page.keyboard.press("PageUp");
  await expect(threshold).toHaveAttribute("aria-valuenow", "0.95");
  await expect(trial).toContainText("Preview of 0.95, saved is 0.50");
  const settings = { ...selection.settings, threshold: 0.95 };
  const expected = await query<KeyFrameSelection>(page, "keyframes.select", {
    clip_id: clip.clip_id,
    settings,
  });
  await expect(count).toContainText(`${countKept(expected)} key-frames`, { timeout: 60_000 });
  expect(countKept(expected)).toBeGreaterThan(countKept(selection));

  await page.getByRole("button", { name: "Reset" }).click();
  await expect(trial).toBeHidden();
  await expect(count).toContainText(`${countKept(selection)} key-frames`);

  // A number with a zero at its end is a number as any other.
  await page.getByRole("button", { name: "Key-frame settings" }).click();
  await page.getByRole("textbox", { name: "Threshold" }).fill("0.80");
  await expect(trial).toContainText("Preview of 0.80, saved is 0.50");
  await page.keyboard.press("Escape");
  // What is tried is in the address.
  await expect.poll(() => new URL(page.url()).searchParams.get("try")).toBe('{"threshold":0.8}');
  await page.reload();
  await expect(trial).toContainText("Preview of 0.80, saved is 0.50");
  await page.getByRole("button", { name: "Reset" }).click();
  await expect(trial).toBeHidden();

  const handle = await threshold.boundingBox();
  const plot = await page.getByTestId("overlap-plot").boundingBox();
  if (handle === null || plot === null) throw new Error("no plot");
  const x = handle.x + handle.width / 2;
  await page.mouse.move(x, handle.y + handle.height / 2);
  await page.mouse.down();
  for (let y = handle.y; y > plot.y; y -= 8) await page.mouse.move(x, y);
  await page.mouse.move(x, plot.y);
  await page.mouse.up();
  await expect(trial).toContainText("Preview of 1.00, saved is 0.50");

  await page.getByRole("button", { name: "Save" }).click();
  // Only what the server holds has versions.
  await expect(page.getByTestId("version")).toBeVisible({ timeout: 60_000 });
  await expect(trial).toBeHidden();
  await expect(threshold).toHaveAttribute("aria-valuenow", "1");
  await page.goto(`/clips/${clip.clip_id}`);
  await expect(threshold).toHaveAttribute("aria-valuenow", "1");

  await page.goto(`/clips/${clip.clip_id}?version=999999`);
  await expect(page.getByTestId("version-line")).toContainText("The link asked for version 999999");
  await page.getByRole("button", { name: "Newest" }).click();
  await expect(page).not.toHaveURL(/version=/);
  await expect(page.getByTestId("version-line")).not.toContainText("The link asked for");
});

test("another preset is selected here, and an interval by the server", async ({ page }) => {
  const { clip, selection } = await addWithKeyFrames(page, WORLD);
  await openClip(page, clip.clip_id);
  await page.getByText("embodied-r").click();
  await expect(page).toHaveURL(/preset=embodied-r/);
  await page.getByRole("button", { name: "Select here" }).click();
  await expect(page.getByTestId("kept-count")).toBeVisible({ timeout: 90_000 });
  await expect(page.getByTestId("trial")).toContainText("Selected here, not saved");

  await page.getByText("sightline", { exact: true }).click();
  await expect(page.getByTestId("kept-count")).toContainText(`${countKept(selection)} key-frames`);
  await page.getByRole("button", { name: "Key-frame settings" }).click();
  await page.getByRole("textbox", { name: "Every" }).fill("0.5");
  await page.getByRole("button", { name: "On the server" }).click();
  await expect(page.getByTestId("kept-count")).toContainText(
    `of ${selection.decisions.length * 2 - 1} sampled frames`,
    { timeout: 90_000 },
  );
  await expect(page).toHaveURL(/interval=0\.5/);
});

test("a link beyond the end shows the last frame and says so", async ({ page }) => {
  const { clip } = await addWithKeyFrames(page, getClipPath("vfr-gap.mp4"));
  await page.goto(`/clips/${clip.clip_id}?frame=999`);
  await expectFrame(page, 4);
  await expect(page.getByText("This clip ends at frame 4; the link asked for frame 999.")).toBeVisible();
  await page.keyboard.press(",");
  await expectFrame(page, 3);
  await expect(page.getByText("the link asked for")).toBeHidden();
});

test("an unknown, a refused and a damaged clip each say what there is to know", async ({ page }) => {
  await page.goto(`/clips/${"0".repeat(64)}`);
  await expect(page.getByRole("heading", { name: "There is no such clip" })).toBeVisible();

  const [refused, damaged] = await addFiles(page, ["text.mp4", "truncated.mp4"].map(getClipPath));
  await page.goto(`/clips/${refused?.clip_id}`);
  await expect(page.getByRole("heading", { name: "text.mp4 can't be shown" })).toBeVisible();
  await expect(page.getByText(refused?.problem ?? "–")).toBeVisible();

  await openClip(page, damaged?.clip_id ?? "", 3);
  expect(await readOrdinal(page)).toBe(3);
  await expect(page.getByRole("list", { name: "Notes on this clip" })).toContainText(damaged?.problem ?? "–");
});

test("S01: HEVC is shown exactly, from a copy with the same frames", async ({ page }) => {
  await page.goto("/library");
  const [clip] = await addFiles(page, [getClipPath("hevc.mp4")]);
  await openClip(page, clip?.clip_id ?? "", 7);
  expect(await readOrdinal(page)).toBe(7);
  await expect(page.getByText("The browser plays a copy of this clip with the same frames.")).toBeVisible();
});

test("a browser that can't decode is shown the server's pictures, and steps through them", async ({
  page,
}) => {
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, "VideoDecoder"));
  const { clip } = await addWithKeyFrames(page, getClipPath("b-frames.mp4"));
  await openClip(page, clip.clip_id, 7);
  await expect.poll(() => readOrdinal(page)).toBe(7);
  await page.keyboard.press(".");
  await expectFrame(page, 8);
  await expect.poll(() => readOrdinal(page)).toBe(8);
});

test("while the server is away what was decoded stays, and the rest comes back with it", async ({
  page,
  server,
}) => {
  const { clip } = await addWithKeyFrames(page, WORLD);
  await openClip(page, clip.clip_id);
  await page.keyboard.press(".");
  await expectFrame(page, 1);
  await page.keyboard.press(".");
  await expectFrame(page, 2);
  await page.keyboard.press(",");
  await expectFrame(page, 1);
  await server.kill();
  await page.keyboard.press(".");
  await expectFrame(page, 2);
  await server.restart();
  await page.reload();
  await expectFrame(page, 2);
  await page.keyboard.press("End");
  await expectFrame(page, (clip.frame_count ?? 0) - 1);
});

test("two tabs look at different frames of one clip", async ({ page, context }) => {
  const { clip } = await addWithKeyFrames(page, getClipPath("b-frames.mp4"));
  const other = await context.newPage();
  await openClip(page, clip.clip_id, 3);
  await openClip(other, clip.clip_id, 40);
  await page.bringToFront();
  await page.keyboard.press(".");
  await expectFrame(page, 4);
  expect(await readOrdinal(page)).toBe(4);
  await expectFrame(other, 40);
  expect(await readOrdinal(other)).toBe(40);
});

for (const scheme of ["light", "dark"] as const) {
  test(`the page has no barriers, ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    const { clip } = await addWithKeyFrames(page, WORLD);
    await openClip(page, clip.clip_id, 30);
    await expect(page.getByTestId("decision").first()).toBeVisible();
    await page.keyboard.press("b");
    await expectAccessible(page, "the clip's page");
    await page.getByRole("button", { name: "Key-frame settings" }).click();
    await expect(page.getByRole("dialog", { name: "Key-frame settings" })).toBeVisible();
    await expectAccessible(page, "the settings");
  });
}
