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
 * close, the first of each stretch stands for the others. The very last picture may begin before its time, so that it
 * does not run out at the end of the strip.
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
  const slots = starts.flatMap(({ frame, x }, index): StripSlot[] => {
    const room = (starts[index + 1]?.x ?? Number.POSITIVE_INFINITY) - x - gap_px;
    const width = Math.min(full_px, room);
    return x + width < 0 ? [] : [{ frame, x, width }];
  });
  const last = slots.at(-1);
  if (last === undefined || last.frame !== frames.at(-1)?.frame) return slots;
  const { x: begin = 0, width: taken = 0 } = slots.at(-2) ?? {};
  // It shares the room that is left with the picture before it.
  const x = Math.max(scale.width - last.width, begin + Math.min(taken + gap_px, (scale.width - begin) / 2));
  if (x >= last.x || x - begin < least_px) return slots;
  return [
    ...slots.slice(0, -2),
    ...slots.slice(-2, -1).map((slot) => ({ ...slot, width: Math.min(slot.width, x - gap_px - slot.x) })),
    { ...last, x },
  ];
}
