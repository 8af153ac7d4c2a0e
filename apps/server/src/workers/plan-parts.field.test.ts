import { readdirSync } from "node:fs";
import { join } from "node:path";
import { encodeFeatures, SIGHTLINE_SETTINGS, sampleFrames } from "@sightline/core/keyframes";
import { describe, expect, test } from "vitest";
import { findShared } from "../field/shared.ts";
import { scan } from "../media/scan.ts";
import { planParts } from "./plan-parts.ts";
import { describeInParts } from "./testing/describe-in-parts.ts";

const shared = findShared();
const videos = join(shared ?? "", "data/videos");

if (shared === null)
  console.warn("SKIPPED: handed clips in parts; SIGHTLINE_SHARED names no folder that exists.");

describe.skipIf(shared === null)("handed clips", () => {
  const names =
    shared === null
      ? []
      : (readdirSync(videos, { recursive: true }) as string[]).filter((name) =>
          /\.(mp4|mov|mkv|webm|avi)$/.test(name),
        );

  test("decoded in parts, every frame has the same features to the bit", { timeout: 300_000 }, async () => {
    let in_parts = 0;
    for (const name of names) {
      const file = join(videos, name);
      const { index } = await scan(file, { interval_secs: 1 });
      const ordinals = sampleFrames([...index.time_secs], SIGHTLINE_SETTINGS);
      const parts = planParts(ordinals, index, 3, 1);
      if (parts.length === 1) continue;
      in_parts += 1;
      const whole = describeInParts(file, index, SIGHTLINE_SETTINGS, [ordinals], 2);
      const joined = describeInParts(file, index, SIGHTLINE_SETTINGS, parts, 1);
      expect(Buffer.compare(encodeFeatures(joined), encodeFeatures(whole)), name).toBe(0);
    }
    console.log(`${in_parts} of ${names.length} clips come in several parts`);
    expect(in_parts).toBeGreaterThan(0);
  });
});
