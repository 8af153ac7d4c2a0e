import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createDecoderPool } from "../media/decoder-pool.ts";
import { scan } from "../media/scan.ts";
import { getFixture } from "../media/testing/fixtures.ts";

const ROOT = join(import.meta.dirname, "../../../..");

const pool = createDecoderPool(1);
afterAll(() => pool.close());

async function detectIn(file: string, frames: number[], signal?: AbortSignal) {
  const { index } = await scan(file, { interval_secs: 1 });
  const done: number[] = [];
  const found = await pool.run(
    "detect",
    { file, index, frames },
    { lane: "background", onProgress: (count) => done.push(count), ...(signal && { signal }) },
  );
  return { found, done };
}

test("a sample clip shows two kinds of object or more in most of its frames", async () => {
  const frames = Array.from({ length: 16 }, (_, k) => k * 5);
  const { found, done } = await detectIn(join(ROOT, "fixtures/worlds/street-crossing-1.mp4"), frames);
  expect(found.map(({ frame }) => frame)).toEqual(frames);
  expect(done.length).toBeGreaterThan(0);
  const kinds = found.map(({ detections }) => new Set(detections.map(({ label }) => label)));
  expect(kinds.filter((labels) => labels.size >= 2).length).toBeGreaterThanOrEqual(10);
  expect(new Set(kinds.flatMap((labels) => [...labels]))).toEqual(
    new Set(["stop sign", "clock", "traffic light"]),
  );
  for (const { width, height, detections } of found) {
    expect([width, height]).toEqual([384, 288]);
    for (const { score, box } of detections) {
      expect(score).toBeGreaterThanOrEqual(0.4);
      expect(box[0] >= 0 && box[1] >= 0 && box[2] <= width && box[3] <= height).toBe(true);
    }
  }
});

test.each([
  "rotated-90.mp4",
  "hevc.mp4",
  "h264-10-bit.mp4",
  "full-range.mp4",
  "gif.gif",
  "odd-size.gif",
  "mjpeg.avi",
])("%s: its pictures can be looked at, upright", async (name) => {
  const { found } = await detectIn(getFixture(name), [1, 0, 1e6]);
  expect(found.map(({ frame }) => frame)).toEqual([0, 1]);
  const { facts } = await scan(getFixture(name), { interval_secs: 1 });
  const lies = facts.rotation === 90 || facts.rotation === 270;
  const { width, height } = found[0] ?? {};
  expect([width, height]).toEqual(
    lies ? [facts.coded_height, facts.coded_width] : [facts.coded_width, facts.coded_height],
  );
});

test("looking for objects can be cancelled", async () => {
  const frames = Array.from({ length: 70 }, (_, k) => k);
  const looking = detectIn(
    join(ROOT, "fixtures/worlds/street-crossing-1.mp4"),
    frames,
    AbortSignal.timeout(400),
  );
  await expect(looking).rejects.toThrow();
});

test("the model is the one that its notice speaks of", () => {
  const folder = join(ROOT, "models/centernet");
  const hash = createHash("sha256")
    .update(readFileSync(join(folder, "centernet.onnx")))
    .digest("hex");
  expect(readFileSync(join(folder, "NOTICE.md"), "utf8")).toContain(hash);
});
