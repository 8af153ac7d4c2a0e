import type { LumaPlane } from "./types.ts";

/** Grey pixels, rows packed. */
export type GreyPlane = { width: number; height: number; data: Uint8Array };

/** Turns a decoded plane upright. Copies only where there is something to turn. */
export function turnUpright(plane: Pick<LumaPlane, "width" | "height" | "data" | "rotation">): GreyPlane {
  const { width, height, data, rotation } = plane;
  if (data.length !== width * height) {
    throw new RangeError(`a plane of ${width}×${height} has ${width * height} bytes, not ${data.length}`);
  }
  if (rotation === 0) return { width, height, data };
  const turned = new Uint8Array(data.length);
  if (rotation === 180) {
    for (let i = 0, j = data.length - 1; j >= 0; i += 1, j -= 1) turned[i] = data[j] as number;
    return { width, height, data: turned };
  }
  // Rows become columns: 90° clockwise fills columns from the right, 270° from the left and upwards.
  const start = rotation === 90 ? height - 1 : (width - 1) * height;
  const alongRow = rotation === 90 ? height : -height;
  const alongColumn = rotation === 90 ? -1 : 1;
  let i = 0;
  for (let y = 0; y < height; y += 1) {
    let j = start + y * alongColumn;
    for (let x = 0; x < width; x += 1) {
      turned[j] = data[i] as number;
      i += 1;
      j += alongRow;
    }
  }
  return { width: height, height: width, data: turned };
}

const EXPANDED = Uint8Array.from({ length: 256 }, (_, y) =>
  Math.min(255, Math.max(0, Math.round(((y - 16) * 255) / 219))),
);

/**
 * Grey as the released extractor sees it.
 *
 * That one decodes to BGR and weighs the channels back to grey; with BT.601 on both ways the colour terms cancel and what is
 * left is the luma, stretched from 16–235 to 0–255 (±1 by rounding, more only where a saturated colour was clipped).
 */
export function expandRange(plane: GreyPlane, full_range: boolean): GreyPlane {
  if (full_range) return plane;
  const data = new Uint8Array(plane.data.length);
  for (let i = 0; i < data.length; i += 1) data[i] = EXPANDED[plane.data[i] as number] as number;
  return { ...plane, data };
}
