import { FACES, type Face, POLE, type Rgb } from "./faces.ts";
import { hash32 } from "./random.ts";
import type { Colour, Pose, World, WorldObject } from "./types.ts";

/**
 * A small ray caster: boxes, cylinders, spheres and signs between textured walls. It runs wherever TypeScript runs,
 * needs no graphics card and gives the same picture each time, so that a clip and its truth come from one scene.
 */

const COLOUR_RGB: Record<Colour, Rgb> = {
  red: [196, 40, 36],
  orange: [232, 126, 32],
  yellow: [228, 196, 48],
  green: [52, 140, 66],
  blue: [44, 92, 188],
  purple: [126, 62, 158],
  white: [232, 230, 224],
  black: [44, 44, 48],
};

type Surroundings = { wall: Rgb; floor: Rgb; above: Rgb; wall_height: number };

const SURROUNDINGS: Record<World["setting"], Surroundings> = {
  room: { wall: [186, 176, 158], floor: [132, 104, 78], above: [214, 214, 210], wall_height: 3 },
  street: { wall: [150, 142, 138], floor: [112, 114, 118], above: [158, 190, 224], wall_height: 8 },
  courtyard: { wall: [176, 132, 104], floor: [118, 134, 92], above: [176, 202, 226], wall_height: 5 },
};

