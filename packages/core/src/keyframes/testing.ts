/** Pictures with a known motion, for tests and benches. */
import type { GreyPlane } from "./plane.ts";
import type { LumaPlane } from "./types.ts";

/** A seeded generator of numbers in [0, 1) (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A wall of rectangles of all sizes and greys over a slow gradient: rich in corners at every scale. */
export function paintWall(width: number, height: number, seed = 1): GreyPlane {
  const random = createRandom(seed);
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) data[y * width + x] = 90 + 60 * Math.sin(x / 173) * Math.cos(y / 119);
  }
  const count = Math.round((width * height) / 700);
  for (let i = 0; i < count; i += 1) {
    const w = 3 + Math.floor(random() ** 3 * 60);
    const h = 3 + Math.floor(random() ** 3 * 60);
    const left = Math.floor(random() * (width - w));
    const top = Math.floor(random() * (height - h));
    const grey = Math.floor(random() * 256);
    for (let y = top; y < top + h; y += 1) data.fill(grey, y * width + left, y * width + left + w);
  }
  return { width, height, data };
}

/** The part of a wall that a camera sees: top left corner, and wall pixels per picture pixel. */
export function viewWall(
  wall: GreyPlane,
  {
    left,
    top,
    scale = 1,
    width = 640,
    height = 360,
  }: {
    left: number;
    top: number;
    scale?: number;
    width?: number;
    height?: number;
  },
): GreyPlane {
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      data[y * width + x] = readBilinear(wall, left + (x + 0.5) * scale - 0.5, top + (y + 0.5) * scale - 0.5);
    }
  }
  return { width, height, data };
}

function readBilinear({ width, height, data }: GreyPlane, x: number, y: number): number {
  const left = Math.min(width - 2, Math.max(0, Math.floor(x)));
  const top = Math.min(height - 2, Math.max(0, Math.floor(y)));
  const right = Math.min(1, Math.max(0, x - left));
  const down = Math.min(1, Math.max(0, y - top));
  const i = top * width + left;
  const upper = (data[i] as number) * (1 - right) + (data[i + 1] as number) * right;
  const lower = (data[i + width] as number) * (1 - right) + (data[i + width + 1] as number) * right;
  return upper * (1 - down) + lower * down;
}

/** A plane of one grey. */
export function paintFlat(grey: number, width = 640, height = 360): GreyPlane {
  return { width, height, data: new Uint8Array(width * height).fill(grey) };
}

/** White noise. */
export function paintNoise(seed: number, width = 640, height = 360): GreyPlane {
  const random = createRandom(seed);
  return {
    width,
    height,
    data: Uint8Array.from({ length: width * height }, () => Math.floor(random() * 256)),
  };
}

/** A plane as decoded: upright, limited range. */
export function toLuma(plane: GreyPlane, frame: number, time_secs = frame): LumaPlane {
  return { ...plane, frame, time_secs, rotation: 0, full_range: false };
}
