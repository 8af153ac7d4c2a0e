import type { KeyFrameSettings } from "../keyframes/types.ts";

/** The formats that key-frames are written to and read from; `sightline` is the JSON that lies beside a key-frame video. */
export const EXCHANGE_FORMATS = ["released", "csv", "cvat", "label-studio", "fiftyone", "sightline"] as const;
export type ExchangeFormat = (typeof EXCHANGE_FORMATS)[number];

/** Whether the first frame of a clip is number 0 or number 1. */
export type FrameBase = 0 | 1;

/** Why a frame is a key-frame, as far as it travels; null where the file does not say. */
export type FrameEvidence = {
  /** Who made it a key-frame. */
  origin: "extractor" | "person" | null;
  /** The extractor's rule (`KeyFrameRule`). */
  rule: string | null;
  /** Overlap with the key-frame before it, in [0, 1], and what it was measured by. */
  overlap: number | null;
  matches: number | null;
  inliers: number | null;
  /** The action that led here, and whose word that is. */
  action: string | null;
  action_by: "geometry" | "person" | null;
};

/** One key-frame on its way to another tool. */
export type ExchangedFrame = FrameEvidence & {
  /** Ordinal in the clip, 0-based. */
  frame: number;
  /** Seconds from the clip's start, from the sample table. */
  time_secs: number;
};

/** One version of a clip's key-frames, as every format starts from it. */
export type KeyFrameExport = {
  /** SHA-256 of the clip's bytes. */
  clip_id: string;
  clip_name: string;
  /** All frames of the clip, key-frames or not. */
  frame_count: number;
  /** Upright, in pixels. */
  width: number;
  height: number;
  /** Frames a second on average; null for a single frame. */
  fps: number | null;
  /** Which version of the selection this is: 0 as extracted, from 1 on with what people decided. */
  version: number;
  settings: KeyFrameSettings;
  settings_hash: string;
  extractor_version: number;
  /** Who decided something that stands in this version. */
  authors: string[];
  /** Rising, each once, at least one. */
  frames: ExchangedFrame[];
};

/** A key-frame as a file has it. */
export type ReadFrame = FrameEvidence & {
  /** Counted from the file's own base. */
  number: number;
  time_secs: number | null;
  /** Where in the file, for a person: "line 7". */
  where: string;
};

/** What a file says of one clip; null where it does not say. */
export type ReadClip = {
  clip_name: string | null;
  clip_id: string | null;
  frame_count: number | null;
  version: number | null;
  settings_hash: string | null;
  /** What the file says, or what its format prescribes. */
  base: FrameBase | null;
  frames: ReadFrame[];
};

/** What a file holds. */
export type ReadKeyFrames = { format: ExchangeFormat; clips: ReadClip[] };

/** A file that can't be taken. The message is for a person and names the line or the frame. */
export class ExchangeProblem extends Error {
  override name = "ExchangeProblem";
}
