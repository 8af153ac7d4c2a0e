import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findBrowserStart } from "./playback.ts";
import { writeProxy } from "./proxy.ts";
import { readFrames } from "./read-frames.ts";
import { scan } from "./scan.ts";
import { countTo, getFixture, readOrdinal, WHOLE } from "./testing/fixtures.ts";

const scratch = mkdtempSync(join(tmpdir(), "sightline-proxy-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const CLIPS = [
  ...WHOLE.filter(({ original, name }) => !original || /rotated|aspect|gap|late|full|single/.test(name)),
  { name: "damaged.mp4", codec: "h264" },
  { name: "truncated.mp4", codec: "h264" },
];

test.each(CLIPS)(
  "S01: the proxy of $name ($codec) has its frames, at its times, as a browser sees them",
  async ({ name }) => {
    const file = getFixture(name);
    const out = join(scratch, `${name}.mp4`);
    const original = await scan(file, { interval_secs: 1 });
    await writeProxy(file, original.index, out);

    const proxy = await scan(out, { interval_secs: 1 });
    expect(proxy.problem).toBeNull();
    expect(proxy.facts.codec).toBe("h264");
    expect(proxy.index.time_secs.length).toBe(original.index.time_secs.length);
    proxy.index.time_secs.forEach((time, ordinal) => {
      expect(time).toBeCloseTo(original.index.time_secs[ordinal] ?? Number.NaN, 9);
    });
    expect(proxy.index.first_time_secs).toBe(0);
    expect(await findBrowserStart(out, proxy.facts, proxy.index)).toBe(0);
    expect(proxy.facts.rotation).toBe(original.facts.rotation);
    expect(proxy.facts.pixel_aspect).toBeCloseTo(original.facts.pixel_aspect, 6);
    expect(proxy.facts.full_range).toBe(original.facts.full_range && original.facts.codec !== "gif");

    const all = countTo(proxy.index.time_secs.length);
    const strips = (path: string, { index }: typeof proxy) =>
      [...readFrames(path, index, all)].map(readOrdinal);
    if (original.problem === null) expect(strips(out, proxy)).toEqual(all);
    else expect(strips(out, proxy).filter((strip, k) => strip === k).length).toBeGreaterThan(5);
  },
);

test("a proxy can be entered every few frames", async () => {
  const out = join(scratch, "entries.mp4");
  const { index } = await scan(getFixture("hevc.mp4"), { interval_secs: 1 });
  await writeProxy(getFixture("hevc.mp4"), index, out);
  const keys = (await scan(out, { interval_secs: 1 })).index.key_frames;
  expect([...keys]).toEqual([0, 12, 24]);
});

test("a proxy that would not have the frames of the table is not kept", async () => {
  const out = join(scratch, "wrong.mp4");
  const { index } = await scan(getFixture("hevc.mp4"), { interval_secs: 1 });
  const wrong = { ...index, time_secs: index.time_secs.slice(0, 20) };
  await expect(writeProxy(getFixture("hevc.mp4"), wrong, out)).rejects.toThrow("25 frames");
  expect(existsSync(out)).toBe(false);
  expect(readdirSync(scratch).filter((name) => name.endsWith(".part"))).toEqual([]);
});
