import { getFrameAt } from "../clips/index.ts";
import type { KeyFrameSettings } from "./types.ts";

/** Times of a sample table are sums of rationals; a frame this little after a moment is still on screen then. */
const TIME_TOLERANCE_SECS = 1e-6;

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
  if (time_secs.length === 0) return [];
  const step = settings.sampling === "released" ? getReleasedStep(time_secs) : null;
  const frames =
    step === null ? sampleByTime(time_secs, settings.interval_secs) : sampleByStep(time_secs, step);
  const last = time_secs.length - 1;
  if (frames.at(-1) !== last) frames.push(last);
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

function sampleByTime(time_secs: readonly number[], interval_secs: number): number[] {
  if (!(interval_secs > 0)) throw new RangeError(`interval_secs must be above 0, not ${interval_secs}`);
  const end_secs = time_secs.at(-1) ?? 0;
  const frames: number[] = [];
  for (let k = 0; ; k += 1) {
    const at_secs = k * interval_secs + TIME_TOLERANCE_SECS;
    const frame = getFrameAt(time_secs, at_secs);
    if (frame !== frames.at(-1)) frames.push(frame);
    if (at_secs >= end_secs) return frames;
  }
}

function sampleByStep(time_secs: readonly number[], step: number): number[] {
  const frames: number[] = [];
  for (let frame = 0; frame < time_secs.length; frame += step) frames.push(frame);
  return frames;
}
