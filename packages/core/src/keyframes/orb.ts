/**
 * ORB features as OpenCV finds them, in WebAssembly of our own (`orb.c`): with its vector instructions, without the 11 MB of
 * OpenCV's build for JavaScript, and in a fifth of its time.
 */
import { DESCRIPTOR_BYTES, type FrameFeatures } from "./features.ts";
import { ORB_WASM } from "./orb-wasm.ts";
import type { GreyPlane } from "./plane.ts";

/** The little of WebAssembly that is used; both sides have it, the language's own library does not declare it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: Exports };
};

/** Addresses are in bytes of the memory. */
type Exports = {
  memory: { buffer: ArrayBuffer };
  /** Where the picture's rows go, packed. */
  begin(width: number, height: number): number;
  scale(width: number, height: number): void;
  /** Three doubles. */
  sum(): number;
  /** Per level: count, address of points, address of descriptors. */
  describe(features: number): number;
};

const LEVELS = 8;
/** ORB looks 31 pixels around a point; in a picture with no room for that there is none. */
const LEAST_SIDE = 32;

let exports: Exports | null = null;

/**
 * Scales a picture down by area and finds its features, to the bit as `cv::resize` and `cv::ORB` do.
 *
 * @param features  How many are looked for; a few more come where several are as good as the last.
 * @param width  The picture is scaled down to this many pixels across; 0 keeps its size.
 */
export function findFeatures(
  grey: GreyPlane,
  { features, width }: { features: number; width: number },
): Omit<FrameFeatures, "frame" | "time_secs"> {
  exports ??= new WebAssembly.Instance(new WebAssembly.Module(ORB_WASM)).exports;
  const { memory, begin, scale, describe } = exports;
  const at = begin(grey.width, grey.height);
  new Uint8Array(memory.buffer).set(grey.data, at);
  const size = { width: grey.width, height: grey.height };
  if (width > 0 && grey.width > width) {
    size.width = width;
    size.height = Math.max(1, Math.round((grey.height * width) / grey.width));
    scale(size.width, size.height);
  }
  const noise = measureNoise(exports, size);
  if (Math.min(size.width, size.height) < LEAST_SIDE) {
    return { ...size, points: new Float32Array(), descriptors: new Uint8Array(), noise };
  }
  const levels = describe(features);
  const { buffer } = memory;
  const found = [...new Uint32Array(buffer, levels, 3 * LEVELS)];
  const total = found.reduce((sum, value, i) => (i % 3 === 0 ? sum + value : sum), 0);
  const points = new Float32Array(2 * total);
  const descriptors = new Uint8Array(DESCRIPTOR_BYTES * total);
  for (let level = 0, done = 0; level < LEVELS; level += 1) {
    const [count = 0, pointsAt = 0, descriptorsAt = 0] = found.slice(3 * level, 3 * level + 3);
    points.set(new Float32Array(buffer, pointsAt, 2 * count), 2 * done);
    descriptors.set(new Uint8Array(buffer, descriptorsAt, DESCRIPTOR_BYTES * count), DESCRIPTOR_BYTES * done);
    done += count;
  }
  return { ...size, points, descriptors, noise };
}

/**
 * How little neighbouring pixels have to do with each other: mean squared difference of neighbours along rows ÷ twice the
 * variance. About 0.05 for a sharp photograph, below 0.01 when blurred, 1 for white noise; 0 for a flat plane.
 */
function measureNoise(
  { memory, sum }: Exports,
  { width, height }: { width: number; height: number },
): number {
  const [pixels = 0, squares = 0, differences = 0] = new Float64Array(memory.buffer, sum(), 3);
  const count = width * height;
  const variance = squares / count - (pixels / count) ** 2;
  if (width < 2 || variance < 0.25) return 0;
  return differences / (height * (width - 1)) / (2 * variance);
}
