import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { turnUpright } from "@sightline/core/keyframes";
import { readOrdinalStrip } from "@sightline/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeKeyFrameVideo } from "./key-frame-video.ts";
import { findBrowserStart } from "./playback.ts";
import { readFrames } from "./read-frames.ts";
import { scan } from "./scan.ts";
import { getFixture } from "./testing/fixtures.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sightline-key-frame-video-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const look = (file: string) => scan(file, { interval_secs: 1 });

/** The ordinals that the pictures of a video themselves say they have. */
async function readStrips(file: string): Promise<(number | null)[]> {
  const { index } = await look(file);
  return [...readFrames(file, index, [...index.time_secs.keys()])].map((plane) => {
    const { width, height, data } = turnUpright(plane);
    return readOrdinalStrip(width, height, (x, y) => data[y * width + x] ?? 0);
  });
}

test.each([
  "cfr-30.mp4",
  "b-frames.mp4",
  "vfr-gap.mp4",
  "rotated-90.mp4",
  "hevc.mp4",
  "pixel-aspect-2-1.mp4",
])("%s: the right pictures, upright, one a second, playable in a browser", async (name) => {
  const file = getFixture(name);
  const { index, facts } = await look(file);
  const last = index.time_secs.length - 1;
  const ordinals = [0, 1, Math.floor(last / 2), last];
  const out = join(folder, `${name}.mp4`);
  await writeKeyFrameVideo({ file, index, ordinals, pixel_aspect: facts.pixel_aspect, out });

  const made = await look(out);
  expect([...made.index.time_secs]).toEqual([0, 1, 2, 3]);
  expect(made.index.duration_secs).toBe(4);
  expect(made.facts).toMatchObject({ codec: "h264", rotation: 0, pixel_aspect: 1 });
  expect(made.facts.display_width).toBe(2 * Math.round(facts.display_width / 2));
  expect(made.facts.display_height).toBe(2 * Math.round(facts.display_height / 2));
  expect(await findBrowserStart(out, made.facts, made.index, () => {})).not.toBeNull();
  expect(await readStrips(out)).toEqual(ordinals);
});

test("the pictures are those of the clip, by more than 38 dB", async () => {
  const file = getFixture("cfr-30.mp4");
  const { index, facts } = await look(file);
  const ordinals = [0, 17, index.time_secs.length - 1];
  const out = join(folder, "likeness.mp4");
  await writeKeyFrameVideo({ file, index, ordinals, pixel_aspect: facts.pixel_aspect, out });
  const made = await look(out);
  const before = [...readFrames(file, index, ordinals)];
  const after = [...readFrames(out, made.index, [0, 1, 2])];
  for (const [at, plane] of before.entries()) {
    const other = after[at]?.data ?? new Uint8Array();
    expect(other.length).toBe(plane.data.length);
    const squares = plane.data.reduce((sum, luma, i) => sum + (luma - (other[i] ?? 0)) ** 2, 0);
    expect(10 * Math.log10(255 ** 2 / (squares / plane.data.length))).toBeGreaterThan(38);
  }
});

test("a frame that is not there leaves no file behind", async () => {
  const file = getFixture("two-frames.mp4");
  const { index } = await look(file);
  const out = join(folder, "missing.mp4");
  const args = { file, index, ordinals: [0, 1, 2], pixel_aspect: 1, out };
  await expect(writeKeyFrameVideo(args)).rejects.toThrow("Only 2 of 3 key-frames");
  expect([out, `${out}.part`].filter((path) => existsSync(path))).toEqual([]);
});
