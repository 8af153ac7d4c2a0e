import type { LumaPlane } from "@sightline/core/keyframes";
import {
  Input,
  type InputVideoTrack,
  MATROSKA,
  MP4,
  MPEG_TS,
  QTFF,
  UrlSource,
  type VideoSample,
  VideoSampleSink,
  WEBM,
} from "mediabunny";
import { expectedTimes, findOrdinal } from "../decode/match-table.ts";
import type { ClipSource } from "./messages.ts";

/**
 * Grey planes of chosen frames, as coded, in ascending order. Decoded here where the browser can do so bit for bit;
 * frames that it can't decode, and whole clips of which it would see a proxy, come from the server.
 *
 * @param ordinals  Ascending.
 * @throws Error when the server can't be reached. A frame that nobody can decode is left out.
 */
export async function* readLuma(
  clip: ClipSource,
  ordinals: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<LumaPlane, void, undefined> {
  const missing = clip.playback === "original" ? decodeHere(clip, ordinals, signal) : null;
  if (missing === null) {
    yield* fetchPlanes(clip, ordinals, signal);
    return;
  }
  for await (const { frame, plane } of missing) {
    if (plane !== null) yield plane;
    else yield* fetchPlanes(clip, [frame], signal);
  }
}

type Decoded = { frame: number; plane: LumaPlane | null };

async function* decodeHere(
  clip: ClipSource,
  ordinals: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<Decoded, void, undefined> {
  const input = new Input({
    source: new UrlSource(`/media/clips/${clip.clip_id}/original`),
    formats: [MP4, QTFF, MATROSKA, WEBM, MPEG_TS],
  });
  let next = 0;
  try {
    const track = await openTrack(input);
    if (track !== null) {
      const times = expectedTimes(clip.table);
      const samples = new VideoSampleSink(track).samplesAtTimestamps(
        ordinals.map((ordinal) => insideFrame(times, ordinal)),
      );
      for await (const sample of samples) {
        const frame = ordinals[next];
        if (frame === undefined) break;
        const plane = sample === null ? null : await readSample(sample, clip, times, frame);
        next += 1;
        yield { frame, plane };
        signal.throwIfAborted();
      }
    }
  } catch (error) {
    if (signal.aborted) throw error;
    // What this decoder choked on, the server's may still read.
    console.warn("Decoding in the browser stopped; the server decodes the rest.", error);
  } finally {
    input.dispose();
  }
  for (const frame of ordinals.slice(next)) yield { frame, plane: null };
}

async function openTrack(input: Input): Promise<InputVideoTrack | null> {
  const track = await input.getPrimaryVideoTrack();
  return track !== null && (await track.canDecode()) ? track : null;
}

/** A moment at which a frame is surely on screen: containers round times, so its very start may belong to the one before. */
function insideFrame(times: readonly number[], ordinal: number): number {
  const start = times[ordinal] ?? 0;
  const gap = (times[ordinal + 1] ?? start + 0.002) - start;
  return start + Math.min(0.001, gap / 2);
}

async function readSample(
  sample: VideoSample,
  clip: ClipSource,
  times: readonly number[],
  frame: number,
): Promise<LumaPlane | null> {
  try {
    if (findOrdinal(times, sample.timestamp) !== frame) return null;
    const picture = sample.toVideoFrame();
    try {
      const rect = picture.visibleRect;
      if (rect === null || picture.format === null || !/^(I4|NV12)/.test(picture.format)) return null;
      return {
        frame,
        time_secs: clip.table.time_secs[frame] ?? 0,
        width: rect.width,
        height: rect.height,
        data: await copyLuma(picture, rect),
        rotation: clip.rotation,
        full_range: picture.colorSpace.fullRange === true,
      };
    } finally {
      picture.close();
    }
  } finally {
    sample.close();
  }
}

/** The visible part of the Y plane, rows packed; 8 bits a sample. */
async function copyLuma(picture: VideoFrame, rect: DOMRectReadOnly): Promise<Uint8Array> {
  const { width, height } = rect;
  const bytes = new Uint8Array(picture.allocationSize({ rect }));
  const [luma] = await picture.copyTo(bytes, { rect });
  if (luma === undefined) throw new Error(`a picture of ${picture.format} came without planes`);
  if (luma.stride === width) return bytes.slice(luma.offset, luma.offset + width * height);
  const packed = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const row = luma.offset + y * luma.stride;
    packed.set(bytes.subarray(row, row + width), y * width);
  }
  return packed;
}

/** Planes asked for ahead of the one that is waited for. */
const AHEAD = 3;

async function* fetchPlanes(
  clip: ClipSource,
  ordinals: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<LumaPlane, void, undefined> {
  const asked: Promise<LumaPlane | null>[] = [];
  let next = 0;
  while (next < ordinals.length || asked.length > 0) {
    while (asked.length < AHEAD && next < ordinals.length) {
      const plane = fetchPlane(clip, ordinals[next] as number, signal);
      // Awaited in its turn; until then a failure must not count as unhandled.
      plane.catch(() => undefined);
      asked.push(plane);
      next += 1;
    }
    const plane = await asked.shift();
    if (plane) yield plane;
  }
}

async function fetchPlane(clip: ClipSource, frame: number, signal: AbortSignal): Promise<LumaPlane | null> {
  const response = await fetch(`/media/clips/${clip.clip_id}/luma/${frame}`, { signal });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`The server answered ${response.status} for frame ${frame}.`);
  const number = (header: string): number => Number(response.headers.get(header));
  return {
    frame,
    time_secs: clip.table.time_secs[frame] ?? 0,
    width: number("x-width"),
    height: number("x-height"),
    data: new Uint8Array(await response.arrayBuffer()),
    rotation: clip.rotation,
    full_range: response.headers.get("x-full-range") === "1",
  };
}
