import { wrapSigned } from "./path.ts";
import type { Pose, Sighting, World, WorldObject } from "./types.ts";

/** How far the agent recognises anything, in metres. */
export const SIGHT_METRES = 14;

/** Clockwise from straight ahead, in degrees, in (-180, 180]. */
export function getBearing(pose: Pose, target: { x: number; y: number }): number {
  const absolute = (Math.atan2(target.x - pose.x, target.y - pose.y) * 180) / Math.PI;
  return wrapSigned(absolute - pose.heading_deg);
}

/** Distance in the plan, in metres. */
export function getDistance(a: { x: number; y: number }, b: { x: number; y: number }): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** True when `blocker` stands, in the plan, on the line of sight and is at least as tall as what it hides. */
function isHiding(pose: Pose, target: WorldObject, blocker: WorldObject): boolean {
  if (blocker.z + blocker.height < target.z + target.height * 0.8) return false;
  const dx = target.x - pose.x;
  const dy = target.y - pose.y;
  const along = ((blocker.x - pose.x) * dx + (blocker.y - pose.y) * dy) / (dx * dx + dy * dy);
  if (along <= 0 || along >= 1) return false;
  const away = Math.hypot(blocker.x - (pose.x + along * dx), blocker.y - (pose.y + along * dy));
  return away < Math.min(blocker.width, blocker.depth) / 2;
}

/**
 * What is true of every object from a pose, in the world's order of objects.
 *
 * Visible: its centre is inside the horizontal and vertical field of view, nearer than {@link SIGHT_METRES}, and no
 * other object stands in the way.
 */
export function getSightings(world: World, pose: Pose): Sighting[] {
  const half_width = world.field_of_view_deg / 2;
  const half_height = half_width * 0.75;
  return world.objects.map((object) => {
    const bearing_deg = getBearing(pose, object);
    const distance = getDistance(pose, object);
    const elevation =
      (Math.atan2(object.z + object.height / 2 - pose.z, Math.max(distance, 1e-6)) * 180) / Math.PI;
    const isInView =
      Math.abs(bearing_deg) <= half_width &&
      Math.abs(elevation - pose.pitch_deg) <= half_height &&
      distance <= SIGHT_METRES;
    const visible =
      isInView && !world.objects.some((other) => other !== object && isHiding(pose, object, other));
    return { object_id: object.object_id, bearing_deg, distance, visible };
  });
}

/** The agent-relative word for a bearing: one of eight directions. */
export function describeBearing(bearing_deg: number): string {
  const words = [
    "ahead",
    "ahead-right",
    "right",
    "behind-right",
    "behind",
    "behind-left",
    "left",
    "ahead-left",
  ];
  return words[Math.round(wrapSigned(bearing_deg) / 45 + 8) % 8] as string;
}
