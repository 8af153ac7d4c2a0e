import { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input } from "mediabunny";
import { createBreath } from "./breath.ts";
import type { VideoFacts } from "./probe.ts";
import type { FrameIndex } from "./scan.ts";

/** Codecs that a Chromium without licensed extras decodes, in FFmpeg's names. */
const BROWSER_CODECS = new Set(["h264", "vp8", "vp9", "av1"]);
const BROWSER_FORMATS = new Set(["yuv420p", "yuvj420p"]);

/** Half of the coarsest clock that a container of ours has (Matroska's millisecond). */
export const SAME_TIME_SECS = 0.0006;

/**
 * When a browser shows exactly the pictures of the sample table, given the file itself: the presentation time that it
 * sees for the first one, in seconds. Null when it needs a proxy.
 *
 * The player's own demuxer is asked: an edit list, a lost index or fields instead of pictures can make it see other
 * pictures than FFmpeg shows, and then ordinals would lie. It may count from another zero; that does no harm.
 */
export async function findBrowserStart(
  file: string,
  facts: VideoFacts,
  index: FrameIndex,
  onProgress?: (packets: number) => void,
): Promise<number | null> {
  if (!BROWSER_CODECS.has(facts.codec) || !BROWSER_FORMATS.has(facts.pixel_format ?? "")) return null;
  const times = await listBrowserTimes(file, index.time_secs.length, onProgress);
  const first = times?.[0];
  if (!times || first === undefined) return null;
  const agrees = times.every(
    (time, ordinal) => Math.abs(time - first - (index.time_secs[ordinal] ?? Number.NaN)) < SAME_TIME_SECS,
  );
  return agrees ? first : null;
}

/** Presentation times of the packets that mediabunny finds, ascending; null when they are not `count`, or it can't read the file. */
export async function listBrowserTimes(
  file: string,
  count: number,
  onProgress?: (packets: number) => void,
): Promise<number[] | null> {
  const input = new Input({ source: new FilePathSource(file), formats: ALL_FORMATS });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (!track) return null;
    const times: number[] = [];
    const breathe = createBreath(() => onProgress?.(times.length));
    for await (const packet of new EncodedPacketSink(track).packets(undefined, undefined, {
      metadataOnly: true,
    })) {
      if (times.length === count) return null;
      times.push(packet.timestamp);
      await breathe();
    }
    if (times.length !== count) return null;
    return times.sort((a, b) => a - b);
  } catch {
    // Whatever the reason, a proxy is the answer.
    return null;
  } finally {
    input.dispose();
  }
}
