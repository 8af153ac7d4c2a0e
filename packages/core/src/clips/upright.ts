import type { Rotation } from "./index.ts";

/** One 8-bit plane, rows packed. */
export type UprightPlane = { width: number; height: number; data: Uint8Array };

/**
 * Turns a coded plane upright.
 *
 * @param rotation  Degrees clockwise that make the picture upright; at 0 the plane itself is returned, not a copy.
 */
export function turnUpright(plane: UprightPlane, rotation: Rotation): UprightPlane {
  const { width, height, data } = plane;
  if (rotation === 0) return plane;
  const turned = new Uint8Array(width * height);
  if (rotation === 180) {
    for (let from = 0, to = turned.length - 1; to >= 0; from++, to--) turned[to] = data[from] ?? 0;
    return { width, height, data: turned };
  }
  // Clockwise: column x of the source, read upwards, is row x of the result; counter-clockwise: read downwards, from the right.
  for (let x = 0; x < width; x++) {
    const row = (rotation === 90 ? x : width - 1 - x) * height;
    for (let y = 0; y < height; y++) {
      turned[row + (rotation === 90 ? height - 1 - y : y)] = data[y * width + x] ?? 0;
    }
  }
  return { width: height, height: width, data: turned };
}
