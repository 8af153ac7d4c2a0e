import { LABELS } from "./labels.ts";
import { resample } from "./resample.ts";
import type { Detection, DetectorOutputs, Picture, RunNetwork } from "./types.ts";

/** Side of the network's square input, and of its square grid of places, in pixels. */
export const INPUT_SIDE = 512;
const GRID = 128;
const STEP = INPUT_SIDE / GRID;

/** Detections below this are left out: the network's own doubts begin here. */
export const LEAST_SCORE = 0.4;
/** Two boxes of one label that share more than this of their joint area are one object. */
const SAME_OVERLAP = 0.5;

/** Where a picture lies in the network's input: proportions kept, in the middle, black around it; in its pixels. */
type Frame = { left: number; top: number; width: number; height: number };

/**
 * The objects of a picture that the detector is sure enough of.
 *
 * @returns Best first.
 */
export async function detect(picture: Picture, run: RunNetwork): Promise<Detection[]> {
  return readDetections(await run(fitPicture(picture)), picture);
}

/**
 * The network's input for a picture. Squeezed to a square, as the network was trained, objects of wide pictures lose a
 * third of their score: proportions are kept.
 */
export function fitPicture(picture: Picture): Float32Array {
  const { left, top, width, height } = getFrame(picture);
  const small = resample(picture, width, height);
  const input = new Float32Array(INPUT_SIDE * INPUT_SIDE * 3);
  for (let row = 0; row < height; row += 1)
    input.set(small.subarray(row * width * 3, (row + 1) * width * 3), ((top + row) * INPUT_SIDE + left) * 3);
  return input;
}

function getFrame({ width, height }: { width: number; height: number }): Frame {
  const scale = INPUT_SIDE / Math.max(width, height);
  const wide = Math.max(1, Math.round(width * scale));
  const high = Math.max(1, Math.round(height * scale));
  return { left: (INPUT_SIDE - wide) >> 1, top: (INPUT_SIDE - high) >> 1, width: wide, height: high };
}

/**
 * Reads the network's outputs: a centre is a place hotter than its eight neighbours, its box reaches from there.
 *
 * @param size  Of the upright picture, in whose pixels the boxes are.
 * @returns Best first, doubles left out, boxes inside the picture.
 * @see CenterNet, "Objects as Points", section 4; edges by their own distances, as the network was trained
 */
export function readDetections(
  { heat, reach }: DetectorOutputs,
  size: { width: number; height: number },
  least = LEAST_SCORE,
): Detection[] {
  const found: Detection[] = [];
  for (let at = 0; at < heat.length; at += 1) {
    const score = heat[at] as number;
    if (score < least || !isPeak(heat, at)) continue;
    const place = at % (GRID * GRID);
    const label = LABELS[(at - place) / (GRID * GRID)];
    const box = readBox(reach, place, size);
    if (label !== undefined && box[2] > box[0] && box[3] > box[1]) found.push({ label, score, box });
  }
  return keepBest(found.sort((a, b) => b.score - a.score));
}

function isPeak(heat: Float32Array, at: number): boolean {
  const place = at % (GRID * GRID);
  const column = place % GRID;
  const row = (place - column) / GRID;
  for (let down = -1; down <= 1; down += 1)
    for (let along = -1; along <= 1; along += 1) {
      const isInside = row + down >= 0 && row + down < GRID && column + along >= 0 && column + along < GRID;
      if (isInside && (heat[at + down * GRID + along] as number) > (heat[at] as number)) return false;
    }
  return true;
}

function readBox(
  reach: Float32Array,
  place: number,
  size: { width: number; height: number },
): Detection["box"] {
  const frame = getFrame(size);
  const column = place % GRID;
  const x = STEP * column - frame.left;
  const y = (STEP * (place - column)) / GRID - frame.top;
  const edge = (side: 0 | 1 | 2 | 3) => reach[side * GRID * GRID + place] as number;
  const across = (value: number) => Math.min(size.width, Math.max(0, (value * size.width) / frame.width));
  const down = (value: number) => Math.min(size.height, Math.max(0, (value * size.height) / frame.height));
  return [across(x - edge(0)), down(y - edge(1)), across(x + edge(2)), down(y + edge(3))];
}

function keepBest(sorted: readonly Detection[]): Detection[] {
  const kept: Detection[] = [];
  for (const one of sorted) {
    const isDouble = kept.some(
      (other) => other.label === one.label && getOverlap(other.box, one.box) > SAME_OVERLAP,
    );
    if (!isDouble) kept.push(one);
  }
  return kept;
}

/** Shared area of two boxes as a share of their joint area, in [0, 1]. */
export function getOverlap(a: Detection["box"], b: Detection["box"]): number {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  const area = (box: Detection["box"]) => (box[2] - box[0]) * (box[3] - box[1]);
  return shared / (area(a) + area(b) - shared);
}
