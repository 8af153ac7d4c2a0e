import { join } from "node:path";
import { turnUpright } from "@sightline/core/keyframes";
import { readOrdinalStrip } from "@sightline/core/testing";
import type { ReadFrame } from "../read-frames.ts";

const CLIPS = join(import.meta.dirname, "../../../../../fixtures/clips");

/** The path of a clip that scripts/make-fixture-clips.ts made. */
export const getFixture = (name: string) => join(CLIPS, name);

/** What a decoded frame says that it is. */
export function readOrdinal(frame: ReadFrame): number | null {
  const { width, height, data } = turnUpright(frame);
  return readOrdinalStrip(width, height, (x, y) => data[y * width + x] ?? 0);
}

export const countTo = (count: number) => Array.from({ length: count }, (_, ordinal) => ordinal);

/** Fixture clips that are whole, with what FFmpeg's own tools say of them. */
export const WHOLE: readonly {
  name: string;
  codec: string;
  frames: number;
  /** Upright, pixel aspect applied. */
  size?: string;
  /** False where a browser needs a proxy. */
  original?: boolean;
}[] = [
  { name: "cfr-30.mp4", codec: "h264", frames: 60 },
  { name: "ntsc-29.97.mp4", codec: "h264", frames: 95 },
  { name: "slow-0.5.mp4", codec: "h264", frames: 4 },
  { name: "vfr-gap.mp4", codec: "h264", frames: 5 },
  { name: "dropped-frames.mp4", codec: "h264", frames: 35 },
  { name: "b-frames.mp4", codec: "h264", frames: 50 },
  { name: "edit-list.mp4", codec: "h264", frames: 30, original: false },
  { name: "edit-list-b-frames.mp4", codec: "h264", frames: 30, original: false },
  { name: "negative-start.mp4", codec: "h264", frames: 30, original: false },
  { name: "late-start.mkv", codec: "h264", frames: 30 },
  { name: "rotated-90.mp4", codec: "h264", frames: 20, size: "256x320" },
  { name: "rotated-180.mp4", codec: "h264", frames: 20 },
  { name: "rotated-270.mov", codec: "h264", frames: 20, size: "256x320" },
  { name: "pixel-aspect-2-1.mp4", codec: "h264", frames: 20, size: "640x240" },
  { name: "full-range.mp4", codec: "h264", frames: 12 },
  { name: "h264-10-bit.mp4", codec: "h264", frames: 12, original: false },
  { name: "hevc.mp4", codec: "hevc", frames: 25, original: false },
  { name: "mpeg4-part2.mp4", codec: "mpeg4", frames: 24, original: false },
  { name: "mjpeg.avi", codec: "mjpeg", frames: 8, original: false },
  { name: "h264-in-avi.avi", codec: "h264", frames: 24, original: false },
  { name: "transport-stream.ts", codec: "h264", frames: 24 },
  { name: "fragmented.mp4", codec: "h264", frames: 24 },
  { name: "vp8.webm", codec: "vp8", frames: 20 },
  { name: "vp9.webm", codec: "vp9", frames: 20 },
  { name: "av1.mkv", codec: "av1", frames: 20 },
  { name: "gif.gif", codec: "gif", frames: 6, original: false },
  { name: "odd-size.gif", codec: "gif", frames: 4, size: "323x181", original: false },
  { name: "last-is-new.mp4", codec: "h264", frames: 25 },
  { name: "single-frame.mp4", codec: "h264", frames: 1 },
  { name: "two-frames.mp4", codec: "h264", frames: 2 },
];
