import { dirname } from "node:path";
import type { Clip } from "@sightline/core/clips";
import { addFiles, openClip, query, waitForKeyFrames } from "./support/clip.ts";
import { getClipPath } from "./support/library.ts";
import { expect, test } from "./support/server.ts";

const WORLD = getClipPath("../worlds/room-turns-4.mp4");

test.beforeAll(() => {
  process.env.SIGHTLINE_FOLDERS = dirname(WORLD);
});

test("the field of view is read from a clip's turns, set by a person with the keyboard alone, and taken back", async ({
  page,
}) => {
  const [clip] = await addFiles(page, [WORLD]);
  if (clip === undefined) throw new Error("the clip was not added");
  const { clip_id } = clip;
  await waitForKeyFrames(page, clip_id);
  const getSet = async () => (await query<Clip>(page, "clips.get", { clip_id })).field_of_view_deg;

  await openClip(page, clip_id);
  const settings = page.getByRole("button", { name: "Key-frame settings" });
  await settings.focus();
  await page.keyboard.press("Enter");
  // The settings take the focus when they open.
  await expect(page.getByRole("textbox", { name: "Threshold" })).toBeFocused();
  const field = page.getByRole("textbox", { name: "Field of view" });
  await expect(page.getByText(/^Estimated: \d+° from the clip’s turns$/)).toBeVisible({ timeout: 60_000 });

  await field.focus();
  await page.keyboard.type("84");
  await page.keyboard.press("Enter");
  await expect(page.getByText(/^Set by a person; \d+° from the clip’s turns$/)).toBeVisible();
  // The offer to undo goes after a while, but not while it has the focus.
  const undo = page.getByRole("button", { name: "Undo" });
  await undo.focus();
  await expect.poll(getSet).toBe(84);
  await undo.press("Enter");
  await expect.poll(getSet).toBeNull();

  await page.reload();
  await settings.press("Enter");
  await field.fill("300");
  await field.press("Enter");
  await expect.poll(getSet).toBe(150);
  await field.fill("");
  await field.press("Enter");
  await expect.poll(getSet).toBeNull();
  await expect(page.getByText(/^Estimated: /)).toBeVisible();
});
