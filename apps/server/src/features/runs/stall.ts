const KEPT = 64;

/** When the steps of one attempt arrived, by this server's clock. */
export type StepTimes = { last_step: number; times_secs: number[] };

/** Adds a step; one that is no newer than the last changes nothing. */
export function addStep(known: StepTimes | undefined, step: number, now_secs: number): StepTimes {
  if (known && step <= known.last_step) return known;
  return { last_step: step, times_secs: [...(known?.times_secs ?? []).slice(-KEPT), now_secs] };
}

/**
 * How long an attempt has been without a step, when that is far longer than its steps take.
 *
 * @param floor_secs  Never sooner than this: a checkpoint or an evaluation may take minutes.
 * @returns Seconds of silence, or null while nothing is amiss or too few steps were seen to know.
 */
export function stalledSecs(
  known: StepTimes | undefined,
  now_secs: number,
  floor_secs: number,
): number | null {
  const times = known?.times_secs ?? [];
  const last = times.at(-1);
  if (last === undefined || times.length < 3) return null;
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? time));
  const median = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
  const silence = now_secs - last;
  return silence > Math.max(10 * median, floor_secs) ? silence : null;
}
