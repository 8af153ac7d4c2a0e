import { getSampledFrames } from "../clips/index.ts";
import type { KeyFrameSettings } from "./types.ts";

/** A clip of 29.97 frames a second whose times were rounded to milliseconds must not come out as 29.9. */
const RATE_TOLERANCE = 0.02;

/**
 * The frames that the extractor looks at: the first, one every interval, and the last.
 *
 * @param time_secs  Times of the sample table, ascending; may be empty.
 * @returns 0-based ordinals, strictly ascending.
 */
export function sampleFrames(
  time_secs: readonly number[],
  settings: Pick<KeyFrameSettings, "sampling" | "interval_secs">,
): number[] {
  const { sampling, interval_secs } = settings;
  if (!(interval_secs > 0)) throw new RangeError(`interval_secs must be above 0, not ${interval_secs}`);
  const step = sampling === "released" ? getReleasedStep(time_secs) : null;
  if (step === null) return getSampledFrames(time_secs, interval_secs);
  const frames: number[] = [];
  for (let frame = 0; frame < time_secs.length; frame += step) frames.push(frame);
  const last = time_secs.length - 1;
  if (last >= 0 && frames.at(-1) !== last) frames.push(last);
  return frames;
}

/**
 * The step of the released extractor, in frames: the integer part of the average rate (29.97 gives 29).
 *
 * @returns Null below one frame a second, where the released code fails with a step of 0.
 */
export function getReleasedStep(time_secs: readonly number[]): number | null {
  const length_secs = (time_secs.at(-1) ?? 0) - (time_secs[0] ?? 0);
  if (length_secs <= 0) return 1;
  const rate = (time_secs.length - 1) / length_secs;
  const step = Math.floor(rate + RATE_TOLERANCE);
  return step < 1 ? null : step;
}
