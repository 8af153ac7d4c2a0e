import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDecoderPool } from "./decoder-pool.ts";
import { readClip } from "./read-clip.ts";
import { getFixture } from "./testing/fixtures.ts";
import { mutate } from "./testing/mutate.ts";

/** With these bytes overwritten, the player's demuxer looks for the next cluster for ever. */
const ENDLESS = { name: "vp9.webm", seed: 1145 };

test("a file on which the player's demuxer never ends gets a proxy, and its frames are read all the same", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "sightline-endless-"));
  const pool = createDecoderPool(1);
  try {
    const file = join(scratch, ENDLESS.name);
    writeFileSync(file, mutate(readFileSync(getFixture(ENDLESS.name)), ENDLESS.seed));
    const read = (path: string) =>
      readClip(
        pool,
        { file: path, thumbs_dir: scratch, interval_secs: 1 },
        { lane: "background", silenceMs: 15_000 },
      );
    const { index, browser_start_secs } = await read(file);
    expect(index.time_secs.length).toBeGreaterThan(0);
    expect(browser_start_secs).toBeNull();
    expect((await read(getFixture("late-start.mkv"))).browser_start_secs).toBeCloseTo(1.48, 9);
    expect((await read(getFixture("truncated.mp4"))).browser_start_secs).toBeNull();
  } finally {
    pool.close();
    rmSync(scratch, { recursive: true, force: true });
  }
});
