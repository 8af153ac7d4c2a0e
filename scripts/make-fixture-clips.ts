/**
 * Makes the clips under fixtures/clips anew, with the video library that the product itself uses.
 *
 *   npx tsx scripts/make-fixture-clips.ts [--out DIR] [--only NAME]
 *
 * Pictures carry their ordinal as a strip along the top edge, which a test reads back off whatever shows them:
 * `readOrdinalStrip` in @sightline/core/testing, where the layout is described. Pictures that must never be shown carry
 * ordinals from 4000 on. What each whole clip must show stands in fixtures/clips/clips.json, written by hand. `stepping-2000` is long and made only when asked for by name.
 */
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  AV_PIX_FMT_RGB8,
  AV_PIX_FMT_YUV420P10LE,
  AV_PIX_FMT_YUVJ420P,
  AVCOL_RANGE_JPEG,
  FF_ENCODER_GIF,
  FF_ENCODER_LIBSVTAV1,
  FF_ENCODER_LIBVPX_VP8,
  FF_ENCODER_LIBVPX_VP9,
  FF_ENCODER_LIBX265,
  FF_ENCODER_MJPEG,
  FF_ENCODER_MPEG4,
} from "../apps/server/src/media/testing/encoders.ts";
import {
  type Picture,
  type Scene,
  type TestClip,
  writeClip,
} from "../apps/server/src/media/testing/write-clip.ts";

const X264 = { preset: "veryfast", crf: "27", "x264-params": "scenecut=0" };

const slabs = (seed: number, x: number, y = 0): Scene => ({ kind: "slabs", seed, x, y });

/** A camera that moves right by `step` pixels a picture, at an even rate. */
function pan(count: number, duration: number, { seed = 1, step = 4, first = 0 } = {}): Picture[] {
  return Array.from({ length: count }, (_, ordinal) => ({
    pts: first + ordinal * duration,
    duration,
    ordinal,
    scene: slabs(seed, ordinal * step),
  }));
}

/** The same at the given times; the last picture stays for `last`. */
function panAt(times: number[], last: number): Picture[] {
  return times.map((pts, ordinal) => ({
    pts,
    duration: (times[ordinal + 1] ?? pts + last) - pts,
    ordinal,
    scene: slabs(2, ordinal * 12),
  }));
}

/** Lets the first pictures say that they are not to be seen, and counts from the one after them. */
function hide(count: number, pictures: Picture[]): Picture[] {
  return pictures.map((picture, place) => ({
    ...picture,
    ordinal: place < count ? 4000 + place : place - count,
  }));
}

