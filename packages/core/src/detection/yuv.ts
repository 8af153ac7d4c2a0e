import type { Rotation } from "../clips/index.ts";
import { turnUpright } from "../keyframes/plane.ts";
import type { Picture } from "./types.ts";

/**
 * A decoded picture as coded: three planes of a byte a sample, rows packed, colour at half the width and half the height,
 * rounded up. Such planes are the same in a browser and from FFmpeg; their RGB is not.
 */
export type YuvPicture = {
  width: number;
  height: number;
  y: Uint8Array;
  u: Uint8Array;
  v: Uint8Array;
  /** True where black is 0 and white 255; false where they are 16 and 235. */
  full_range: boolean;
  /** BT.709 where the file doesn't say. */
  matrix: "bt601" | "bt709";
  /** Degrees clockwise that turn the picture upright. */
  rotation: Rotation;
};

const WEIGHTS = { bt601: { red: 0.299, blue: 0.114 }, bt709: { red: 0.2126, blue: 0.0722 } };

/** Turns upright and converts to RGB. */
export function readYuv(yuv: YuvPicture): Picture {
  const { rotation, full_range } = yuv;
  const half = { width: (yuv.width + 1) >> 1, height: (yuv.height + 1) >> 1, rotation };
  const { width, height, data: y } = turnUpright({ ...yuv, data: yuv.y });
  const { width: stride, data: u } = turnUpright({ ...half, data: yuv.u });
  const { data: v } = turnUpright({ ...half, data: yuv.v });
  const { red, blue } = WEIGHTS[yuv.matrix];
  const black = full_range ? 0 : 16;
  const light = full_range ? 1 : 255 / 219;
  const colour = full_range ? 1 : 255 / 224;
  const toRed = 2 * (1 - red) * colour;
  const toBlue = 2 * (1 - blue) * colour;
  const green = 1 - red - blue;
  const data = new Uint8ClampedArray(width * height * 3);
  let at = 0;
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1) {
      const place = (row >> 1) * stride + (column >> 1);
      const luma = ((y[row * width + column] as number) - black) * light;
      const r = luma + ((v[place] as number) - 128) * toRed;
      const b = luma + ((u[place] as number) - 128) * toBlue;
      data[at] = r;
      data[at + 1] = (luma - red * r - blue * b) / green;
      data[at + 2] = b;
      at += 3;
    }
  return { width, height, channels: 3, data };
}
