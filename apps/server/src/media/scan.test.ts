import { copyFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getFrameAt, getSampledFrames } from "@sightline/core/clips";
import { afterAll, expect, test } from "vitest";
import { copyLuma } from "./luma.ts";
import { findBrowserStart } from "./playback.ts";
import { readFrames } from "./read-frames.ts";
import { type Scan, scan } from "./scan.ts";
import { countTo, getFixture, readOrdinal, WHOLE } from "./testing/fixtures.ts";

const scratch = mkdtempSync(join(tmpdir(), "sightline-scan-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const scanFixture = (name: string) => scan(getFixture(name), { interval_secs: 1 });
const times = (result: Scan) => [...result.index.time_secs].map((time) => Math.round(time * 1e6) / 1e6);

test.each(WHOLE)(
  "$name is read whole: codec, count, size, order",
  async ({ name, codec, frames, size, original }) => {
    const { facts, index, problem } = await scanFixture(name);
    expect(problem).toBeNull();
    expect(facts.codec).toBe(codec);
    expect(index.time_secs.length).toBe(frames);
    expect(`${facts.display_width}x${facts.display_height}`).toBe(size);
    expect(index.time_secs[0]).toBe(0);
    for (let k = 1; k < frames; k++) expect(index.time_secs[k]).toBeGreaterThan(index.time_secs[k - 1] ?? 0);

    const decoded = [...readFrames(getFixture(name), index, countTo(frames))];
    expect(decoded.map(readOrdinal)).toEqual(countTo(frames));
    expect((await findBrowserStart(getFixture(name), facts, index)) !== null).toBe(original);
  },
);

test.each(WHOLE)(
  "$name: the frames sampled while reading are those of core, with their pixels",
  async ({ name }) => {
    for (const interval_secs of [1, 0.29]) {
      const seen = new Map<number, Buffer>();
      const { index } = await scan(getFixture(name), {
        interval_secs,
        onSampled: ({ ordinal, frame }) => void seen.set(ordinal, Buffer.from(copyLuma(frame))),
      });
      const expected = getSampledFrames([...index.time_secs], interval_secs);
      expect([...seen.keys()]).toEqual(expected);
      for (const { frame, data } of readFrames(getFixture(name), index, expected)) {
        expect(seen.get(frame)?.equals(data)).toBe(true);
      }
    }
  },
);

test("B41: times of a clip with a gap are the container's, so the 4th frame is the picture at 400 ms", async () => {
  const result = await scanFixture("vfr-gap.mp4");
  expect(times(result)).toEqual([0, 0.033, 0.067, 0.4, 0.433]);
  expect(getFrameAt(times(result), 0.4)).toBe(3);
  const [fourth] = readFrames(getFixture("vfr-gap.mp4"), result.index, [3]);
  expect(fourth && readOrdinal(fourth)).toBe(3);
  expect(fourth?.time_secs).toBeCloseTo(0.4, 9);
  expect(result.index.duration_secs).toBeCloseTo(0.466, 9);
});

test("B41: dropped frames leave holes in the times, not in the numbering", async () => {
  const result = await scanFixture("dropped-frames.mp4");
  const kept = countTo(60).filter((k) => k % 7 !== 3 && (k < 20 || k > 38));
  expect(times(result)).toEqual(kept.map((k) => Math.round((k / 30) * 1e6) / 1e6));
});

test.each(["edit-list.mp4", "edit-list-b-frames.mp4"])(
  "B42: %s starts at the third coded picture",
  async (name) => {
    const result = await scanFixture(name);
    expect(times(result)).toEqual(countTo(30).map((k) => k / 25));
    const [first] = readFrames(getFixture(name), result.index, [0]);
    expect(first && readOrdinal(first)).toBe(0);
  },
);

test("B42: a clip that begins 13 ms before its time 0 counts from the first shown picture", async () => {
  const result = await scanFixture("negative-start.mp4");
  expect(times(result)).toEqual(countTo(30).map((k) => Math.round((k / 30) * 1e6) / 1e6));
});

test("B42: a clip whose clock does not start at 0 has its first frame at 0, and says where the container's was", async () => {
  const { facts, index } = await scanFixture("late-start.mkv");
  expect(index.time_secs[0]).toBe(0);
  expect(index.time_secs[29]).toBeCloseTo(29 * 0.04, 9);
  expect(index.first_time_secs).toBeCloseTo(1.48, 9);
  expect(await findBrowserStart(getFixture("late-start.mkv"), facts, index)).toBeCloseTo(1.48, 9);
});

test("B44: a container that gives no count, or an endless one, is counted by decoding", async () => {
  for (const name of ["vp9.webm", "transport-stream.ts", "fragmented.mp4"]) {
    expect((await scanFixture(name)).index.time_secs.length).toBe(
      WHOLE.find((one) => one.name === name)?.frames,
    );
  }
});

test.each([
  ["rotated-90.mp4", 90],
  ["rotated-180.mp4", 180],
  ["rotated-270.mov", 270],
])("B45: %s says how it is turned upright", async (name, rotation) => {
  const { facts } = await scanFixture(name);
  expect(facts.rotation).toBe(rotation);
  const lies = rotation !== 180;
  expect([facts.coded_width, facts.coded_height]).toEqual(lies ? [320, 256] : [320, 240]);
});

test("B45: pixel aspect widens the display, not the coded size", async () => {
  const { facts } = await scanFixture("pixel-aspect-2-1.mp4");
  expect(facts).toMatchObject({ coded_width: 320, display_width: 640, display_height: 240, pixel_aspect: 2 });
});

test("B48: the last of 25 pictures comes out of the decoder and is sampled", async () => {
  const sampled: number[] = [];
  const { index } = await scan(getFixture("last-is-new.mp4"), {
    interval_secs: 1,
    onSampled: ({ ordinal }) => void sampled.push(ordinal),
  });
  expect(index.time_secs.length).toBe(25);
  expect(sampled.at(-1)).toBe(24);
});

test("full range and depth are told apart", async () => {
  const one = async (name: string) => {
    const { index } = await scanFixture(name);
    const [frame] = readFrames(getFixture(name), index, [0]);
    const white = Math.max(...(frame?.data ?? []));
    return { full: frame?.full_range, white };
  };
  const full = await one("full-range.mp4");
  expect(full.full).toBe(true);
  expect(full.white).toBeGreaterThan(245);
  const limited = await one("cfr-30.mp4");
  expect(limited.full).toBe(false);
  expect(limited.white).toBeLessThan(245);
  const deep = await one("h264-10-bit.mp4");
  expect(deep.full).toBe(false);
  expect(Math.abs(deep.white - limited.white)).toBeLessThan(8);
});

test("a clip that was cut off is read as far as it goes, and says how far that is", async () => {
  const { index, problem } = await scanFixture("truncated.mp4");
  const frames = index.time_secs.length;
  expect(frames).toBeGreaterThan(5);
  expect(frames).toBeLessThan(25);
  expect(problem).toBe(`${frames} of 25 frames could be read; the file was cut off.`);
});

test("a damaged clip is read around the damage, the same at every reading", async () => {
  const { index, problem } = await scanFixture("damaged.mp4");
  expect(problem).toMatch(/^\d+ of 40 frames could be read; the rest is damaged\.$/);
  expect(index.seekable).toBe(false);
  const read = () =>
    [...readFrames(getFixture("damaged.mp4"), index, countTo(index.time_secs.length))].map(({ data }) =>
      Buffer.from(data).toString("base64"),
    );
  expect(read()).toEqual(read());
});

test.each([
  ["empty.mp4", "The file is empty."],
  ["zeros.mp4", "The file holds only zeros: the copy was probably never finished."],
  ["text.mp4", "This is a text file, not a video."],
  ["audio-only.wav", "The file has sound but no video."],
  [
    "no-index.mp4",
    "The file's index (moov) is missing: the recording or the copy was cut off before it was complete.",
  ],
])("%s is refused with the reason", async (name, words) => {
  await expect(scanFixture(name)).rejects.toThrow(words);
});

test("pictures, documents and playlists are refused by name", async () => {
  const refuse = async (name: string, bytes: Buffer | string, words: string) => {
    const file = join(scratch, name);
    writeFileSync(file, bytes);
    await expect(scan(file, { interval_secs: 1 })).rejects.toThrow(words);
  };
  await refuse(
    "a.mp4",
    Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
    "This is a PNG picture, not a video.",
  );
  await refuse("b.mp4", "%PDF-1.7\n%\xe2\xe3", "This is a PDF document, not a video.");
  await refuse(
    "c.mp4",
    "PK\x03\x04\x14\x00\x00\x00rest",
    "This is a ZIP archive or an office document, not a video.",
  );
  const target = getFixture("cfr-30.mp4");
  await refuse("d.m3u8", `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nfile://${target}\n`, "text file");
  await refuse("e.mp4", `ffconcat version 1.0\nfile '${target}'\n`, "text file");
  await refuse(
    "f.mp4",
    Buffer.from(countTo(5000).map((k) => (k * 97 + 13) & 0xff)),
    "No video could be found",
  );
});

test("a file cut at any point is either read in part or refused, and always says which", async () => {
  const name = "b-frames.mp4";
  for (const share of [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99]) {
    const file = join(scratch, `cut-${share}.mp4`);
    copyFileSync(getFixture(name), file);
    truncateSync(file, Math.floor(25_000 * share));
    await scan(file, { interval_secs: 1 }).then(
      ({ problem }) => expect(problem).toMatch(/frames/),
      (error: unknown) => expect((error as Error).message).toMatch(/\.$/),
    );
  }
});
