import type { Rotation } from "../clips/index.ts";

/** Settings of an extraction. Two extractions with equal settings of one clip select the same frames. */
export type KeyFrameSettings = {
  preset: "sightline" | "embodied-r";
  /** Seconds between sampled frames. */
  interval_secs: number;
  /** A frame whose overlap with the previous key-frame is below this is kept. In [0, 1]. */
  threshold: number;
  /** Fewest and most key-frames of a clip. */
  min_frames: number;
  max_frames: number;
  /** ORB features per frame. */
  features: number;
  /** RANSAC reprojection threshold in pixels. */
  ransac_px: number;
  /** Width that planes are scaled down to before ORB, in pixels; 0 keeps the full size. */
  width: number;
};

/** Why a sampled frame was kept or dropped; the first that applies, in the order of the extractor. */
export type KeyFrameRule =
  | "first"
  | "last"
  | "low_overlap"
  | "enough_overlap"
  | "no_descriptors"
  | "few_matches"
  | "no_homography"
  | "degenerate_homography"
  | "few_inliers"
  | "gap"
  | "uniform_minimum"
  | "uniform_maximum";

/** Row-major 3×3, candidate pixels → key-frame pixels. */
export type Homography = readonly [number, number, number, number, number, number, number, number, number];

/** What the pictures of two frames say about each other. */
export type PairEvidence = {
  /** Ordinal of the key-frame that the candidate was compared with. */
  reference: number;
  /** Ordinal of the candidate. */
  frame: number;
  matches: number;
  inliers: number;
  homography: Homography | null;
  /** Share of the key-frame's view that the candidate still shows, in [0, 1]; null without a sound homography. */
  overlap_forward: number | null;
  /** The same the other way round: share of the candidate's view that the key-frame showed. */
  overlap_backward: number | null;
};

/** The verdict on one sampled frame. */
export type KeyFrameDecision = {
  /** Ordinal in the clip. */
  frame: number;
  /** Seconds from the clip's start, from the sample table. */
  time_secs: number;
  kept: boolean;
  rule: KeyFrameRule;
  /** The overlap that was compared with the threshold; null where none could be measured. */
  overlap: number | null;
  evidence: PairEvidence | null;
};

/** All sampled frames of a clip with their verdicts, in presentation order. */
export type KeyFrameSelection = {
  clip_id: string;
  settings: KeyFrameSettings;
  /** Hash of the settings and of the extractor's version. */
  settings_hash: string;
  decisions: KeyFrameDecision[];
  /** A sentence for a person, for instance that the whole clip is static; null when there is nothing to say. */
  note: string | null;
};

/** A sampled frame's luma, as decoded: not yet upright, not yet scaled. */
export type LumaPlane = {
  frame: number;
  time_secs: number;
  width: number;
  height: number;
  /** width × height bytes, rows packed. */
  data: Uint8Array;
  rotation: Rotation;
};
