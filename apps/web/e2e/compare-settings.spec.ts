import { join } from "node:path";
import type { Page } from "@playwright/test";
import {
  countAgreement,
  type KeyFrameSelection,
  pairFrames,
  SIGHTLINE_SETTINGS,
} from "@sightline/core/keyframes";
import { expectAccessible } from "./support/axe.ts";
import { addFiles, query } from "./support/clip.ts";
import { expect, test } from "./support/server.ts";

const FIXTURES = join(import.meta.dirname, "../../../fixtures/clips");

test.beforeAll(() => {
  process.env.SIGHTLINE_FOLDERS = FIXTURES;
});

const few = { preset: "sightline", threshold: 0, interval: 0.1, least: 0 } as const;
const many = { preset: "sightline", threshold: 1, interval: 0.1, least: 0 } as const;

const toSettings = ({ threshold }: { threshold: number }) => ({
  ...SIGHTLINE_SETTINGS,
  threshold,
  interval_secs: 0.1,
  min_frames: 0,
});

const getFrame = (page: Page) => Number(new URL(page.url()).searchParams.get("frame"));

test("two settings on one clip: counted, walked through by keyboard, a threshold dragged, swapped", async ({
  page,
}) => {
  const [clip] = await addFiles(page, [join(FIXTURES, "ntsc-29.97.mp4")]);
  const clip_id = clip?.clip_id ?? "";
  const ask = (settings: typeof few | typeof many) =>
    query<KeyFrameSelection>(page, "keyframes.get", { clip_id, settings: toSettings(settings) });
  const search = `a=${encodeURIComponent(JSON.stringify(few))}&b=${encodeURIComponent(JSON.stringify(many))}`;
  await page.goto(`/clips/${clip_id}/compare-settings?${search}`);
  for (const side of ["A", "B"]) {
    const track = page.getByRole("region", { name: `Key-frames of ${side}` });
    await track.getByRole("button", { name: "Select on the server" }).click();
    await expect(track.getByTestId("overlap-plot")).toBeVisible({ timeout: 60_000 });
  }

  const frames = pairFrames(await ask(few), await ask(many));
  const counted = countAgreement(frames);
  const different = frames.filter(({ kept }) => kept === "a" || kept === "b").map(({ frame }) => frame);
  expect(different.length).toBeGreaterThan(2);
  const agreement = page.getByTestId("agreement");
  for (const [label, value] of [
    ["kept by both", counted.both],
    ["by A alone", counted.only_a],
    ["by B alone", counted.only_b],
    ["by neither", counted.neither],
    ["Jaccard", counted.jaccard.toFixed(2)],
    ["within ±1 sampled frame", counted.jaccard_near.toFixed(2)],
  ] as const) {
    await expect(
      agreement.locator("div", { has: page.getByText(label, { exact: true }) }).locator("dd"),
    ).toHaveText(String(value));
  }
  await expect(page.getByText(`${different.length} differences`)).toBeVisible();

  // It stands on the first difference; N and P walk over them and stop at the ends.
  const current = page.getByTestId("current-frame");
  await expect(current).toContainText(`frame ${different[0]} ·`);
  await expect(current).toContainText("Kept");
  await expect(current).toContainText("Dropped");
  for (const frame of different.slice(1, 3)) {
    await page.keyboard.press("n");
    await expect(current).toContainText(`frame ${frame} ·`);
  }
  await expect.poll(() => getFrame(page)).toBe(different[2]);
  await page.keyboard.press("p");
  await expect(current).toContainText(`frame ${different[1]} ·`);
  await expectAccessible(page, "two settings compared");

  // The threshold of A goes up to that of B: the two agree, and the address says so.
  const threshold = page
    .getByRole("region", { name: "Key-frames of A" })
    .getByRole("slider", { name: "Overlap threshold" });
  await threshold.focus();
  await threshold.press("End");
  await expect(page.getByText("Both keep the same frames")).toBeVisible();
  await expect
    .poll(() => JSON.parse(new URL(page.url()).searchParams.get("a") ?? "{}") as { threshold?: number })
    .toMatchObject({ threshold: 1 });
  await threshold.press("Home");
  await expect(page.getByText(`${different.length} differences`)).toBeVisible();

  await page.getByRole("button", { name: "Swap the two settings" }).click();
  await expect(agreement.locator("div", { hasText: "by B alone" }).locator("dd")).toHaveText(
    String(counted.only_a),
  );
});

test("the clip's page leads there with its settings; a side that was never looked at is looked at in this browser", async ({
  page,
}) => {
  const [clip] = await addFiles(page, [join(FIXTURES, "cfr-30.mp4")]);
  await page.goto(`/clips/${clip?.clip_id}`);
  await page.getByRole("link", { name: "Compare with other settings" }).click();
  await expect(page).toHaveURL(/compare-settings/);
  const other = page.getByRole("region", { name: "Key-frames of B" });
  await expect(other).toContainText("never looked at under these settings");
  await other.getByRole("button", { name: "Select here" }).click();
  await expect(other.getByTestId("overlap-plot")).toBeVisible({ timeout: 90_000 });
  await expect(page.getByTestId("agreement").locator("dd").first()).toHaveText(/^\d+$/);
  await page.getByRole("link", { name: "To the clip" }).click();
  await expect(page).toHaveURL(/\/clips\/[0-9a-f]{64}\?frame=\d+$/);
});
