import {
  type ExchangedFrame,
  ExchangeProblem,
  type FrameBase,
  type ReadClip,
  type ReadFrame,
} from "./types.ts";

/** The clip that key-frames are put on. */
export type Target = {
  clip_id: string;
  name: string;
  /** Of its sample table. */
  time_secs: readonly number[];
};

/** Key-frames of a file as frames of a clip. */
export type Placed = {
  frames: ExchangedFrame[];
  base: FrameBase;
  /** Who says so: the file or its format, the times that it gives, or the person who imports it. */
  base_from: "file" | "times" | "person";
};

/** A file that gives milliseconds is a match. */
const LEAST_TOLERANCE_SECS = 0.0006;

/**
 * Puts the key-frames of a file on the frames of a clip, all or none.
 *
 * Whether the file counts from 0 or from 1 is never guessed: the file says it, or its times fit only one of the two, or a
 * person says it. Times that contradict what is said are an error.
 *
 * @param stated  What a person says the file counts from; null when nobody was asked.
 * @throws ExchangeProblem that names the frame: another clip, beyond the end, twice, at another time.
 */
export function placeFrames(read: ReadClip, clip: Target, stated: FrameBase | null): Placed {
  if (read.clip_id !== null && read.clip_id !== clip.clip_id)
    throw new ExchangeProblem(
      `The file was made of another file of that name: its content hash is ${read.clip_id.slice(0, 12)} …, that of “${clip.name}” is ${clip.clip_id.slice(0, 12)} …`,
    );
  if (read.frame_count !== null && read.frame_count !== clip.time_secs.length)
    throw new ExchangeProblem(
      `The file speaks of a clip with ${read.frame_count} frames; “${clip.name}” has ${clip.time_secs.length}.`,
    );
  if (read.frames.length === 0) throw new ExchangeProblem("The file has no key-frame of this clip.");
  const { base, base_from } = findBase(read, clip, stated);
  const seen = new Map<number, ReadFrame>();
  for (const one of read.frames) {
    const frame = one.number - base;
    const last = clip.time_secs.length - 1 + base;
    if (frame < 0 || frame >= clip.time_secs.length)
      throw new ExchangeProblem(
        `${one.where}: frame ${one.number} is not in the clip, whose frames are ${base} to ${last}.`,
      );
    const twin = seen.get(frame);
    if (twin)
      throw new ExchangeProblem(`${one.where}: frame ${one.number} was given before (${twin.where}).`);
    if (!fits(one, base, clip.time_secs))
      throw new ExchangeProblem(
        `${one.where}: frame ${one.number} is said to be at ${one.time_secs} s; in this clip it is at ${clip.time_secs[frame]?.toFixed(3)} s. Is it the same clip, and does the file count from ${base}?`,
      );
    seen.set(frame, one);
  }
  const frames = [...seen]
    .sort(([a], [b]) => a - b)
    .map(([frame, { number: _n, where: _w, time_secs: _t, ...evidence }]) => ({
      frame,
      time_secs: clip.time_secs[frame] ?? 0,
      ...evidence,
      action_from: evidence.action_from === null ? null : evidence.action_from - base,
    }));
  return { frames, base, base_from };
}

function findBase(read: ReadClip, { time_secs }: Target, stated: FrameBase | null) {
  if (stated !== null && read.base !== null && stated !== read.base)
    throw new ExchangeProblem(`The file counts frames from ${read.base}, not from ${stated}.`);
  if (read.base !== null) return { base: read.base, base_from: "file" } as const;
  if (stated !== null) return { base: stated, base_from: "person" } as const;
  const timed = read.frames.filter((one) => one.time_secs !== null);
  const [first, second] = ([0, 1] as const).filter((base) =>
    timed.every((one) => fits(one, base, time_secs)),
  );
  if (timed.length > 0 && first !== undefined && second === undefined)
    return { base: first, base_from: "times" } as const;
  throw new BaseUnknown();
}

/** The file does not say whether its frames count from 0 or from 1, and nothing in it tells. */
export class BaseUnknown extends ExchangeProblem {
  constructor() {
    super("The file does not say whether its frames count from 0 or from 1. Say it, then import the file.");
  }
}

/** True unless the file gives the frame another time than the clip has it. */
function fits({ number, time_secs }: ReadFrame, base: FrameBase, times: readonly number[]): boolean {
  if (time_secs === null) return true;
  const frame = number - base;
  const time = times[frame];
  if (time === undefined) return false;
  const gap = Math.min(
    time - (times[frame - 1] ?? Number.NEGATIVE_INFINITY),
    (times[frame + 1] ?? Number.POSITIVE_INFINITY) - time,
  );
  return Math.abs(time - time_secs) <= Math.max(LEAST_TOLERANCE_SECS, gap / 4);
}
