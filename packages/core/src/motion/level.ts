/** Which way is up, from the turns alone; and motions in the terms of an agent that stands upright. */
import { dot, getColumn, type Rotation, type Vector } from "./rays.ts";

const toDegrees = (radians: number) => (radians * 180) / Math.PI;

/** How far an angle in degrees is from a whole turn, in (-180, 180]. */
export function wrapTurn(degrees: number): number {
  return -((((-degrees + 180) % 360) + 360) % 360) + 180;
}

/** How a camera stands: degrees, right, up and clockwise positive; the heading counts from the first camera's. */
export type Stance = { heading_deg: number; pitch_deg: number; roll_deg: number };

/** How hard it is to believe that the first camera does not look where it was expected to look. */
const PRIOR = 0.02;

/**
 * The first camera's pitch, in radians, up positive.
 *
 * An agent that turns on its feet turns about the vertical, wherever it looks: its camera's right-hand axis stays
 * horizontal. With the first camera pitched by φ and not rolled, up is u = (0, −cos φ, sin φ) in its axes, and φ is the
 * angle for which Σ (u · right_k)² over all cameras is least: the smaller axis of a 2×2 form. While nothing turns, every φ
 * serves equally, and the expected one is taken.
 *
 * @param cameras  Each camera's directions in the first one's axes.
 * @param expected  Radians.
 */
export function findPitch(cameras: readonly Rotation[], expected: number): number {
  let cc = PRIOR * Math.sin(expected) ** 2;
  let cs = -PRIOR * Math.sin(expected) * Math.cos(expected);
  let ss = PRIOR * Math.cos(expected) ** 2;
  for (const camera of cameras) {
    const [, y, z] = getColumn(camera, 0);
    cc += y * y;
    cs -= y * z;
    ss += z * z;
  }
  const pitch = 0.5 * Math.atan2(2 * cs, cc - ss) + Math.PI / 2;
  // The axis has two ends; the camera stands on its feet.
  return Math.cos(pitch) >= 0 ? wrapHalf(pitch) : wrapHalf(pitch + Math.PI);
}

const wrapHalf = (radians: number) => Math.atan2(Math.sin(radians), Math.cos(radians));

function getFrame(pitch: number): { up: Vector; ahead: Vector } {
  return {
    up: [0, -Math.cos(pitch), Math.sin(pitch)],
    ahead: [0, Math.sin(pitch), Math.cos(pitch)],
  };
}

/** How a camera stands; its heading is read from its right-hand axis, which is level however far it looks up or down. */
export function getStance(camera: Rotation, pitch: number): Stance {
  const { up, ahead } = getFrame(pitch);
  const right = getColumn(camera, 0);
  const view = getColumn(camera, 2);
  return {
    heading_deg: toDegrees(Math.atan2(-dot(right, ahead), right[0])),
    pitch_deg: toDegrees(Math.asin(Math.max(-1, Math.min(1, dot(view, up))))),
    roll_deg: toDegrees(Math.asin(Math.max(-1, Math.min(1, -dot(right, up))))),
  };
}

/** A way, given in a camera's axes, in the terms of the agent that holds it at that pitch (radians). */
export function levelTravel([x, y, z]: Vector, pitch: number): { right: number; up: number; ahead: number } {
  const [sine, cosine] = [Math.sin(pitch), Math.cos(pitch)];
  return { right: x, up: -cosine * y + sine * z, ahead: sine * y + cosine * z };
}
