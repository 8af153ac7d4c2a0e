import { EMBODIED_R_SETTINGS, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { expect, test } from "vitest";
import { readSettings, writeSettings } from "./settings-in-url.ts";

const saved = { ...SIGHTLINE_SETTINGS, threshold: 0.42 };

test("a bare URL means the settings that were saved, a preset its own", () => {
  expect(readSettings({}, saved)).toEqual(saved);
  expect(readSettings({ preset: "sightline" }, saved)).toEqual(SIGHTLINE_SETTINGS);
  expect(readSettings({ preset: "embodied-r" }, saved)).toEqual(EMBODIED_R_SETTINGS);
});

test("settings go into the URL and come back", () => {
  const settings = { ...EMBODIED_R_SETTINGS, threshold: 0.3, min_frames: 6, max_frames: 20, gap_secs: 4 };
  expect(readSettings(writeSettings(settings), saved)).toEqual(settings);
});

test("what is as the preset has it takes no room in the URL", () => {
  const { preset, ...rest } = writeSettings(SIGHTLINE_SETTINGS);
  expect(preset).toBe("sightline");
  expect(Object.values(rest).every((value) => value === undefined)).toBe(true);
});
