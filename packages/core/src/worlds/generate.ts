import { followPath } from "./path.ts";
import { createRandom, type Random } from "./random.ts";
import { getDistance } from "./truth.ts";
import {
  COLOURS,
  HEADINGS,
  type Pose,
  type Setting,
  type Shape,
  type Step,
  type World,
  type WorldObject,
} from "./types.ts";

type Kind = { noun: string; shape: Shape; width: number; depth: number; height: number };

const KINDS: Record<Setting, readonly Kind[]> = {
  room: [
    { noun: "chair", shape: "box", width: 0.5, depth: 0.5, height: 0.9 },
    { noun: "table", shape: "box", width: 1.4, depth: 0.8, height: 0.75 },
    { noun: "lamp", shape: "cylinder", width: 0.3, depth: 0.3, height: 1.6 },
    { noun: "cabinet", shape: "box", width: 1.0, depth: 0.5, height: 1.8 },
    { noun: "ball", shape: "sphere", width: 0.5, depth: 0.5, height: 0.5 },
    { noun: "plant", shape: "cylinder", width: 0.5, depth: 0.5, height: 1.1 },
  ],
  street: [
    { noun: "kiosk", shape: "box", width: 1.6, depth: 1.4, height: 2.4 },
    { noun: "bench", shape: "box", width: 1.6, depth: 0.5, height: 0.8 },
    { noun: "pillar", shape: "cylinder", width: 0.5, depth: 0.5, height: 2.6 },
    { noun: "sign", shape: "sign", width: 0.9, depth: 0.12, height: 2.2 },
    { noun: "bin", shape: "cylinder", width: 0.6, depth: 0.6, height: 1.0 },
    { noun: "crate", shape: "box", width: 0.9, depth: 0.9, height: 0.9 },
  ],
  courtyard: [
    { noun: "statue", shape: "cylinder", width: 0.7, depth: 0.7, height: 2.2 },
    { noun: "fountain", shape: "cylinder", width: 1.6, depth: 1.6, height: 0.9 },
    { noun: "planter", shape: "box", width: 1.2, depth: 0.6, height: 0.6 },
    { noun: "globe", shape: "sphere", width: 0.9, depth: 0.9, height: 0.9 },
    { noun: "gate", shape: "box", width: 1.8, depth: 0.3, height: 2.4 },
  ],
};

const HALF_SIZE: Record<Setting, number> = { room: 5, street: 7, courtyard: 7 };
const FIELD_OF_VIEW_DEG = 75;
const START: Pose = { x: 0, y: 0, z: 1.4, heading_deg: 0, pitch_deg: 0 };

/** How a path is drawn up. */
export type PathOptions = {
  /** Number of steps, both ends included. */
  min_steps: number;
  max_steps: number;
  /** quarter: turns by 90 or 180 degrees and walks, as level 1 asks; free: all ten actions. */
  moves: "quarter" | "free";
};

function placeObjects(random: Random, setting: Setting, half_size: number, count: number): WorldObject[] {
  const objects: WorldObject[] = [];
  const taken = new Set<string>();
  for (let tries = 0; objects.length < count && tries < 400; tries += 1) {
    const kind = random.pick(KINDS[setting]);
    const colour = random.pick(COLOURS);
    const place = {
      x: (random.next() * 2 - 1) * (half_size - 1),
      y: (random.next() * 2 - 1) * (half_size - 1),
    };
    const isFree =
      !taken.has(`${colour} ${kind.noun}`) &&
      getDistance(place, { x: 0, y: 0 }) > 2 &&
      objects.every((other) => getDistance(place, other) > Math.max(other.width, kind.width) + 0.6);
    if (!isFree) continue;
    taken.add(`${colour} ${kind.noun}`);
    objects.push({ object_id: `o${objects.length}`, colour, ...kind, ...place, z: 0 });
  }
  return objects;
}