const clips: Record<string, { ending: string; clip: () => TestClip; after?: (file: string) => void }> = {
  "cfr-30": { ending: "mp4", clip: () => ({ pictures: pan(60, 1), tick: { num: 1, den: 30 } }) },
  "ntsc-29.97": { ending: "mp4", clip: () => ({ pictures: pan(95, 1001), tick: { num: 1, den: 30_000 } }) },
  "slow-0.5": { ending: "mp4", clip: () => ({ pictures: pan(4, 2000, { step: 60 }) }) },
  "vfr-gap": { ending: "mp4", clip: () => ({ pictures: panAt([0, 33, 67, 400, 433], 33) }) },
  "dropped-frames": {
    ending: "mp4",
    clip: () => ({
      pictures: panAt(
        Array.from({ length: 60 }, (_, k) => k).filter((k) => k % 7 !== 3 && (k < 20 || k > 38)),
        1,
      ),
      tick: { num: 1, den: 30 },
    }),
  },
  "b-frames": {
    ending: "mp4",
    clip: () => ({
      pictures: pan(50, 1),
      tick: { num: 1, den: 25 },
      gop: 25,
      b_frames: 3,
      encoder_options: { ...X264, "x264-params": "scenecut=0:b-adapt=0:b-pyramid=normal" },
    }),
  },
  // Entry points whose neighbours refer across them, and entry points that are whole only some pictures later.
  "open-gop": {
    ending: "mp4",
    clip: () => ({
      pictures: pan(60, 1, { seed: 8, step: 6 }),
      tick: { num: 1, den: 20 },
      b_frames: 3,
      encoder_options: { ...X264, "x264-params": "open-gop=1:scenecut=0:b-adapt=0:keyint=15" },
    }),
  },
  "intra-refresh": {
    ending: "mp4",
    clip: () => ({
      pictures: pan(60, 1, { seed: 8, step: 6 }),
      tick: { num: 1, den: 20 },
      encoder_options: { ...X264, "x264-params": "intra-refresh=1:keyint=15" },
    }),
  },
  // An edit list hides the first two coded pictures.
  "edit-list": {
    ending: "mp4",
    clip: () => ({ pictures: hide(2, pan(32, 512, { seed: 3 })), tick: { num: 1, den: 12_800 } }),
    after: (file) => shiftEditList(file, 2 * 512),
  },
  "edit-list-b-frames": {
    ending: "mp4",
    clip: () => ({
      pictures: hide(2, pan(32, 512, { seed: 3 })),
      tick: { num: 1, den: 12_800 },
      b_frames: 2,
    }),
    after: (file) => shiftEditList(file, 2 * 512),
  },
  // The edit list begins 13 ms into the first picture, which FFmpeg therefore doesn't show.
  "negative-start": {
    ending: "mp4",
    clip: () => ({
      pictures: hide(1, pan(31, 1000, { seed: 4 })),
      tick: { num: 1, den: 30_000 },
      b_frames: 2,
    }),
    after: (file) => shiftEditList(file, 390),
  },
  // A recorder that started its clock before the first picture.
  "late-start": {
    ending: "mkv",
    clip: () => ({ pictures: pan(30, 40, { seed: 4, first: 1480 }) }),
  },
  "rotated-90": {
    ending: "mp4",
    clip: () => ({ pictures: pan(20, 1), tick: { num: 1, den: 10 }, width: 256, height: 320, rotation: 90 }),
  },
  "rotated-180": {
    ending: "mp4",
    clip: () => ({ pictures: pan(20, 1), tick: { num: 1, den: 10 }, rotation: 180 }),
  },
  "rotated-270": {
    ending: "mov",
    clip: () => ({ pictures: pan(20, 1), tick: { num: 1, den: 10 }, width: 256, height: 320, rotation: 270 }),
  },
  "pixel-aspect-2-1": {
    ending: "mp4",
    clip: () => ({ pictures: pan(20, 1), tick: { num: 1, den: 10 }, pixel_aspect: 2 }),
  },
  "full-range": {
    ending: "mp4",
    clip: () => ({
      pictures: pan(12, 1),
      tick: { num: 1, den: 10 },
      format: AV_PIX_FMT_YUVJ420P,
      color_range: AVCOL_RANGE_JPEG,
    }),
  },
  "h264-10-bit": {
    ending: "mp4",
    clip: () => ({ pictures: pan(12, 1), tick: { num: 1, den: 10 }, format: AV_PIX_FMT_YUV420P10LE }),
  },
  hevc: {
    ending: "mp4",
    clip: () => ({
      pictures: pan(25, 1),
      tick: { num: 1, den: 5 },
      encoder: FF_ENCODER_LIBX265,
      b_frames: 2,
      encoder_options: { preset: "veryfast", crf: "30", "x265-params": "log-level=none:pools=1:info=0" },
    }),
  },
  "mpeg4-part2": {
    ending: "mp4",
    clip: () => ({
      pictures: pan(24, 1),
      tick: { num: 1, den: 12 },
      encoder: FF_ENCODER_MPEG4,
      b_frames: 1,
      encoder_options: { qmin: "6", qmax: "6" },
    }),
  },
  mjpeg: {
    ending: "avi",
    clip: () => ({
      pictures: pan(8, 1),
      tick: { num: 1, den: 8 },
      encoder: FF_ENCODER_MJPEG,
      format: AV_PIX_FMT_YUVJ420P,
      color_range: AVCOL_RANGE_JPEG,
      encoder_options: { qmin: "8", qmax: "8" },
    }),
  },
  "h264-in-avi": {
    ending: "avi",
    clip: () => ({ pictures: pan(24, 1), tick: { num: 1, den: 12 } }),
  },
  "transport-stream": {
    ending: "ts",
    clip: () => ({ pictures: pan(24, 3750), tick: { num: 1, den: 90_000 }, b_frames: 2 }),
  },
  fragmented: {
    ending: "mp4",
    clip: () => ({
      pictures: pan(24, 1),
      tick: { num: 1, den: 24 },
      b_frames: 2,
      container_options: { movflags: "frag_keyframe+empty_moov+default_base_moof" },
    }),
  },
  vp8: {
    ending: "webm",
    clip: () => ({
      pictures: pan(20, 50),
      encoder: FF_ENCODER_LIBVPX_VP8,
      encoder_options: { deadline: "realtime", "cpu-used": "8", crf: "20", b: "400k" },
    }),
  },
  vp9: {
    ending: "webm",
    clip: () => ({
      pictures: pan(20, 50),
      encoder: FF_ENCODER_LIBVPX_VP9,
      encoder_options: { deadline: "realtime", "cpu-used": "8", crf: "38", b: "0" },
    }),
  },
  av1: {
    ending: "mkv",
    clip: () => ({
      pictures: pan(20, 1),
      tick: { num: 1, den: 20 },
      encoder: FF_ENCODER_LIBSVTAV1,
      encoder_options: { preset: "12", crf: "45", "svtav1-params": "lp=1" },
    }),
  },
  gif: {
    ending: "gif",
    clip: () => ({
      pictures: panAt([0, 10, 25, 90, 100, 140], 10).map((picture) => ({
        ...picture,
        scene: { kind: "flat", luma: 120 },
      })),
      tick: { num: 1, den: 100 },
      encoder: FF_ENCODER_GIF,
      format: AV_PIX_FMT_RGB8,
      encoder_options: {},
    }),
  },
  // Case B48: nothing new is seen until the last of 25 pictures.
  "last-is-new": {
    ending: "mp4",
    clip: () => ({
      pictures: Array.from({ length: 25 }, (_, ordinal) => ({
        pts: ordinal,
        duration: 1,
        ordinal,
        scene: ordinal < 24 ? slabs(5, 0) : slabs(6, 3000),
      })),
      tick: { num: 1, den: 10 },
      gop: 250,
      b_frames: 3,
      encoder_options: X264,
    }),
  },
  "flat-colour": {
    ending: "mp4",
    clip: () => ({
      pictures: Array.from({ length: 40 }, (_, pts) => ({
        pts,
        duration: 1,
        ordinal: null,
        scene: { kind: "flat", luma: 130 },
      })),
      tick: { num: 1, den: 10 },
    }),
  },
  "one-black-frame": {
    ending: "mp4",
    clip: () => ({
      pictures: pan(50, 1, { seed: 7, step: 6 }).map((picture) =>
        picture.ordinal === 20 ? { ...picture, ordinal: null, scene: { kind: "flat", luma: 16 } } : picture,
      ),
      tick: { num: 1, den: 10 },
    }),
  },
  "single-frame": { ending: "mp4", clip: () => ({ pictures: pan(1, 40) }) },
  "two-frames": { ending: "mp4", clip: () => ({ pictures: pan(2, 40, { step: 200 }) }) },
  "odd-size": {
    ending: "gif",
    clip: () => ({
      pictures: panAt([0, 20, 40, 60], 20).map((picture) => ({
        ...picture,
        scene: { kind: "flat", luma: 90 },
      })),
      tick: { num: 1, den: 100 },
      scaled: { width: 323, height: 181 },
      encoder: FF_ENCODER_GIF,
      format: AV_PIX_FMT_RGB8,
      encoder_options: {},
    }),
  },
  // The index comes first, and the pictures end in the middle of the 15th.
  truncated: {
    ending: "mp4",
    clip: () => ({
      pictures: pan(25, 1),
      tick: { num: 1, den: 25 },
      container_options: { movflags: "+faststart" },
    }),
    after: (file) => truncateSync(file, Math.floor(readFileSync(file).length * 0.68)),
  },
  damaged: {
    ending: "mp4",
    clip: () => ({ pictures: pan(40, 1), tick: { num: 1, den: 25 }, gop: 40 }),
    after: (file) => scribble(file, 0.35, 900),
  },
  // The index would have come last.
  "no-index": {
    ending: "mp4",
    clip: () => ({ pictures: pan(10, 1), tick: { num: 1, den: 25 } }),
    after: (file) => truncateSync(file, Math.floor(readFileSync(file).length * 0.5)),
  },
  "stepping-2000": {
    ending: "mp4",
    clip: () => ({
      pictures: pan(2000, 1, { step: 2 }),
      tick: { num: 1, den: 30 },
      gop: 250,
      b_frames: 2,
    }),
  },
};

