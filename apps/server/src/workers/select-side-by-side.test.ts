import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getEvidenceHash, SIGHTLINE_SETTINGS, sampleFrames } from "@sightline/core/keyframes";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDecoderPool, type DecoderPool } from "../media/decoder-pool.ts";
import { scan } from "../media/scan.ts";
import { getFixture } from "../media/testing/fixtures.ts";
import { getEvidenceFiles } from "./keyframe-files.ts";
import { selectSideBySide } from "./select-side-by-side.ts";

const settings = { ...SIGHTLINE_SETTINGS, interval_secs: 0.04 };
const evidence_hash = getEvidenceHash(settings);

let scratch: string;
let pool: DecoderPool;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "sightline-parts-"));
  pool = createDecoderPool(2);
});
afterEach(() => {
  pool.close();
  rmSync(scratch, { recursive: true, force: true });
});

async function getArgs(folder: string) {
  const file = getFixture("open-gop.mp4");
  const { index } = await scan(file, { interval_secs: 1 });
  return { clip_id: "a".repeat(64), file, index, settings, cache_dir: join(scratch, folder) };
}

test("two processes find what one finds, and leave what one leaves", async () => {
  const one = await getArgs("one");
  const two = await getArgs("two");
  const alone = await pool.run("keyframes", one, { lane: "background" });
  const told: number[] = [];
  let begun = 0;
  const together = await selectSideBySide(pool, two, {
    onBegin: () => begun++,
    onProgress: (done) => told.push(done),
  });
  expect(together).toEqual(alone);
  expect(begun).toBe(1);
  expect(told).toEqual([...told].sort((a, b) => a - b));
  expect(told.at(-1)).toBe(sampleFrames([...two.index.time_secs], settings).length);
  expect(readdirSync(two.cache_dir).sort()).toEqual(readdirSync(one.cache_dir).sort());
  const getFeatures = ({ cache_dir }: typeof one) =>
    readFileSync(getEvidenceFiles(cache_dir, evidence_hash).features);
  expect(getFeatures(two)).toEqual(getFeatures(one));
});

test("cancelled in the middle it ends at once; begun again, it ends as ever", async () => {
  const args = await getArgs("cancelled");
  const cancelling = new AbortController();
  const cut = selectSideBySide(pool, args, {
    signal: cancelling.signal,
    onProgress: () => cancelling.abort(),
  });
  await expect(cut).rejects.toThrow();
  const again = await selectSideBySide(pool, args, {});
  expect(again).toEqual(await pool.run("keyframes", await getArgs("whole"), { lane: "background" }));
  expect(readdirSync(args.cache_dir).filter((name) => /features\.\d/.test(name))).toEqual([]);
});
