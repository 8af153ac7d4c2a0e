import { readFileSync } from "node:fs";
import { validateStages } from "@sightline/core/schedules";
import { expect, test } from "vitest";
import { RUN_PRESETS } from "./presets.ts";

test("the trainer's tests build the presets that the page offers", () => {
  const table = JSON.parse(
    readFileSync(new URL("../../../../../fixtures/presets.json", import.meta.url), "utf8"),
  );
  const offered = RUN_PRESETS.filter(({ simulated }) => !simulated).map(
    ({ preset, engine, stages, settings }) => ({ preset, engine, stages, settings }),
  );
  expect(table).toEqual(offered);
});

test("every preset has stages that follow each other and a name of its own", () => {
  for (const { stages } of RUN_PRESETS) expect(validateStages(stages)).toEqual([]);
  expect(new Set(RUN_PRESETS.map(({ preset }) => preset)).size).toBe(RUN_PRESETS.length);
});
