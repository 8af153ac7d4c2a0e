import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import type { Motion } from "@sightline/core/motion";
import type { DetectArgs, DetectedFrame } from "../workers/detect.ts";
import type { FeaturesArgs, SelectArgs } from "../workers/keyframes.ts";
import type { MotionArgs } from "../workers/motions.ts";
import type { RenderArgs } from "../workers/render.ts";
import { type Cursor, openCursor } from "./cursor.ts";
import { drawJpeg } from "./jpeg.ts";
import { writeKeyFrameVideo } from "./key-frame-video.ts";
import { copyLuma, hasFullRange } from "./luma.ts";
import { findBrowserStart } from "./playback.ts";
import type { VideoFacts } from "./probe.ts";
import { writeProxy } from "./proxy.ts";
import { readPictures } from "./read-frames.ts";
import { type FrameIndex, type Scan, scan } from "./scan.ts";

/** Width at most of a filmstrip picture and of a poster, in pixels. */
export const FILMSTRIP_WIDTH = 320;
export const POSTER_WIDTH = 640;

export type Report = (done: number) => void;

/** Work on a file that runs in a decoder process; arguments and results are structured-cloneable. */
export const tasks = {
  /**
   * Decodes the whole file: its table, and JPEGs of the sampled frames as `<ordinal>.jpg` and `poster.jpg`; no pictures
   * where there is no folder for them.
   */
  async read(
    args: { file: string; thumbs_dir: string | null; interval_secs: number },
    report: Report,
  ): Promise<Scan> {
    const { file, thumbs_dir, interval_secs } = args;
    if (thumbs_dir === null) return scan(file, { interval_secs, onProgress: report });
    const written: string[] = [];
    const write = (name: string, jpeg: Buffer) => {
      const path = join(thumbs_dir, name);
      writeFileSync(path, jpeg);
      written.push(path);
    };
    return scan(file, {
      interval_secs,
      onProgress: report,
      onAgain() {
        for (const path of written.splice(0)) rmSync(path, { force: true });
      },
      onSampled({ ordinal, frame, facts }) {
        write(`${ordinal}.jpg`, drawJpeg(frame, facts, FILMSTRIP_WIDTH));
        if (ordinal === 0) write("poster.jpg", drawJpeg(frame, facts, POSTER_WIDTH));
      },
    });
  },

  /** When a browser shows the same frames, given the file itself; null where it needs a copy. Progress counts packets. */
  async browser(args: { file: string; facts: VideoFacts; index: FrameIndex }, report: Report) {
    return findBrowserStart(args.file, args.facts, args.index, report);
  },

  /** The copy for browsers; progress counts frames. */
  async proxy(args: { file: string; index: FrameIndex; out: string }, report: Report): Promise<void> {
    await writeProxy(args.file, args.index, args.out, report);
  },

  /** Chosen frames as a video of one picture a second; progress counts pictures. */
  async key_frame_video(args: Parameters<typeof writeKeyFrameVideo>[0], report: Report): Promise<void> {
    await writeKeyFrameVideo(args, report);
  },

  /** One frame as an upright JPEG; null when it can't be decoded. */
  async jpeg(args: {
    file: string;
    index: FrameIndex;
    ordinal: number;
    width: number;
    pixel_aspect: number;
  }) {
    const { pixel_aspect } = args;
    return getCursor(args).read(args.ordinal, (frame, { rotation }) =>
      drawJpeg(frame, { rotation, pixel_aspect }, args.width),
    );
  },

  /** Frames as upright JPEGs, in one pass; by ordinal, without those that can't be decoded. */
  async jpegs(
    args: { file: string; index: FrameIndex; ordinals: number[]; width: number; pixel_aspect: number },
    report: Report,
  ): Promise<{ ordinal: number; jpeg: Buffer }[]> {
    const { file, index, ordinals, width, pixel_aspect } = args;
    const drawn: { ordinal: number; jpeg: Buffer }[] = [];
    for (const { ordinal, frame, facts } of readPictures(file, index, ordinals, 1)) {
      drawn.push({ ordinal, jpeg: drawJpeg(frame, { rotation: facts.rotation, pixel_aspect }, width) });
      report(drawn.length);
    }
    return drawn;
  },

  /** Key-frames; progress counts sampled frames. OpenCV is loaded only where the preset compares with it. */
  async keyframes(args: SelectArgs & { part_files?: string[] }, report: Report): Promise<KeyFrameSelection> {
    const { select } = await import("../workers/keyframes.ts");
    return select(args, report);
  },

  /** Features of some of a clip's sampled frames, left in a file; progress counts frames. */
  async features(args: FeaturesArgs, report: Report): Promise<void> {
    const { describePart } = await import("../workers/keyframes.ts");
    return describePart(args, report);
  },

  /** Objects on chosen frames; progress counts frames. ONNX Runtime is loaded only in a process that comes here. */
  async detect(args: DetectArgs, report: Report): Promise<DetectedFrame[]> {
    const { detectFrames } = await import("../workers/detect.ts");
    return detectFrames(args, report);
  },

  /** What the camera did between key-frames; null when what the extractor saw is gone. */
  async motions(args: MotionArgs): Promise<(Motion | null)[] | null> {
    const { lookAtMotions } = await import("../workers/motions.ts");
    return lookAtMotions(args);
  },

  /** The field of view, where the extractor's features show it; null when they are gone. */
  async view(args: Pick<MotionArgs, "features">): Promise<{ found_deg: number | null } | null> {
    const { lookAtView } = await import("../workers/motions.ts");
    return lookAtView(args);
  },

  /** A clip that shows a world of ours; progress counts frames. */
  async render(args: RenderArgs, report: Report): Promise<void> {
    const { renderWorld } = await import("../workers/render.ts");
    renderWorld(args, report);
  },

  /** One frame's luma as coded; null when it can't be decoded. */
  async luma(args: { file: string; index: FrameIndex; ordinal: number }) {
    return getCursor(args).read(args.ordinal, (frame) => ({
      width: frame.width,
      height: frame.height,
      full_range: hasFullRange(frame),
      data: copyLuma(frame),
    }));
  },
};

/** The last clip of which a single frame was asked for: the next frame asked for is mostly the one after it. */
let cursor: Cursor | null = null;

function getCursor({ file, index }: { file: string; index: FrameIndex }): Cursor {
  if (cursor?.file !== file) {
    cursor?.close();
    cursor = openCursor(file, index);
  }
  return cursor;
}

export type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
export type TaskArgs<N extends TaskName> = Parameters<Tasks[N]>[0];
export type TaskResult<N extends TaskName> = Awaited<ReturnType<Tasks[N]>>;

/** What goes into a decoder process, and what comes out of it. */
export type TaskCall = { id: number; name: TaskName; args: unknown };
export type TaskAnswer =
  | { type: "ready" }
  | { id: number; type: "progress"; done: number }
  | { id: number; type: "done"; result: unknown }
  | { id: number; type: "failed"; message: string; is_problem: boolean };
