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
  /** The key-frame before, where the way of the action begins: a number as the frames'. */
  action_from: number | null;
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

/** What of a clip would be exported. */
export type ExportEntry = {
  clip_id: string;
  clip_name: string;
  settings_hash: string;
  version: number;
  key_frames: number;
  /** Questions that can go into the released code's JSON: with triples of just these key-frames. */
  described_questions: number;
};

export type ExportPlan = {
  entries: ExportEntry[];
  /** Clips that have no key-frames to export, and why. */
  left_out: { clip_id: string; clip_name: string; reason: string }[];
};

/** What an import would make of one clip. */
export type ImportEntry = {
  clip_id: string;
  clip_name: string;
  /** Of the selection that gets a new version. */
  settings_hash: string;
  /** The newest version now, and the one that the file holds; null where it does not say. */
  version: number;
  file_version: number | null;
  /** The file, and what it is. */
  source: string;
  format: ExchangeFormat;
  base: FrameBase;
  base_from: "file" | "times" | "person";
  added: number[];
  dropped: number[];
  same: number[];
  /** Key-frames whose way a person called otherwise in the file than anybody here. */
  actions: number[];
};

/** A file, or a clip in it, that can't be taken. */
export type ImportFault = {
  source: string;
  /** As the file names it; null where the whole file is at fault. */
  clip_name: string | null;
  problem: string;
  /** True when it can be taken once a person says what its frames count from. */
  needs_base: boolean;
};

/** A key-frame video of which nobody knows any more which frames its pictures were. */
export type LostVideo = { source: string; pictures: number };

/** What files would change, before anything is changed. */
export type ImportPreview = {
  import_id: string;
  entries: ImportEntry[];
  faults: ImportFault[];
  lost: LostVideo[];
  /** What was read and changes nothing, in sentences. */
  remarks: string[];
};

/** What an import changed; enough to take it back. */
export type ImportOutcome = {
  made: { decision_id: string; clip_id: string; settings_hash: string; version: number }[];
  /** Key-frame videos that come in as clips of their own. */
  videos: number;
};
