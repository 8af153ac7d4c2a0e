import { rename, rm } from "node:fs/promises";
import {
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
  AVCOL_RANGE_JPEG,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_SMPTE170M,
  AVCOL_SPC_UNSPECIFIED,
  type AVPixelFormat,
  FF_ENCODER_LIBX264,
  type Frame,
} from "node-av";
import { createBreath } from "./breath.ts";
import { type Converter, createConverter } from "./convert.ts";
import { hasFullRange } from "./luma.ts";
import { openDecoder, openVideo, readPackets } from "./open.ts";
import { listBrowserTimes, SAME_TIME_SECS } from "./playback.ts";
import { probe, type VideoFacts } from "./probe.ts";
import type { FrameIndex } from "./scan.ts";
import { openVideoWriter, type VideoWriter } from "./video-writer.ts";

/** Pictures between entry points: few, so that a step back decodes little. */
const GOP = 12;
/** x264's constant quality: pictures that can't be told from the original by eye. */
const QUALITY = "18";

/**
 * Writes an H.264 copy of a clip that a browser can decode, frame for frame: as many pictures as the sample table has,
 * at its times, from time 0, with the original's coded size, rotation and pixel aspect.
 *
 * No B-frames and no edit list, so that every demuxer sees the same times.
 *
 * @throws Error when the copy does not have the frames of the table; nothing is left behind then.
 */
export async function writeProxy(
  file: string,
  index: FrameIndex,
  out: string,
  onProgress?: (frames: number) => void,
): Promise<void> {
  const draft = `${out}.part`;
  await rm(draft, { force: true });
  try {
    await encode(file, index, draft, onProgress);
    await check(draft, index);
    await rename(draft, out);
  } finally {
    await rm(draft, { force: true });
  }
}

async function encode(
  file: string,
  index: FrameIndex,
  out: string,
  onProgress: ((frames: number) => void) | undefined,
) {
  const input = openVideo(file);
  const { num, den } = input.stream.timeBase;
  const ticks = Array.from(index.time_secs, (time) => Math.round((time * den) / num));
  const decoder = openDecoder(input, index.seekable ? 2 : 1);
  let sink: Sink | null = null;
  let count = 0;
  const take = (frame: Frame) => {
    const ordinal = count++;
    const pts = ticks[ordinal];
    if (pts === undefined) return;
    sink ??= openSink(out, frame, probe(input), { num, den }, getRate(index));
    const next = ticks[ordinal + 1] ?? getEnd(index, pts, { num, den });
    sink.write(frame, pts, Math.max(1, next - pts));
  };
  try {
    const breathe = createBreath(() => onProgress?.(count));
    for (const packet of readPackets(input)) {
      decoder.decode(packet, take);
      await breathe();
    }
    decoder.decode(null, take);
    (sink as Sink | null)?.finish();
  } finally {
    (sink as Sink | null)?.close();
    decoder.close();
    input.close();
  }
  if (count !== ticks.length) {
    throw new Error(`The second decode gave ${count} frames, the first ${ticks.length}.`);
  }
}

function getEnd(index: FrameIndex, pts: number, { num, den }: { num: number; den: number }): number {
  return index.duration_secs === null ? pts + 1 : Math.round((index.duration_secs * den) / num);
}

/** Pictures a second on average. */
function getRate(index: FrameIndex): number {
  const last = index.time_secs.at(-1) ?? 0;
  return last > 0 ? (index.time_secs.length - 1) / last : 1;
}

type Sink = {
  write(frame: Frame, pts: number, duration: number): void;
  finish(): void;
  close(): void;
};

function openSink(
  out: string,
  first: Frame,
  facts: VideoFacts,
  tick: { num: number; den: number },
  frame_rate: number,
): Sink {
  const is420 = first.format === AV_PIX_FMT_YUV420P || first.format === AV_PIX_FMT_YUVJ420P;
  const full = is420 && hasFullRange(first);
  const format = full ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUV420P;
  // 4:2:0 needs even sides.
  const width = first.width + (first.width % 2);
  const height = first.height + (first.height % 2);
  const isYuv = first.colorSpace !== AVCOL_SPC_UNSPECIFIED && facts.pixel_format?.startsWith("yuv") === true;
  const writer: VideoWriter = openVideoWriter(out, {
    container: "mp4",
    encoder: FF_ENCODER_LIBX264,
    width,
    height,
    format,
    tick,
    frame_rate,
    gop: GOP,
    b_frames: 0,
    rotation: facts.rotation,
    pixel_aspect: facts.pixel_aspect,
    color_range: full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG,
    ...(isYuv ? { color_space: first.colorSpace } : !is420 && { color_space: AVCOL_SPC_SMPTE170M }),
    encoder_options: { preset: "veryfast", crf: QUALITY },
    container_options: { movflags: "+faststart", use_editlist: "0" },
  });
  let converter: Converter | null = null;
  return {
    write(frame, pts, duration) {
      const fits =
        frame.width === width && frame.height === height && frame.format === (format as AVPixelFormat);
      if (!fits) converter ??= createConverter({ width, height, format });
      const picture = fits || !converter ? frame : converter.convert(frame);
      picture.pts = BigInt(pts);
      picture.duration = BigInt(duration);
      picture.pictType = AV_PICTURE_TYPE_NONE;
      writer.write(picture);
    },
    finish: writer.finish,
    close() {
      converter?.close();
      writer.close();
    },
  };
}

/** Asks the player's demuxer, so that a proxy that would lie is never served. */
async function check(file: string, index: FrameIndex) {
  const times = await listBrowserTimes(file, index.time_secs.length);
  const agrees = times?.every(
    (time, ordinal) => Math.abs(time - (index.time_secs[ordinal] ?? Number.NaN)) < SAME_TIME_SECS,
  );
  if (!agrees) throw new Error("The copy for the browser came out with other frames than the original.");
}
