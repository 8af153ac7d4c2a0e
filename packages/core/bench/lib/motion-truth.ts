/** What really happened between two moments of a rendered world, in the terms in which geometry speaks of it. */
import { type Action, getPoseAt, type Pose, type World, wrapSigned } from "../../src/worlds/index.ts";

export type TrueMotion = {
  /** The strongest of the ten; null where nothing moved. */
  action: Action | null;
  /** The next one, where it has at least half the strength of the first. */
  also: Action | null;
  yaw_deg: number;
};

/** A motion of less is none, in degrees. */
const STILL_DEG = 0.3;
const STEP_SECS = 0.05;
/** Height ÷ width of the rendered pictures. */
const ASPECT = 0.75;

/** Median distance of walls and floor over the view, in metres; objects are left out. */
function getViewDistance(world: World, pose: Pose): number {
  const wide = Math.tan((world.field_of_view_deg * Math.PI) / 360);
  const distances: number[] = [];
  for (let row = -3; row <= 3; row += 1)
    for (let column = -4; column <= 4; column += 1) {
      const heading = (pose.heading_deg * Math.PI) / 180 + Math.atan((column / 4.5) * wide);
      const slope = Math.tan((pose.pitch_deg * Math.PI) / 180 - Math.atan((row / 3.5) * wide * ASPECT));
      const east = Math.sin(heading);
      const north = Math.cos(heading);
      const wall = Math.min(
        ((east > 0 ? world.half_size : -world.half_size) - pose.x) / east,
        ((north > 0 ? world.half_size : -world.half_size) - pose.y) / north,
      );
      const floor = slope < 0 ? pose.z / -slope : Number.POSITIVE_INFINITY;
      distances.push(Math.min(wall, floor) * Math.hypot(1, slope));
    }
  distances.sort((a, b) => a - b);
  return distances[distances.length >> 1] as number;
}

/** Sums turns, and moves relative to where the agent looked, over small steps; a move counts as the angle it spans. */
export function getTrueMotion(world: World, from_secs: number, to_secs: number): TrueMotion {
  const sum = { yaw: 0, pitch: 0, right: 0, up: 0, ahead: 0 };
  const steps = Math.max(1, Math.round((to_secs - from_secs) / STEP_SECS));
  let before = getPoseAt(world, from_secs);
  for (let i = 1; i <= steps; i += 1) {
    const after = getPoseAt(world, from_secs + ((to_secs - from_secs) * i) / steps);
    const heading = (before.heading_deg * Math.PI) / 180;
    const distance = getViewDistance(world, before);
    const [x, y] = [after.x - before.x, after.y - before.y];
    sum.yaw += wrapSigned(after.heading_deg - before.heading_deg);
    sum.pitch += after.pitch_deg - before.pitch_deg;
    sum.right += (x * Math.cos(heading) - y * Math.sin(heading)) / distance;
    sum.ahead += (x * Math.sin(heading) + y * Math.cos(heading)) / distance;
    sum.up += (after.z - before.z) / distance;
    before = after;
  }
  const spanned = (shift: number) => (Math.atan(Math.abs(shift)) * 180) / Math.PI;
  const strengths: { action: Action; deg: number }[] = [
    { action: sum.yaw < 0 ? "rotate left" : "rotate right", deg: Math.abs(sum.yaw) },
    { action: sum.pitch < 0 ? "tilt downward" : "tilt upward", deg: Math.abs(sum.pitch) },
    { action: sum.right < 0 ? "move left" : "move right", deg: spanned(sum.right) },
    { action: sum.up < 0 ? "move downward" : "move upward", deg: spanned(sum.up) },
    { action: sum.ahead < 0 ? "move backward" : "move forward", deg: spanned(sum.ahead) },
  ];
  const [first, second] = strengths.sort((a, b) => b.deg - a.deg);
  if (first === undefined || second === undefined) throw new RangeError("no strengths to compare");
  return {
    action: first.deg < STILL_DEG ? null : first.action,
    also: first.deg >= STILL_DEG && second.deg >= first.deg / 2 ? second.action : null,
    yaw_deg: sum.yaw,
  };
}
