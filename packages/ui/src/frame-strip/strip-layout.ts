import type { HumanVerdict } from "../human-mark/index.tsx";
import type { TimeScale } from "../timeline/index.tsx";

/** One sampled frame on the strip. */
export type StripFrame = {
  /** Ordinal in the clip. */
  frame: number;
  time_secs: number;
  kept: boolean;
  /** What a person decided of it; null or absent when nobody did. */
  human?: HumanVerdict | null;
};

/** Where a picture stands; it is cropped to `width`, never scaled to it. */
export type StripSlot = { frame: number; x: number; width: number };

/**
 * Lays pictures along the time axis so that each begins at its own time and none covers the next. Where they stand too
 * close, the first of each stretch stands for the others.
 *
 * @param frames  In presentation order.
 * @param full_px  Width of an uncropped picture.
 * @param least_px  Narrower than this a picture shows nothing.
 * @param gap_px  Space between two pictures.
 */
export function layStrip(
  frames: readonly Pick<StripFrame, "frame" | "time_secs">[],
  scale: TimeScale,
  { full_px, least_px, gap_px }: { full_px: number; least_px: number; gap_px: number },
): StripSlot[] {
  const starts: { frame: number; x: number }[] = [];
  for (const { frame, time_secs } of frames) {
    const x = scale.toX(time_secs);
    if (x > scale.width) break;
    const before = starts.at(-1);
    if (before !== undefined && x - before.x < least_px + gap_px) continue;
    starts.push({ frame, x });
  }
  return starts.flatMap(({ frame, x }, index) => {
    const room = (starts[index + 1]?.x ?? Number.POSITIVE_INFINITY) - x - gap_px;
    const width = Math.min(full_px, room);
    return x + width < 0 ? [] : [{ frame, x, width }];
  });
}
