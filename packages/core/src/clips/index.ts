/** A way of turning the coded picture upright: degrees clockwise. */
export type Rotation = 0 | 90 | 180 | 270;

/**
 * reading: the server is still decoding it; ready: every frame was read; partial: some of it could not be read, and
 * `problem` says what was lost; refused: nothing in it can be shown, and `problem` says why.
 */
export type ClipState = "reading" | "ready" | "partial" | "refused";

/** One video file, as the library knows it. */
export type Clip = {
  /** SHA-256 of the file's bytes, lower-case hex. */
  clip_id: string;
  name: string;
  tags: string[];
  state: ClipState;
  /** A sentence for a person, or null when all is well. */
  problem: string | null;
  bytes: number;
  /** UTC seconds since the epoch. */
  added_secs: number;
  /** UTC seconds since the epoch; null while the clip is not in the trash. */
  trashed_secs: number | null;
  /** UTC seconds since the epoch, when the video was deleted with the trash; null while it is there. */
  emptied_secs: number | null;
  /** Codec in FFmpeg's name, for instance "h264"; null until the file has been read. */
  codec: string | null;
  /** Container in FFmpeg's names, for instance "mov,mp4,m4a,3gp,3g2,mj2"; null until read. */
  container: string | null;
  /** Upright display size in pixels, pixel aspect and rotation applied; null until read. */
  display_width: number | null;
  display_height: number | null;
  /** Size of the coded picture in pixels, before rotation and pixel aspect; null until read. */
  coded_width: number | null;
  coded_height: number | null;
  rotation: Rotation;
  /** Width of a coded pixel divided by its height. */
  pixel_aspect: number;
  /** Number of pictures that were decoded and are shown; null until read. */
  frame_count: number | null;
  /** From the first frame's start to the last frame's end, in seconds; null when the container does not say. */
  duration_secs: number | null;
  /** Horizontal field of view in degrees, as a person set it; null while nobody did. */
  field_of_view_deg: number | null;
  /** What a browser should play: the file itself, or a proxy with the same frames, or nothing yet. */
  playback: "original" | "proxy" | "none";
  /** Why the proxy could not be made; null when all is well. */
  playback_problem: string | null;
};

/**
 * The sample table of a clip: one entry per shown picture in presentation order.
 * `time_secs[0]` is 0; times rise strictly.
 */
export type SampleTable = {
  clip_id: string;
  /** Presentation time of each frame in seconds from the clip's start. */
  time_secs: number[];
  /**
   * Presentation time of frame 0 in the file that a browser plays (the original, or its proxy, where it is 0), in
   * seconds; may be negative. The time that the browser's demuxer gives a frame is time_secs + this.
   */
  first_time_secs: number;
};

/**
 * The frame on screen at a moment: the last one whose time is not after it.
 *
 * @param time_secs  Times of the sample table, ascending, not empty.
 * @param at_secs  Moment in seconds from the clip's start.
 * @returns 0-based ordinal; 0 for a moment before the first frame.
 */
export function getFrameAt(time_secs: readonly number[], at_secs: number): number {
  let low = 0;
  let high = time_secs.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((time_secs[middle] ?? Number.POSITIVE_INFINITY) <= at_secs) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The frames that an extractor looks at: the one on screen at every whole multiple of the interval, and the last.
 *
 * @param time_secs  Times of the sample table, ascending.
 * @param interval_secs  Seconds between sampled moments, above 0.
 * @returns Ordinals, ascending, each once; empty for an empty table.
 */
export function getSampledFrames(time_secs: readonly number[], interval_secs: number): number[] {
  const sampled: number[] = [];
  let next = 0;
  for (let frame = 1; frame < time_secs.length; frame++) {
    const time = time_secs[frame] ?? 0;
    if (time <= next * interval_secs + SAMPLING_SLACK_SECS) continue;
    sampled.push(frame - 1);
    while (next * interval_secs + SAMPLING_SLACK_SECS < time) next += 1;
  }
  const last = time_secs.length - 1;
  if (last >= 0 && sampled.at(-1) !== last) sampled.push(last);
  return sampled;
}

/** Multiples of an interval are not exact in binary: 100 × 0.29 is a hair below 29. */
export const SAMPLING_SLACK_SECS = 1e-6;

/** Where one piece of long work stands. */
export type Job = {
  job_id: string;
  kind:
    | "read"
    | "checkpoint"
    | "proxy"
    | "keyframes"
    | "batch"
    | "environment"
    | "prepare"
    | "perceive"
    | "export"
    | "ask"
    | "evaluate"
    | "questions"
    | "index"
    | "links"
    | "render"
    | "replay";
  /** What is being done, for a person: "Reading kitchen.mp4". */
  title: string;
  clip_id: string | null;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  done: number;
  /** Null while the amount of work is not known. */
  total: number | null;
  /** A sentence with what to do, when failed. */
  problem: string | null;
};
