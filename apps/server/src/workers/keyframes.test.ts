import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SIGHTLINE_SETTINGS, sampleFrames } from "@sightline/core/keyframes";
import { expect, test } from "vitest";
import { createDecoderPool } from "../media/decoder-pool.ts";
import { scan } from "../media/scan.ts";
import { getFixture } from "../media/testing/fixtures.ts";

test("comparing cached features is told of as decoding is, so that a long clip is not taken for stuck", async () => {
  const pool = createDecoderPool(1);
  const cache_dir = mkdtempSync(join(tmpdir(), "sightline-select-"));
  try {
    const file = getFixture("cfr-30.mp4");
    const { index } = await scan(file, { interval_secs: 1 });
    const settings = { ...SIGHTLINE_SETTINGS, interval_secs: 0.5 };
    const args = { clip_id: "a".repeat(64), file, index, settings, cache_dir };
    const first = await pool.run("keyframes", args, { lane: "background" });
    for (const name of readdirSync(cache_dir)) if (name.endsWith(".json")) rmSync(join(cache_dir, name));

    const told: number[] = [];
    const again = await pool.run("keyframes", args, {
      lane: "background",
      onProgress: (done) => told.push(done),
    });
    const total = sampleFrames([...index.time_secs], settings).length;
    expect(again).toEqual(first);
    expect(new Set(told)).toEqual(new Set([total]));
  } finally {
    pool.close();
    rmSync(cache_dir, { recursive: true });
  }
});
