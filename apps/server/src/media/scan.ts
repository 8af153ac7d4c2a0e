import {
  AV_FRAME_FLAG_CORRUPT,
  AV_NOPTS_VALUE,
  AV_PKT_FLAG_CORRUPT,
  AV_PKT_FLAG_DISCARD,
  AV_TIME_BASE,
  type FormatContext,
  type Frame,
  type Packet,
} from "node-av";
import { createBreath } from "./breath.ts";
import { createClock } from "./clock.ts";
import { isCutOff } from "./explain.ts";
import { openDecoder, openVideo, readPackets, type VideoInput } from "./open.ts";
import { probe, type VideoFacts } from "./probe.ts";
import { MediaProblem } from "./problem.ts";
import { createSampler } from "./sampler.ts";

/** Where every shown picture of a file lies, and how to reach it. */
export type FrameIndex = {
  /** Seconds from the first shown picture, strictly rising. */
  time_secs: Float64Array;
  /** Presentation time in ticks of the stream as the decoder reports it; unique when `seekable`. */
  ticks: Float64Array;
  /** Ordinals of pictures from which decoding can start, ascending. */
  key_frames: Uint32Array;
  /** False where times had to be mended or data is damaged; such a file is only read from its start. */
  seekable: boolean;
  /** Presentation time of the first picture in the container, in seconds. */
  first_time_secs: number;
  /** End of the last picture in seconds from the first; null when the container does not say. */
  duration_secs: number | null;
};

export type Scan = {
  facts: VideoFacts;
  index: FrameIndex;
  /** A sentence on what could not be read; null when all was. */
  problem: string | null;
};

/** A picture that lies on the sampling grid; `frame` is valid only until the callback returns. */
export type SampledPicture = { ordinal: number; time_secs: number; frame: Frame; facts: VideoFacts };

export type ScanOptions = {
  /** Seconds between sampled pictures. */
  interval_secs: number;
  /** Called once for every picture that core's `getSampledFrames` would choose, ascending, a little after it was decoded. */
  onSampled?: (picture: SampledPicture) => void;
  /** The file is damaged and is read anew from its start: what was handed out so far counts no more. */
  onAgain?: () => void;
  /** Bytes of the file that have been read, now and then. */
  onProgress?: (bytes: number) => void;
  /** Decoding threads. */
  threads?: number;
};

/** What a container's end may lie after the last picture's beginning to be that picture's end. */
const LONGEST_LAST_FRAME_SECS = 1;

/**
 * Decodes a file once, from its first packet to its last, and says which pictures it shows and when.
 *
 * The table comes from decoded pictures, never from header counts or rates: what an edit list cuts away is not in it,
 * and neither is what could not be decoded. A damaged file is decoded again by one thread: what several make of it
 * depends on which is first, and FFmpeg's own count is that of one.
 *
 * @throws MediaProblem when not one picture could be decoded.
 */
export async function scan(file: string, options: ScanOptions): Promise<Scan> {
  const threads = options.threads ?? 2;
  const first = await tryScan(file, options, threads);
  if (first) return first;
  options.onAgain?.();
  const second = await tryScan(file, options, 1);
  if (second) return second;
  throw new MediaProblem("The file holds a video, but not one of its frames could be decoded.");
}

/** @returns Null when not a frame came out, or, with several threads, as soon as data proves to be damaged. */
async function tryScan(file: string, options: ScanOptions, threads: number): Promise<Scan | null> {
  const input = openVideo(file);
  try {
    return await scanInput(file, input, options, threads);
  } finally {
    input.close();
  }
}

async function scanInput(
  file: string,
  input: VideoInput,
  options: ScanOptions,
  threads: number,
): Promise<Scan | null> {
  const facts = probe(input);
  const { num, den } = input.stream.timeBase;
  const clock = createClock(num / den);
  const sampler = createSampler(options.interval_secs, (ordinal, time_secs, frame) =>
    options.onSampled?.({ ordinal, time_secs, frame, facts }),
  );
  const decoder = openDecoder(input, threads);
  const keyTicks = new Set<number>();
  let faults = 0;
  let damaged = 0;
  let lastDuration = 0;
  const isSpoilt = () => threads > 1 && (faults > 0 || damaged > 0);

  const take = (frame: Frame) => {
    if (frame.decodeErrorFlags !== 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT) !== 0) damaged += 1;
    const pts = frame.bestEffortTimestamp;
    lastDuration = Number(frame.duration);
    const time_secs = clock.add(pts === AV_NOPTS_VALUE ? null : Number(pts), lastDuration);
    sampler.add(clock.count - 1, time_secs, frame);
  };

  let stopped: string | null = null;
  const noteEnd = (reason: string | null) => {
    stopped = reason;
  };
  try {
    let position = 0;
    const breathe = createBreath(() => options.onProgress?.(position));
    for (const packet of readPackets(input, noteEnd)) {
      if ((packet.flags & AV_PKT_FLAG_CORRUPT) !== 0) faults += 1;
      if (isEntry(packet)) keyTicks.add(Number(packet.pts));
      faults += decoder.decode(packet, take);
      if (isSpoilt()) return null;
      position = Math.max(position, Number(packet.pos));
      await breathe();
    }
    faults += decoder.decode(null, take);
    if (isSpoilt() || clock.count === 0) return null;
    sampler.end();
  } finally {
    sampler.close();
    decoder.close();
  }

  const index = clock.finish(lastDuration, keyTicks);
  // What a decoder makes up for lost data depends on what it saw before.
  if (faults > 0 || damaged > 0) index.seekable = false;
  index.duration_secs ??= findEnd(input.format, index);
  const promised = Number(input.stream.nbFrames);
  const problem = describeLoss({
    shown: clock.count,
    promised,
    damaged,
    cutOff: isCutOff(file),
    broken: faults > 0 || stopped !== null,
  });
  return { facts, index, problem };
}

function isEntry(packet: Packet): boolean {
  return packet.isKeyframe && packet.pts !== AV_NOPTS_VALUE && (packet.flags & AV_PKT_FLAG_DISCARD) === 0;
}

/** The end that the container claims, where it can be the last picture's: a sound track may go on for long. */
function findEnd(format: FormatContext, { time_secs, first_time_secs }: FrameIndex): number | null {
  const end = Number(format.duration) / AV_TIME_BASE - first_time_secs;
  const last = time_secs.at(-1) ?? 0;
  return end > last && end <= last + LONGEST_LAST_FRAME_SECS ? end : null;
}

type Loss = { shown: number; promised: number; damaged: number; cutOff: boolean; broken: boolean };

/** The sentence of a partly readable file; null when nothing was lost. */
function describeLoss({ shown, promised, damaged, cutOff, broken }: Loss): string | null {
  if (!cutOff && !broken && damaged === 0) return null;
  const rest = cutOff ? "the file was cut off" : "the rest is damaged";
  if (promised > shown) return `${shown} of ${promised} frames could be read; ${rest}.`;
  if (cutOff) return `The file was cut off; ${shown} frames could be read.`;
  if (damaged > 0) return `${damaged} of ${shown} frames are damaged and may show wrong pixels.`;
  return `Parts of the file are damaged; ${shown} frames could be read.`;
}
