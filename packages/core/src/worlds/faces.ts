import { STOP_ROWS } from "./glyphs.ts";
import type { Shape } from "./types.ts";

export type Rgb = readonly [number, number, number];

/** What is painted on a board on a pole. */
export type Face = {
  /** Height of the board as a multiple of its width. */
  tall: number;
  /**
   * @param x  From the board's centre to its right, as a share of half its width.
   * @param z  From its centre upwards, in the same measure.
   * @returns Null beside the board.
   */
  paint(x: number, z: number): Rgb | null;
};

export const POLE: Rgb = [122, 124, 128];
const WHITE: Rgb = [238, 238, 234];
const BLACK: Rgb = [24, 24, 26];
const SIGN_RED: Rgb = [190, 24, 28];

function paintStop(x: number, z: number): Rgb | null {
  const edge = Math.max(Math.abs(x), Math.abs(z), (Math.abs(x) + Math.abs(z)) / Math.SQRT2);
  if (edge > 1) return null;
  if (edge > 0.9) return WHITE;
  const column = Math.floor(((x + 0.76) / 1.52) * 20);
  const row = Math.floor(((0.3 - z) / 0.6) * STOP_ROWS.length);
  return STOP_ROWS[row]?.charAt(column) === "#" ? WHITE : SIGN_RED;
}

/** Ten past ten, the hour hand at 305 degrees and the minute hand at 60. */
const HANDS = [
  { angle_deg: 305, length: 0.45, half_width: 0.055 },
  { angle_deg: 60, length: 0.68, half_width: 0.04 },
] as const;

function paintClock(x: number, z: number): Rgb | null {
  const radius = Math.hypot(x, z);
  if (radius > 1) return null;
  if (radius > 0.88) return BLACK;
  for (const { angle_deg, length, half_width } of HANDS) {
    const angle = (angle_deg * Math.PI) / 180;
    const along = x * Math.sin(angle) + z * Math.cos(angle);
    const across = x * Math.cos(angle) - z * Math.sin(angle);
    if (along > -0.1 && along < length && Math.abs(across) < half_width) return BLACK;
  }
  if (radius < 0.66 || radius > 0.82) return WHITE;
  const hour = (Math.atan2(x, z) * 6) / Math.PI;
  const off = Math.abs(hour - Math.round(hour)) * (Math.PI / 6) * radius;
  return off < (Math.round(hour) % 3 === 0 ? 0.055 : 0.03) ? BLACK : WHITE;
}

const LAMPS: readonly { z: number; colour: Rgb }[] = [
  { z: 1.55, colour: [238, 44, 36] },
  { z: 0, colour: [96, 72, 20] },
  { z: -1.55, colour: [20, 78, 42] },
];

function paintLights(x: number, z: number): Rgb | null {
  if (Math.abs(x) > 1 || Math.abs(z) > 2.5) return null;
  const lamp = LAMPS.find((one) => Math.hypot(x, z - one.z) < 0.62);
  return lamp?.colour ?? BLACK;
}

/** The boards, by the shape of their objects. */
export const FACES: Record<Exclude<Shape, "box" | "cylinder" | "sphere">, Face> = {
  sign: { tall: 1, paint: paintStop },
  clock: { tall: 1, paint: paintClock },
  lights: { tall: 2.5, paint: paintLights },
};
