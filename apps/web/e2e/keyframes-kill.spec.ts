import { join } from "node:path";
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import { SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { addFiles, mutate, query } from "./support/clip.ts";
import { expect, test } from "./support/server.ts";

const FIXTURES = join(import.meta.dirname, "../../../fixtures/clips");

test.beforeAll(() => {
  process.env.SIGHTLINE_FOLDERS = FIXTURES;
});

test("an extraction cut off by kill -9 is finished by the next start", async ({ page, server }) => {
  const [clip] = await addFiles(page, [join(FIXTURES, "ntsc-29.97.mp4")]);
  if (clip === undefined) throw new Error("the fixture was not added");
  const input = { clip_id: clip.clip_id, settings: { ...SIGHTLINE_SETTINGS, interval_secs: 0.05 } };
  await mutate(page, "keyframes.extract", input);
  await server.kill();
  await server.restart();
  await page.goto("/");
  await expect
    .poll(() => query<KeyFrameSelection | null>(page, "keyframes.get", input), { timeout: 120_000 })
    .not.toBeNull();
  const selection = await query<KeyFrameSelection | null>(page, "keyframes.get", input);
  const ordinals = selection?.decisions.map(({ frame }) => frame) ?? [];
  expect(ordinals.length).toBeGreaterThan(50);
  expect(new Set(ordinals).size).toBe(ordinals.length);
});
