import type { Rotation } from "../clips/index.ts";

/** Settings of an extraction. Two extractions with equal settings of one clip select the same frames. */
export type KeyFrameSettings = {
  preset: "sightline" | "embodied-r";
  /**
   * time: the frame on screen every `interval_secs`. released: every k-th frame, k the integer part of the clip's
   * average rate, as the released extractor steps; `interval_secs` is then not used. The last frame comes in both.
   */
  sampling: "time" | "released";
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
  /**
   * Preset `sightline`: a frame too poor in detail to be compared is kept only when this many seconds have passed since
   * the last frame that was kept or could be compared. Preset `embodied-r` does not use it.
   */
  gap_secs: number;
};

/** Why two frames could not be compared. */
export type PairFailure =
  | "no_descriptors"
  | "few_matches"
  | "no_homography"
  | "degenerate_homography"
  | "few_inliers";

/**
 * Why a sampled frame was kept or dropped.
 *
 * A failure's name: the frame could not be compared; kept where it is rich in detail (a new view), dropped where it is
 * not. gap: too poor to be compared, kept because nothing else covers that time. uniform_minimum, uniform_maximum: the
 * selection was too small or too large and `embodied-r` replaced it by frames evenly apart. filled, thinned: the same of
 * `sightline`, which adds the frames that show most and takes away those that show least.
 */
export type KeyFrameRule =
  | "first"
  | "last"
  | "low_overlap"
  | "enough_overlap"
  | PairFailure
  | "gap"
  | "uniform_minimum"
  | "uniform_maximum"
  | "filled"
  | "thinned";

/** Row-major 3×3, candidate pixels → key-frame pixels, both in the upright, scaled plane (`plane_width` wide). */
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
  /** Share of the textured cells inside the claimed overlap that hold an inlier, in [0, 1]; null without a homography. */
  spread: number | null;
  /** Area of the inliers' convex hull ÷ area of the claimed overlap, in [0, 1]; null without a homography. */
  extent: number | null;
  /** Why the pair says nothing about overlap; null when it does. */
  failure: PairFailure | null;
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
  /** ORB features found in it. */
  features: number;
};

/** All sampled frames of a clip with their verdicts, in presentation order. */
export type KeyFrameSelection = {
  clip_id: string;
  settings: KeyFrameSettings;
  /** Hash of the settings and of the extractor's version. */
  settings_hash: string;
  /** Size of the planes that homographies speak of, in pixels; null when the clip has no frame. */
  plane_width: number | null;
  plane_height: number | null;
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
  /** True where black is 0 and white is 255, false where they are 16 and 235. */
  full_range: boolean;
};
