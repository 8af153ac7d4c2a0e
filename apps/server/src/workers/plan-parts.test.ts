import { encodeFeatures, SIGHTLINE_SETTINGS, sampleFrames } from "@sightline/core/keyframes";
import { describe, expect, test } from "vitest";
import { scan } from "../media/scan.ts";
import { getFixture, WHOLE } from "../media/testing/fixtures.ts";
import { planParts } from "./plan-parts.ts";
import { describeInParts } from "./testing/describe-in-parts.ts";

const every = (step: number, end: number) => Array.from({ length: end / step }, (_, k) => k * step);
const index = (keys: number[], seekable = true) => ({ key_frames: Uint32Array.from(keys), seekable });

describe("parts of a clip", () => {
  test("follow one another, nearly equal, and begin at key frames that lie after the part before", () => {
    const ordinals = every(30, 9000);
    const keys = every(250, 9000);
    const parts = planParts(ordinals, index(keys), 4);
    expect(parts.flat()).toEqual(ordinals);
    expect(parts).toHaveLength(4);
    for (const [n, part] of parts.entries()) {
      expect(Math.abs(part.length - 75)).toBeLessThan(9);
      const before = parts[n - 1]?.at(-1) ?? -1;
      expect(keys.some((key) => key > before && key <= (part[0] ?? -1))).toBe(true);
    }
  });

  test("are one where nothing is won or the file can't be entered in the middle", () => {
    const ordinals = every(30, 9000);
    const keys = every(250, 9000);
    expect(planParts(ordinals, index(keys, false), 4)).toEqual([ordinals]);
    expect(planParts(ordinals, index([0]), 4)).toEqual([ordinals]);
    expect(planParts(ordinals, index(keys), 1)).toEqual([ordinals]);
    expect(planParts(ordinals.slice(0, 47), index(keys), 4)).toEqual([ordinals.slice(0, 47)]);
    expect(planParts([], index([]), 4)).toEqual([[]]);
  });

  test("are fewer where there are few key frames", () => {
    const ordinals = every(30, 9000);
    const parts = planParts(ordinals, index([0, 4000]), 4);
    expect(parts.flat()).toEqual(ordinals);
    expect(parts.map((part) => part[0])).toEqual([0, 4020]);
  });
});

test.each([...WHOLE.map(({ name }) => name), "damaged.mp4", "truncated.mp4"])(
  "%s: decoded in parts, every frame has the same features to the bit",
  async (name) => {
    const file = getFixture(name);
    const { index } = await scan(file, { interval_secs: 1 });
    const settings = { ...SIGHTLINE_SETTINGS, interval_secs: 0.2 };
    const ordinals = sampleFrames([...index.time_secs], settings);
    const whole = describeInParts(file, index, settings, [ordinals], 2);
    const parts = planParts(ordinals, index, 4, 1);
    expect(encodeFeatures(describeInParts(file, index, settings, parts, 1))).toEqual(encodeFeatures(whole));
  },
);

test("fixtures are among them that come in several parts", async () => {
  const { index } = await scan(getFixture("open-gop.mp4"), { interval_secs: 1 });
  const ordinals = sampleFrames([...index.time_secs], { ...SIGHTLINE_SETTINGS, interval_secs: 0.2 });
  expect(planParts(ordinals, index, 4, 1).length).toBeGreaterThan(1);
});
