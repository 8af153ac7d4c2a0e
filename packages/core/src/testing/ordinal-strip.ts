/**
 * A picture that says which one it is: across the top of an upright picture lies a strip of 16 equal cells, an eighth
 * of the height high. White, black, then twelve bits of the ordinal, highest first, white for 1; then a cell that makes
 * the number of white cells among bits and itself even; then white.
 *
 * Cells are relative to the picture, so the strip survives scaling, pixel aspect and lossy coding. Pictures should be at
 * least 256 wide, for cells of 16 pixels.
 */
const CELLS = 16;
const BITS = 12;
const BLACK = 16;
const WHITE = 235;

/** The ordinals that a strip can hold are 0 … this. */
export const MAX_STRIP_ORDINAL = 2 ** BITS - 1;

function makeCells(ordinal: number): boolean[] {
  const bits = Array.from({ length: BITS }, (_, place) => ((ordinal >> (BITS - 1 - place)) & 1) === 1);
  const isOdd = bits.filter((bit) => bit).length % 2 === 1;
  return [true, false, ...bits, isOdd, true];
}

/** Draws the strip into an upright 8-bit luma plane, rows packed, black 16 and white 235. */
export function drawOrdinalStrip(luma: Uint8Array, width: number, height: number, ordinal: number) {
  if (!(ordinal >= 0 && ordinal <= MAX_STRIP_ORDINAL))
    throw new RangeError(`no strip for ordinal ${ordinal}`);
  const cells = makeCells(ordinal);
  for (let y = 0; y < Math.floor(height / 8); y++) {
    for (let x = 0; x < width; x++) {
      luma[y * width + x] = cells[Math.floor((x * CELLS) / width)] ? WHITE : BLACK;
    }
  }
}

/**
 * Reads the strip off an upright picture.
 *
 * @param getBrightness  0–255 of a pixel; of an RGBA canvas, its green channel will do.
 * @returns Null when there is no strip, or it is too damaged to be believed.
 */
export function readOrdinalStrip(
  width: number,
  height: number,
  getBrightness: (x: number, y: number) => number,
): number | null {
  const y0 = height / 8;
  const cells = Array.from({ length: CELLS }, (_, cell) => {
    let sum = 0;
    for (const across of [0.4, 0.5, 0.6]) {
      for (const down of [0.3, 0.5, 0.7]) {
        sum += getBrightness(Math.floor(((cell + across) * width) / CELLS), Math.floor(y0 * down));
      }
    }
    return sum / 9;
  });
  if (cells.some((brightness) => brightness > 88 && brightness < 168)) return null;
  const bits = cells.slice(2, 2 + BITS).map((brightness) => brightness > 128);
  const ordinal = bits.reduce((sum, bit) => sum * 2 + Number(bit), 0);
  const agrees = makeCells(ordinal).every((white, cell) => white === (cells[cell] ?? 0) > 128);
  return agrees ? ordinal : null;
}