const ON_DEMAND = new Set(["stepping-2000"]);

/** Adds ticks of the media to the start of every entry of the edit list. */
function shiftEditList(file: string, ticks: number) {
  const bytes = readFileSync(file);
  const at = bytes.indexOf("elst", 0, "latin1");
  if (at < 0) throw new Error(`${file} has no edit list`);
  const mediaTime = at + 4 + 4 + 4 + 4;
  bytes.writeInt32BE(bytes.readInt32BE(mediaTime) + ticks, mediaTime);
  writeFileSync(file, bytes);
}

/** Overwrites a stretch of the file, as a bad sector would. */
function scribble(file: string, share: number, length: number) {
  const bytes = readFileSync(file);
  const from = Math.floor(bytes.length * share);
  for (let k = 0; k < length; k++) bytes[from + k] = (k * 89 + 41) & 0xff;
  writeFileSync(file, bytes);
}

/** A second of a 440 Hz tone as 16-bit PCM at 8 kHz. */
function makeTone(): Buffer {
  const rate = 8000;
  const data = Buffer.alloc(rate * 2);
  for (let k = 0; k < rate; k++)
    data.writeInt16LE(Math.round(9000 * Math.sin((2 * Math.PI * 440 * k) / rate)), k * 2);
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + data.length, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}

const others: Record<string, () => Buffer> = {
  "empty.mp4": () => Buffer.alloc(0),
  "text.mp4": () => Buffer.from("This is not a video.\nIt only has the name of one.\n".repeat(20)),
  "zeros.mp4": () => Buffer.alloc(4096),
  "audio-only.wav": makeTone,
};

const { values } = parseArgs({
  options: {
    out: { type: "string", default: join(import.meta.dirname, "..", "fixtures", "clips") },
    only: { type: "string" },
  },
});
mkdirSync(values.out, { recursive: true });
for (const [name, { ending, clip, after }] of Object.entries(clips)) {
  if (values.only === undefined ? ON_DEMAND.has(name) : values.only !== name) continue;
  const file = join(values.out, `${name}.${ending}`);
  rmSync(file, { force: true });
  writeClip(file, clip());
  after?.(file);
  console.log(file);
}
for (const [name, make] of Object.entries(others)) {
  if (values.only !== undefined) continue;
  writeFileSync(join(values.out, name), make());
}
