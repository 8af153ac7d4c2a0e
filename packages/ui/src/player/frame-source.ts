/** A decoded picture that is ready to be drawn, upright and in its true proportions. */
export type FramePicture = {
  /** 0-based ordinal in presentation order. */
  frame: number;
  /** True where the picture comes from the server because the browser could not decode the frame. */
  from_server: boolean;
  /** Draws the whole picture into a rectangle of canvas pixels. */
  draw(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): void;
};

/** What stands between the source and its pictures. */
export type FrameSourceStatus =
  | { state: "opening" }
  | { state: "ready" }
  /** The connection is down; the source goes on trying. */
  | { state: "unreachable" }
  /** No picture will come from this source; `problem` is a sentence with the reason. */
  | { state: "failed"; problem: string };

/**
 * The pictures of one clip by ordinal. The player draws them and does not know where they come from.
 *
 * The source owns its pictures: one from `get` or `nearest` may be drawn at once but not kept.
 */
export type FrameSource = {
  readonly frame_count: number;
  readonly status: FrameSourceStatus;
  /** The picture of exactly this frame, or null while it is not at hand. */
  get(frame: number): FramePicture | null;
  /** The picture at hand that is nearest to this frame, or null. */
  nearest(frame: number): FramePicture | null;
  /** Says where the eye is: this frame first, then its surroundings, more of them in the given direction. */
  want(frame: number, direction: 1 | -1): void;
  /** Why this frame has no picture of its own, in a sentence; null where all is well. */
  problemOf(frame: number): string | null;
  /** Calls back when a picture arrives, a frame turns out to be unreadable or the status changes. */
  subscribe(listener: () => void): () => void;
};
