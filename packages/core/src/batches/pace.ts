import type { Pace } from "./types.ts";

/** A clip that was worked through: when, and how long it plays; a refused one plays 0 s. */
export type Finished = { ended_secs: number; duration_secs: number };

/** What is left: the length of clips that have been read, and the number of those whose length nobody knows yet. */
export type Left = { clips: number; known_secs: number; unknown: number };

/** The pace is told from so many of the last clips. */
const RECENT = 30;
/** Fewer clips, or less time, tell nothing. */
const LEAST_CLIPS = 3;
const LEAST_SECS = 2;
/** What every clip costs whatever its length, as seconds of video. */
const CLIP_COST_SECS = 2;

/**
 * Tells how fast work goes and when it will be done, from what was finished last: clips weigh by how long they play, and
 * one that nobody has read yet weighs as much as the finished ones do on average.
 *
 * @param finished  In the order in which they ended; what was there already is not among them.
 * @param began_secs  When work began or went on, in UTC seconds.
 * @returns Null while there is too little to tell from.
 */
export function tellPace(
  finished: readonly Finished[],
  left: Left,
  began_secs: number,
  now_secs: number,
): Pace | null {
  const recent = finished.slice(-RECENT);
  const from_secs = finished.at(-RECENT - 1)?.ended_secs ?? began_secs;
  const took_secs = now_secs - from_secs;
  if (recent.length < LEAST_CLIPS || took_secs < LEAST_SECS) return null;
  const weight = recent.reduce((sum, { duration_secs }) => sum + CLIP_COST_SECS + duration_secs, 0);
  const left_weight =
    left.known_secs + CLIP_COST_SECS * (left.clips - left.unknown) + (weight / recent.length) * left.unknown;
  return {
    clips_per_minute: (60 * recent.length) / took_secs,
    left_secs: (left_weight * took_secs) / weight,
  };
}
