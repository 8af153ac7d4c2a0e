import type { Action } from "../worlds/types.ts";

/** Two places of one thing: pixels of the earlier picture, pixels of the later one; both upright and of one size. */
export type PointPair = { from: [x: number, y: number]; to: [x: number, y: number] };

/** What the pictures say of the camera's motion between two key-frames. */
export type Motion = {
  /** One of the ten, or "unclear" when the pictures don't decide. */
  action: Action | "unclear";
  /** Calibrated chance that `action` is right, in [0, 1]; null when unclear. */
  confidence: number | null;
  /** Why this action, or why none, in a sentence for a person. */
  reason: string;
  /**
   * Turn between the two, in degrees: right, up and clockwise are positive. Over a key-frame's whole way, whole turns
   * included; 0 where the camera only moved. Null where it is not known.
   */
  yaw_deg: number | null;
  pitch_deg: number | null;
  roll_deg: number | null;
  /** How much was there to judge by. */
  matches: number;
  inliers: number;
};
