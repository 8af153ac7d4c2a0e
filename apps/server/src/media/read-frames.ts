import type { LumaPlane } from "@sightline/core/keyframes";
import { AV_NOPTS_VALUE, AVSEEK_FLAG_BACKWARD, type Frame } from "node-av";
import { copyBgr } from "./convert.ts";
import { copyLuma, hasFullRange } from "./luma.ts";
import { openDecoder, openVideo, readPackets, type VideoInput } from "./open.ts";
import { probe, type VideoFacts } from "./probe.ts";
import type { FrameIndex } from "./scan.ts";

/** A frame that was asked for; its arrays own their buffers and can be transferred. */
export type ReadFrame = LumaPlane & {
  data: Uint8Array<ArrayBuffer>;
  /** width × height × 3 bytes as OpenCV's video reader gives them before it turns them; null unless asked for. */
  bgr: Uint8Array<ArrayBuffer> | null;
};

export type ReadFramesOptions = {
  /** Also hand out BGR. */
  bgr?: boolean;
  /** Decoding threads. */
  threads?: number;
};

/** Frames that one run of the decoder yields: it starts at a key frame and ends at the last target. */
export type Stretch = { start: number; targets: number[] };

/** A jump pays only when it skips more pictures than opening the decoder again costs. */
const JUMP_FRAMES = 12;

/** Groups wanted frames so that what lies between far-apart ones is not decoded. */
export function planStretches(ordinals: readonly number[], keyFrames: ArrayLike<number>): Stretch[] {
  const stretches: Stretch[] = [];
  let key = -1;
  for (const target of [...new Set(ordinals)].sort((a, b) => a - b)) {
    while (key + 1 < keyFrames.length && (keyFrames[key + 1] ?? 0) <= target) key += 1;
    const entry = key < 0 ? 0 : (keyFrames[key] ?? 0);
    const current = stretches.at(-1);
    if (current && entry - (current.targets.at(-1) ?? 0) <= JUMP_FRAMES) current.targets.push(target);
    else stretches.push({ start: entry, targets: [target] });
  }
  return stretches;
}

/** The ordinal from which decoding must start to reach a frame. */
export function getEntry(
  { key_frames, seekable }: Pick<FrameIndex, "key_frames" | "seekable">,
  ordinal: number,
): number {
  if (!seekable) return 0;
  let low = 0;
  let high = key_frames.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((key_frames[middle] ?? 0) <= ordinal) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : (key_frames[low - 1] ?? 0);
}

/**
 * Decodes chosen frames of a file and yields them in ascending order.
 *
 * Pictures that nobody asked for and nobody refers to are not decoded; the yielded ones are bit for bit those of a
 * full decode. Memory holds the few frames that one packet releases. Works in the calling thread.
 *
 * @param index  From `scan`; ordinals outside it are left out.
 */
export function* readFrames(
  file: string,
  index: FrameIndex,
  ordinals: readonly number[],
  options: ReadFramesOptions = {},
): Generator<ReadFrame, void, undefined> {
  for (const { ordinal, frame, facts } of readPictures(file, index, ordinals, options.threads ?? 2)) {
    yield {
      frame: ordinal,
      time_secs: index.time_secs[ordinal] ?? 0,
      width: frame.width,
      height: frame.height,
      rotation: facts.rotation,
      full_range: hasFullRange(frame),
      data: copyLuma(frame),
      bgr: options.bgr ? copyBgr(frame) : null,
    };
  }
}

/** The same as FFmpeg's frames, each valid until the next is taken. */
export function* readPictures(
  file: string,
  index: FrameIndex,
  ordinals: readonly number[],
  threads: number,
): Generator<{ ordinal: number; frame: Frame; facts: VideoFacts }, void, undefined> {
  const due = new Set(
    ordinals.filter((ordinal) => ordinal >= 0 && ordinal < index.time_secs.length).sort((a, b) => a - b),
  );
  if (due.size === 0) return;
  const input = openVideo(file);
  try {
    const facts = probe(input);
    if (index.seekable) {
      const ordinalOf = new Map(Array.from(index.ticks, (tick, ordinal) => [tick, ordinal]));
      for (const stretch of planStretches([...due], index.key_frames)) {
        for (const found of readStretch(input, index, stretch, ordinalOf, threads)) {
          due.delete(found.ordinal);
          yield { ...found, facts };
        }
        // A jump that went astray: what is left is counted from the start.
        if (stretch.targets.some((target) => due.has(target))) break;
      }
    }
    if (due.size > 0) for (const found of readFromStart(file, [...due])) yield { ...found, facts };
  } finally {
    input.close();
  }
}

type Found = { ordinal: number; frame: Frame };

/** Yields a stretch's targets in order, and ends before the first that does not come where it should. */
function* readStretch(
  input: VideoInput,
  index: FrameIndex,
  stretch: Stretch,
  ordinalOf: Map<number, number>,
  threads: number,
): Generator<Found, void, undefined> {
  if (stretch.start > 0) {
    const tick = BigInt(index.ticks[stretch.start] ?? 0);
    if (input.format.seekFrameSync(input.stream.index, tick, AVSEEK_FLAG_BACKWARD) < 0) return;
  }
  const decoder = openDecoder(input, threads);
  const targets = [...stretch.targets];
  const unfed = new Set(stretch.targets);
  const found: Found[] = [];
  let astray = false;
  const take = (frame: Frame) => {
    const ordinal = ordinalOf.get(Number(frame.bestEffortTimestamp));
    const target = targets[0];
    if (astray || ordinal === undefined || target === undefined || ordinal < target) return;
    if (ordinal > target) {
      astray = true;
      return;
    }
    targets.shift();
    const kept = frame.clone();
    if (kept) found.push({ ordinal, frame: kept });
  };
  try {
    for (const packet of readPackets(input)) {
      const ordinal = packet.pts === AV_NOPTS_VALUE ? undefined : ordinalOf.get(Number(packet.pts));
      const wanted = ordinal === undefined || unfed.delete(ordinal);
      decoder.setSkipping(!wanted);
      decoder.decode(packet, take);
      yield* release(found);
      if (astray || targets.length === 0 || unfed.size === 0) break;
    }
    decoder.decode(null, take);
    yield* release(found);
  } finally {
    for (const { frame } of found) frame.free();
    decoder.close();
  }
}

/**
 * Counts pictures from the first packet: for files whose times don't identify their frames. One thread, because
 * what stands in for lost data may hang on the order in which threads finish.
 */
function* readFromStart(file: string, ordinals: readonly number[]): Generator<Found, void, undefined> {
  const input = openVideo(file);
  const found: Found[] = [];
  try {
    const decoder = openDecoder(input, 1);
    try {
      const due = new Set(ordinals);
      let count = 0;
      const take = (frame: Frame) => {
        const ordinal = count++;
        if (!due.delete(ordinal)) return;
        const kept = frame.clone();
        if (kept) found.push({ ordinal, frame: kept });
      };
      for (const packet of readPackets(input)) {
        decoder.decode(packet, take);
        yield* release(found);
        if (due.size === 0) return;
      }
      decoder.decode(null, take);
      yield* release(found);
    } finally {
      decoder.close();
    }
  } finally {
    for (const { frame } of found) frame.free();
    input.close();
  }
}

function* release(found: Found[]): Generator<Found, void, undefined> {
  for (let next = found.shift(); next; next = found.shift()) {
    try {
      yield next;
    } finally {
      next.frame.free();
    }
  }
}
