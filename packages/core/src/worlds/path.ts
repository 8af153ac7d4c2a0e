import { HEADINGS, type Heading, type Pose, type Step } from "./types.ts";

const toRadians = (degrees: number) => (degrees * Math.PI) / 180;

/** Brings an angle into [0, 360). */
export function wrapDegrees(degrees: number): number {
  return ((degrees % 360) + 360) % 360;
}

/** Brings an angle into (-180, 180]. */
export function wrapSigned(degrees: number): number {
  const wrapped = wrapDegrees(degrees);
  return wrapped > 180 ? wrapped - 360 : wrapped;
}

/**
 * The pose after a share of a step.
 *
 * @param share  In [0, 1]; 1 is the whole step. Between, the agent moves evenly, which is how clips are rendered.
 */
export function applyStep(pose: Pose, step: Step, share = 1): Pose {
  const amount = step.amount * share;
  const heading = toRadians(pose.heading_deg);
  const walk = (angle: number): Pose => ({
    ...pose,
    x: pose.x + Math.sin(angle) * amount,
    y: pose.y + Math.cos(angle) * amount,
  });
  switch (step.action) {
    case "move forward":
      return walk(heading);
    case "move backward":
      return walk(heading + Math.PI);
    case "move right":
      return walk(heading + Math.PI / 2);
    case "move left":
      return walk(heading - Math.PI / 2);
    case "move upward":
      return { ...pose, z: pose.z + amount };
    case "move downward":
      return { ...pose, z: pose.z - amount };
    case "rotate right":
      return { ...pose, heading_deg: wrapDegrees(pose.heading_deg + amount) };
    case "rotate left":
      return { ...pose, heading_deg: wrapDegrees(pose.heading_deg - amount) };
    case "tilt upward":
      return { ...pose, pitch_deg: pose.pitch_deg + amount };
    case "tilt downward":
      return { ...pose, pitch_deg: pose.pitch_deg - amount };
  }
}

/** All poses of a path: the start, then one after each step. */
export function followPath(start: Pose, steps: readonly Step[]): Pose[] {
  const poses = [start];
  let pose = start;
  for (const step of steps) {
    pose = applyStep(pose, step);
    poses.push(pose);
  }
  return poses;
}

/** The compass word nearest to a heading in degrees. */
export function toHeading(heading_deg: number): Heading {
  return HEADINGS[Math.round(wrapDegrees(heading_deg) / 90) % 4] as Heading;
}
