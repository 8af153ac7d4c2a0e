import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createDecoderPool } from "../media/decoder-pool.ts";
import { readFrames } from "../media/read-frames.ts";
import { scan } from "../media/scan.ts";
import { type FieldRow, listField, printField, tryFile } from "./field.ts";
import { findShared } from "./shared.ts";

const shared = findShared();
const videos = shared === null ? "" : join(shared, "data", "videos");
const files = shared === null ? [] : listField(videos);
const EXPECTED = JSON.parse(
  readFileSync(join(import.meta.dirname, "expected-frames.json"), "utf8"),
) as Record<string, number>;

if (shared === null)
  console.warn("SKIPPED: the field of real clips; SIGHTLINE_SHARED names no folder that exists.");

/** FFmpeg's own count of decoded frames, where its tools are installed. */
function countByFfprobe(file: string): number | null {
  if (!["/usr/bin/ffprobe", "/usr/local/bin/ffprobe"].some((path) => existsSync(path))) return null;
  const args = [
    "-v",
    "quiet",
    "-select_streams",
    "v:0",
    "-count_frames",
    "-show_entries",
    "stream=nb_read_frames",
  ];
  const out = execFileSync("ffprobe", [...args, "-of", "csv=p=0", file], { encoding: "utf8" });
  return Number.parseInt(out, 10);
}

describe.skipIf(shared === null)("the field of real clips", () => {
  const pool = createDecoderPool(1);
  const rows: FieldRow[] = [];
  afterAll(() => {
    pool.close();
    console.log(`\n${printField(rows)}\n`);
  });

  test("every file is known to this test", () => {
    expect(files).toEqual(Object.keys(EXPECTED).sort());
  });

  test.each(files)("%s: as many frames as FFmpeg decodes, playable, and nothing crashes", async (file) => {
    const row = await tryFile(pool, videos, file);
    rows.push(row);
    expect(row.frames).toBe(EXPECTED[file]);
    expect(countByFfprobe(join(videos, file)) ?? EXPECTED[file]).toBe(EXPECTED[file]);
    expect(row.playback).not.toBe("none");
    expect(row.sampled).toBeGreaterThan(0);
    for (const count of [row.sightline, row.embodied_r]) {
      expect(count).toBeGreaterThanOrEqual(Math.min(4, row.sampled ?? 0));
      expect(count).toBeLessThanOrEqual(32);
    }
  });

  test("B41: the cursed clip has 63 frames at the container's own uneven times", async () => {
    const { index } = await scan(join(videos, "edge/mediabunny_cursed-vfr.mp4"), { interval_secs: 1 });
    expect(index.time_secs.length).toBe(63);
    const gaps = new Set(
      [...index.time_secs].map((time, k, all) => Math.round((time - (all[k - 1] ?? 0)) * 57_600)),
    );
    expect(gaps.size).toBeGreaterThan(10);
  });

  test("B42: an edit list hides what it hides", async () => {
    const { index } = await scan(join(videos, "edge/mediabunny_edts.mp4"), { interval_secs: 1 });
    expect(index.time_secs.length).toBe(225);
    expect(index.time_secs[1]).toBeCloseTo(0.04, 9);
  });

  test("B44: no count in the header, or a wrong one", async () => {
    const count = async (name: string) =>
      (await scan(join(videos, "edge", name), { interval_secs: 1 })).index.time_secs.length;
    expect(await count("mediabunny_frames.webm")).toBe(100);
    expect(await count("decord_flipping_a_pancake.mkv")).toBe(310);
  });

  test.each([
    ["decord_video_0.mov", 0, "568x320"],
    ["decord_video_90.mov", 90, "320x568"],
    ["decord_video_270.mov", 270, "320x568"],
    ["mediabunny_rotate-buck-bunny.mp4", 90, "1080x1920"],
    ["mediabunny_sar_2x1.mp4", 0, "1280x360"],
  ])("B45: %s is turned by %i and shown at %s", async (name, rotation, size) => {
    const { facts } = await scan(join(videos, "edge", name), { interval_secs: 1 });
    expect(facts.rotation).toBe(rotation);
    expect(`${facts.display_width}x${facts.display_height}`).toBe(size);
  });

  test("B46: a flat colour decodes to a flat plane", async () => {
    const file = join(videos, "edge/synthetic_flat_color.mp4");
    const { index } = await scan(file, { interval_secs: 1 });
    const [frame] = readFrames(file, index, [75]);
    const values = new Set(frame?.data);
    expect(values.size).toBeLessThan(4);
  });

  test("S01: the official clips and robots' clips in HEVC and MPEG-4 Part 2 play through a proxy", () => {
    const proxied = rows.filter(({ playback }) => playback === "proxy").map(({ file }) => file);
    for (const name of [
      "AerialVLN_0_30BUDKLTXMTIKYKFIPPOXCMISXQE5S.mp4",
      "airscape_balloon_real_uav.mp4",
      "gnm_nate_walking.mp4",
    ]) {
      expect(proxied).toContain(name);
    }
  });
});
