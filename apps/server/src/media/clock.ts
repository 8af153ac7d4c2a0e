import type { FrameIndex } from "./scan.ts";

/** A time that falls back further than this begins a new stretch of the recording. */
const NEW_STRETCH_SECS = 1;

/** Gives every picture a time after the one before it, and notes where it had to mend. */
export function createClock(tickSecs: number) {
  const ticks: number[] = [];
  const times: number[] = [];
  let shift = 0;
  let mended = false;
  let last = 0;

  return {
    get count() {
      return ticks.length;
    },
    /** @returns Seconds from the first picture. */
    add(pts: number | null, duration: number): number {
      const before = times.length === 0 ? null : last;
      let at = pts === null ? (before ?? 0) + (before === null ? 0 : Math.max(1, duration)) : pts + shift;
      if (pts === null) mended = true;
      if (before !== null && at <= before) {
        mended = true;
        if (pts !== null && (before - at) * tickSecs > NEW_STRETCH_SECS) {
          shift = before + Math.max(1, duration) - pts;
          at = pts + shift;
        } else {
          at = before + 1;
        }
      }
      last = at;
      ticks.push(pts ?? at);
      times.push(at);
      return (at - (times[0] ?? at)) * tickSecs;
    },
    finish(lastDuration: number, keyTicks: Set<number>): FrameIndex {
      const first = times[0] ?? 0;
      const time_secs = Float64Array.from(times, (at) => (at - first) * tickSecs);
      const key_frames = mended
        ? []
        : [...ticks.keys()].filter((ordinal) => keyTicks.has(ticks[ordinal] ?? 0));
      return {
        time_secs,
        ticks: Float64Array.from(ticks),
        key_frames: Uint32Array.from(key_frames),
        seekable: !mended,
        first_time_secs: first * tickSecs,
        duration_secs: lastDuration > 0 ? (last + lastDuration - first) * tickSecs : null,
      };
    },
  };
}