function drawQuarterStep(random: Random): Step {
  const draw = random.next();
  if (draw < 0.3) return { action: "rotate left", amount: 90 };
  if (draw < 0.6) return { action: "rotate right", amount: 90 };
  if (draw < 0.75) return { action: "rotate right", amount: 180 };
  return { action: "move forward", amount: 1 };
}

function drawFreeStep(random: Random): Step {
  const action = random.pick([
    "move forward",
    "move forward",
    "move backward",
    "move left",
    "move right",
    "rotate left",
    "rotate right",
    "rotate left",
    "rotate right",
    "move upward",
    "move downward",
    "tilt upward",
    "tilt downward",
  ] as const);
  if (action.startsWith("rotate")) return { action, amount: random.pick([45, 90, 90, 180]) };
  if (action.startsWith("tilt")) return { action, amount: 20 };
  if (action === "move upward" || action === "move downward") return { action, amount: 0.5 };
  return { action, amount: random.pick([1, 1.5, 2]) };
}

/** A path is walkable when it stays on the floor, above it, and out of every object. */
function isWalkable(poses: readonly Pose[], objects: readonly WorldObject[], half_size: number): boolean {
  return poses.every(
    (pose) =>
      Math.abs(pose.x) < half_size - 0.6 &&
      Math.abs(pose.y) < half_size - 0.6 &&
      pose.z > 0.6 &&
      pose.z < 2.3 &&
      Math.abs(pose.pitch_deg) <= 40 &&
      objects.every((object) => getDistance(pose, object) > Math.max(object.width, object.depth) / 2 + 0.5),
  );
}

/**
 * Makes one world. The same arguments give the same world on every machine.
 *
 * @param seed  Any integer; `world_id` is made from it, the setting and the path options.
 */
export function generateWorld(seed: number, setting: Setting, path: PathOptions): World {
  const world_id = `${setting}-${path.moves}-${path.min_steps}-${path.max_steps}-${seed}`;
  const random = createRandom(world_id);
  const half_size = HALF_SIZE[setting];
  const objects = placeObjects(random, setting, half_size, random.int(5, 8));
  const start = { ...START, heading_deg: 90 * random.int(0, HEADINGS.length - 1) };
  const count = random.int(path.min_steps, path.max_steps);
  const steps: Step[] = [];
  let poses: Pose[] = [start];
  while (steps.length < count) {
    const next = path.moves === "quarter" ? drawQuarterStep(random) : drawFreeStep(random);
    const tried = followPath(start, [...steps, next]);
    if (!isWalkable(tried, objects, half_size)) continue;
    steps.push(next);
    poses = tried;
  }
  return { world_id, seed, setting, half_size, field_of_view_deg: FIELD_OF_VIEW_DEG, objects, steps, poses };
}

/**
 * Makes a world whose path is given; only the objects are drawn. They are drawn anew until the path is walkable.
 *
 * @param name  Becomes part of `world_id`, and of what the objects are drawn from.
 * @throws RangeError when no arrangement of objects leaves the path free.
 */
export function generateWorldAround(
  name: string,
  seed: number,
  setting: Setting,
  steps: readonly Step[],
): World {
  const random = createRandom(`${setting}-${name}-${seed}`);
  for (let tries = 0; tries < 200; tries += 1) {
    const objects = placeObjects(random, setting, HALF_SIZE[setting], random.int(6, 8));
    const world = arrangeWorld(name, seed, setting, objects, steps);
    if (isWalkable(world.poses, objects, world.half_size)) return world;
  }
  throw new RangeError(`${name}: the path leaves the floor or no arrangement of objects leaves it free`);
}

/** Makes a world of given objects and a given path. Whether the path is free is the caller's to know. */
export function arrangeWorld(
  name: string,
  seed: number,
  setting: Setting,
  objects: readonly WorldObject[],
  steps: readonly Step[],
): World {
  return {
    world_id: `${setting}-${name}-${seed}`,
    seed,
    setting,
    half_size: HALF_SIZE[setting],
    field_of_view_deg: FIELD_OF_VIEW_DEG,
    objects: [...objects],
    steps: [...steps],
    poses: followPath(START, steps),
  };
}
