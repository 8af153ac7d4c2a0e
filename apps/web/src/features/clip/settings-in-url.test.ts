import { EMBODIED_R_SETTINGS, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { expect, test } from "vitest";
import { readSettings, writeSettings } from "./settings-in-url.ts";

test("a bare URL means the default preset", () => {
  expect(readSettings({})).toEqual(SIGHTLINE_SETTINGS);
  expect(readSettings({ preset: "embodied-r" })).toEqual(EMBODIED_R_SETTINGS);
});

test("settings go into the URL and come back", () => {
  const settings = { ...EMBODIED_R_SETTINGS, threshold: 0.42, min_frames: 6, max_frames: 20 };
  expect(readSettings(writeSettings(settings))).toEqual(settings);
});

test("what is as the preset has it takes no room in the URL", () => {
  expect(Object.values(writeSettings(SIGHTLINE_SETTINGS)).every((value) => value === undefined)).toBe(true);
});