/** A number in [0, 1) from three integers, the same everywhere. */
function noise(a: number, b: number, seed: number): number {
  let hash = Math.imul(a | 0, 0x9e3779b1) ^ Math.imul(b | 0, 0x85ebca6b) ^ Math.imul(seed | 0, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 4294967296;
}

/** Brightness of a patchwork surface at (u, v) in metres: three sizes of tiles, rich in corners at any distance. */
function patchwork(u: number, v: number, seed: number): number {
  const coarse = noise(Math.floor(u / 0.9), Math.floor(v / 0.7), seed);
  const middle = noise(Math.floor(u / 0.31), Math.floor(v / 0.23), seed + 1);
  const fine = noise(Math.floor(u / 0.11), Math.floor(v / 0.09), seed + 2);
  return 0.5 + 0.32 * coarse + 0.24 * middle + 0.2 * (fine - 0.5);
}

/** What a ray met: how far, how bright, which colour. Reused from ray to ray. */
type Hit = { distance: number; light: number; r: number; g: number; b: number };

function paint(hit: Hit, distance: number, light: number, colour: Rgb): void {
  hit.distance = distance;
  hit.light = light;
  hit.r = colour[0];
  hit.g = colour[1];
  hit.b = colour[2];
}

type Ray = { x: number; y: number; z: number; dx: number; dy: number; dz: number };

function hitSurroundings(ray: Ray, half: number, place: Surroundings, seed: number, hit: Hit): void {
  const tx = ray.dx === 0 ? Number.POSITIVE_INFINITY : ((ray.dx > 0 ? half : -half) - ray.x) / ray.dx;
  const ty = ray.dy === 0 ? Number.POSITIVE_INFINITY : ((ray.dy > 0 ? half : -half) - ray.y) / ray.dy;
  const wall = Math.min(tx, ty);
  const floor = ray.dz < 0 ? -ray.z / ray.dz : Number.POSITIVE_INFINITY;
  if (floor < wall) {
    paint(hit, floor, patchwork(ray.x + floor * ray.dx, ray.y + floor * ray.dy, seed + 11), place.floor);
    return;
  }
  const z = ray.z + wall * ray.dz;
  if (z > place.wall_height) {
    const ceiling = (place.wall_height - ray.z) / ray.dz;
    const light = 0.9 + 0.1 * patchwork(ray.x + ceiling * ray.dx, ray.y + ceiling * ray.dy, seed + 17);
    paint(hit, wall, light, place.above);
    return;
  }
  const isEastWest = tx < ty;
  const along = isEastWest ? ray.y + wall * ray.dy : ray.x + wall * ray.dx;
  const side = isEastWest ? (ray.dx > 0 ? 1 : 2) : ray.dy > 0 ? 3 : 4;
  paint(hit, wall, patchwork(along, z, seed + side * 31) * (isEastWest ? 0.86 : 1), place.wall);
}

function hitBox(ray: Ray, object: WorldObject, seed: number, hit: Hit): void {
  const x0 = (object.x - object.width / 2 - ray.x) / ray.dx;
  const x1 = (object.x + object.width / 2 - ray.x) / ray.dx;
  const y0 = (object.y - object.depth / 2 - ray.y) / ray.dy;
  const y1 = (object.y + object.depth / 2 - ray.y) / ray.dy;
  const z0 = (object.z - ray.z) / ray.dz;
  const z1 = (object.z + object.height - ray.z) / ray.dz;
  const nearX = Math.min(x0, x1);
  const nearY = Math.min(y0, y1);
  const nearZ = Math.min(z0, z1);
  const near = Math.max(nearX, nearY, nearZ);
  const far = Math.min(Math.max(x0, x1), Math.max(y0, y1), Math.max(z0, z1));
  if (near > far || near <= 0 || near >= hit.distance) return;
  const x = ray.x + near * ray.dx - object.x;
  const y = ray.y + near * ray.dy - object.y;
  const z = ray.z + near * ray.dz - object.z;
  const colour = COLOUR_RGB[object.colour];
  if (near === nearZ) paint(hit, near, 1.05 * (0.6 + 0.4 * patchwork(x, y, seed)), colour);
  else if (near === nearX) paint(hit, near, 0.72 * (0.5 + 0.5 * patchwork(y, z, seed + 3)), colour);
  else paint(hit, near, 0.95 * (0.5 + 0.5 * patchwork(x, z, seed + 5)), colour);
}

function hitCylinder(ray: Ray, object: WorldObject, seed: number, hit: Hit): void {
  const radius = object.width / 2;
  const ox = ray.x - object.x;
  const oy = ray.y - object.y;
  const a = ray.dx * ray.dx + ray.dy * ray.dy;
  const b = ox * ray.dx + oy * ray.dy;
  const root = b * b - a * (ox * ox + oy * oy - radius * radius);
  const top = object.z + object.height;
  if (root > 0) {
    const distance = (-b - Math.sqrt(root)) / a;
    const z = ray.z + distance * ray.dz;
    if (distance > 0 && distance < hit.distance && z >= object.z && z <= top) {
      const nx = (ox + distance * ray.dx) / radius;
      const ny = (oy + distance * ray.dy) / radius;
      const light =
        (0.62 + 0.3 * Math.max(0, 0.6 * nx - 0.8 * ny)) *
        (0.6 + 0.4 * patchwork(Math.atan2(ny, nx) * radius, z, seed));
      paint(hit, distance, light, COLOUR_RGB[object.colour]);
    }
  }
  const lid = (top - ray.z) / ray.dz;
  if (lid <= 0 || lid >= hit.distance) return;
  const x = ox + lid * ray.dx;
  const y = oy + lid * ray.dy;
  if (x * x + y * y < radius * radius)
    paint(hit, lid, 0.8 + 0.2 * patchwork(x, y, seed), COLOUR_RGB[object.colour]);
}

function hitSphere(ray: Ray, object: WorldObject, hit: Hit): void {
  const radius = object.width / 2;
  const ox = ray.x - object.x;
  const oy = ray.y - object.y;
  const oz = ray.z - (object.z + radius);
  const b = ox * ray.dx + oy * ray.dy + oz * ray.dz;
  const root = b * b - (ox * ox + oy * oy + oz * oz - radius * radius);
  if (root <= 0) return;
  const distance = -b - Math.sqrt(root);
  if (distance <= 0 || distance >= hit.distance) return;
  const nx = (ox + distance * ray.dx) / radius;
  const ny = (oy + distance * ray.dy) / radius;
  const nz = (oz + distance * ray.dz) / radius;
  const diffuse = Math.max(0, 0.35 * nx - 0.5 * ny + 0.79 * nz);
  const seams = Math.abs(nx) < 0.035 || Math.abs(ny) < 0.035 || Math.abs(nz) < 0.035 ? 0.45 : 1;
  paint(hit, distance, (0.45 + 0.65 * diffuse) * seams, COLOUR_RGB[object.colour]);
}

/** A board on a pole, facing south and north. */
function hitBoard(ray: Ray, object: WorldObject, face: Face, hit: Hit): void {
  const distance = (object.y - ray.y) / ray.dy;
  if (distance <= 0 || distance >= hit.distance) return;
  const radius = object.width / 2;
  const x = ray.x + distance * ray.dx - object.x;
  const z = ray.z + distance * ray.dz - (object.z + object.height - radius * face.tall);
  const isSeenFromSouth = ray.dy > 0;
  const colour = face.paint((isSeenFromSouth ? x : -x) / radius, z / radius);
  if (colour !== null) paint(hit, distance, 1, colour);
  else if (Math.abs(x) < 0.04 && z < 0 && z > radius * face.tall - object.height)
    paint(hit, distance, 1, POLE);
}

function castRay(ray: Ray, world: World, place: Surroundings, seed: number, hit: Hit): void {
  hitSurroundings(ray, world.half_size, place, seed, hit);
  for (let index = 0; index < world.objects.length; index += 1) {
    const object = world.objects[index] as WorldObject;
    if (object.shape === "box") hitBox(ray, object, seed + 101 * (index + 1), hit);
    else if (object.shape === "cylinder") hitCylinder(ray, object, seed + 101 * (index + 1), hit);
    else if (object.shape === "sphere") hitSphere(ray, object, hit);
    else hitBoard(ray, object, FACES[object.shape], hit);
  }
}

/**
 * Draws what the agent sees.
 *
 * @param pose  In the world's coordinates; see {@link Pose}.
 * @param width  Pixels; the horizontal field of view is the world's, pixels are square.
 * @returns width × height × 3 bytes, RGB, rows packed; two by two rays a pixel.
 */
export function renderView(world: World, pose: Pose, width: number, height: number): Uint8Array {
  const place = SURROUNDINGS[world.setting];
  const seed = hash32(world.world_id) & 0xffff;
  const heading = (pose.heading_deg * Math.PI) / 180;
  const pitch = (pose.pitch_deg * Math.PI) / 180;
  const ahead = [
    Math.sin(heading) * Math.cos(pitch),
    Math.cos(heading) * Math.cos(pitch),
    Math.sin(pitch),
  ] as const;
  const right = [Math.cos(heading), -Math.sin(heading), 0] as const;
  const up = [
    right[1] * ahead[2] - right[2] * ahead[1],
    right[2] * ahead[0] - right[0] * ahead[2],
    right[0] * ahead[1] - right[1] * ahead[0],
  ] as const;
  const focal = width / 2 / Math.tan((world.field_of_view_deg * Math.PI) / 360);
  const pixels = new Uint8Array(width * height * 3);
  const ray: Ray = { x: pose.x, y: pose.y, z: pose.z, dx: 0, dy: 0, dz: 0 };
  const hit: Hit = { distance: 0, light: 0, r: 0, g: 0, b: 0 };
  let at = 0;
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1) {
      let r = 0;
      let g = 0;
      let b = 0;
      for (let sample = 0; sample < 4; sample += 1) {
        const u = (column + 0.25 + 0.5 * (sample & 1) - width / 2) / focal;
        const v = (height / 2 - row - 0.25 - 0.5 * (sample >> 1)) / focal;
        const dx = ahead[0] + u * right[0] + v * up[0];
        const dy = ahead[1] + u * right[1] + v * up[1];
        const dz = ahead[2] + u * right[2] + v * up[2];
        const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
        ray.dx = dx / length;
        ray.dy = dy / length;
        ray.dz = dz / length;
        castRay(ray, world, place, seed, hit);
        r += hit.r * hit.light;
        g += hit.g * hit.light;
        b += hit.b * hit.light;
      }
      pixels[at] = Math.min(255, r / 4);
      pixels[at + 1] = Math.min(255, g / 4);
      pixels[at + 2] = Math.min(255, b / 4);
      at += 3;
    }
  return pixels;
}
