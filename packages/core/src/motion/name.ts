/** One word for a motion, or the reason why there is none. */
import type { Action } from "../worlds/types.ts";
import type { Motion } from "./types.ts";

/** A motion in the agent's own terms: it stands upright, its eyes may look up or down. */
export type LevelMotion = {
  /** Degrees: right, up and clockwise are positive. */
  yaw_deg: number;
  pitch_deg: number;
  roll_deg: number;
  /** Metres are not known: lengths ÷ median distance of what is seen. Up is against gravity, ahead is along the floor. */
  right: number;
  up: number;
  ahead: number;
  /** How much of the turn and tilt may have been a move: see `PairFit`. */
  doubtful_deg: number;
  matches: number;
  inliers: number;
};

/** A motion of less than this is none, in degrees; a move counts as the angle that it spans at the median distance. */
export const STILL_DEG = 1;
/** The runner-up must be weaker than this share of the strongest. */
const CLEAR_SHARE = 0.75;
/** A turn of which more than this share may have been a move is none for sure. */
const DOUBTFUL_SHARE = 0.5;

/** How much of each of the ten actions, in degrees, and of rolling, which has no word. */
function listStrengths(motion: LevelMotion): { action: Action | "roll"; deg: number }[] {
  const spanned = (shift: number) => (Math.atan(Math.abs(shift)) * 180) / Math.PI;
  const { yaw_deg, pitch_deg, roll_deg, right, up, ahead } = motion;
  return [
    { action: yaw_deg < 0 ? "rotate left" : "rotate right", deg: Math.abs(yaw_deg) },
    { action: pitch_deg < 0 ? "tilt downward" : "tilt upward", deg: Math.abs(pitch_deg) },
    { action: "roll", deg: Math.abs(roll_deg) },
    { action: right < 0 ? "move left" : "move right", deg: spanned(right) },
    { action: up < 0 ? "move downward" : "move upward", deg: spanned(up) },
    { action: ahead < 0 ? "move backward" : "move forward", deg: spanned(ahead) },
  ];
}

/**
 * Chance that the word is right, by how much of the strongest the next one has and by how few matches any link rests on.
 * Measured on 957 steps of rendered worlds with the field of view taken 15° too narrow or too wide; the bins held 464, 181,
 * 277 and 35 of them (`docs/guide/motion.md`).
 */
function getConfidence(inliers: number, share: number): number {
  if (share < 0.5) return inliers >= 40 ? 0.99 : 0.97;
  return inliers >= 40 ? 0.96 : 0.8;
}

export function nameMotion(motion: LevelMotion): Motion {
  const { yaw_deg, pitch_deg, roll_deg, matches, inliers } = motion;
  const known = { yaw_deg, pitch_deg, roll_deg, matches, inliers };
  const [first, second] = listStrengths(motion).sort((a, b) => b.deg - a.deg);
  const support = `${inliers} of ${matches} matches agree`;
  if (first === undefined || second === undefined) throw new RangeError("no strengths to compare");
  if (first.deg < STILL_DEG)
    return { ...known, action: "unclear", confidence: null, reason: `Nothing moved: ${support}.` };
  const share = second.deg / first.deg;
  if (first.action === "roll") {
    const reason = `The picture rolls by ${first.deg.toFixed(0)}°, for which there is no word; ${support}.`;
    return { ...known, action: "unclear", confidence: null, reason };
  }
  if (!first.action.startsWith("move") && motion.doubtful_deg > DOUBTFUL_SHARE * first.deg) {
    const reason = `${capitalize(describe(first))}, or a short move: the pictures fit both; ${support}.`;
    return { ...known, action: "unclear", confidence: null, reason };
  }
  if (share >= CLEAR_SHARE) {
    const reason = `Between ${describe(first)} and ${describe(second)}; ${support}.`;
    return { ...known, action: "unclear", confidence: null, reason };
  }
  const confidence = getConfidence(inliers, share);
  return {
    ...known,
    action: first.action,
    confidence,
    reason: `${capitalize(describe(first))}; ${support}.`,
  };
}

function describe({ action, deg }: { action: Action | "roll"; deg: number }): string {
  if (action === "roll") return `roll by ${deg.toFixed(0)}°`;
  if (!action.startsWith("move")) return `${action} by ${deg.toFixed(0)}°`;
  return `${action} (spans ${deg.toFixed(0)}° at the distance of what is seen)`;
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
