import { getEntry } from "../media/read-frames.ts";
import type { FrameIndex } from "../media/scan.ts";

/** A part smaller than this is done before another process has opened the file. */
const LEAST_FRAMES = 24;

/**
 * Parts of a clip whose sampled frames can be decoded side by side: each begins at a key frame of the video that lies
 * after the last frame of the part before, so that no picture is decoded twice.
 *
 * @param ordinals  Sampled frames, strictly ascending.
 * @param most  How many parts there may be, from 1.
 * @param least  Frames of a part, at least.
 * @returns Parts that follow one another, nearly equal as far as key frames allow; one where the file can't be entered
 *   in the middle or is short.
 */
export function planParts(
  ordinals: readonly number[],
  index: Pick<FrameIndex, "key_frames" | "seekable">,
  most: number,
  least = LEAST_FRAMES,
): number[][] {
  const count = Math.min(most, Math.floor(ordinals.length / least));
  const parts: number[][] = [];
  let begin = 0;
  for (let n = 1; n < count; n++) {
    const cut = findCut(ordinals, index, Math.round((n * ordinals.length) / count));
    if (cut === null || cut - begin < least || ordinals.length - cut < least) continue;
    parts.push(ordinals.slice(begin, cut));
    begin = cut;
  }
  return [...parts, ordinals.slice(begin)];
}

/** The place nearest to the wanted one at which decoding can begin anew; null when there is none. */
function findCut(
  ordinals: readonly number[],
  index: Pick<FrameIndex, "key_frames" | "seekable">,
  wanted: number,
): number | null {
  const isCut = (at: number) => getEntry(index, ordinals[at] ?? 0) > (ordinals[at - 1] ?? Infinity);
  for (let off = 0; off < ordinals.length; off++) {
    if (isCut(wanted - off)) return wanted - off;
    if (isCut(wanted + off)) return wanted + off;
  }
  return null;
}
