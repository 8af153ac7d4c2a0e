import type { Picture } from "./types.ts";

/** One pixel of the result along one axis: the source's pixels that it is made of, and their shares. */
type Mix = { from: number; shares: Float32Array };

/**
 * Scales a picture to `width` × `height` without keeping its proportions: a triangle as wide as a pixel of the smaller of
 * the two grids, so that a large picture is averaged and a small one interpolated.
 *
 * @returns width × height × 3, RGB, rows packed, 0 to 255 with fractions.
 */
export function resample(picture: Picture, width: number, height: number): Float32Array {
  const { data, channels } = picture;
  const columns = mix(picture.width, width);
  const rows = mix(picture.height, height);
  const narrow = new Float32Array(picture.height * width * 3);
  let at = 0;
  for (let y = 0; y < picture.height; y += 1)
    for (const { from, shares } of columns) {
      let red = 0;
      let green = 0;
      let blue = 0;
      let pixel = (y * picture.width + from) * channels;
      for (const share of shares) {
        red += share * (data[pixel] as number);
        green += share * (data[pixel + 1] as number);
        blue += share * (data[pixel + 2] as number);
        pixel += channels;
      }
      narrow[at] = red;
      narrow[at + 1] = green;
      narrow[at + 2] = blue;
      at += 3;
    }
  const small = new Float32Array(width * height * 3);
  const stride = width * 3;
  rows.forEach(({ from, shares }, y) => {
    shares.forEach((share, row) => {
      const start = (from + row) * stride;
      for (let x = 0; x < stride; x += 1)
        small[y * stride + x] = (small[y * stride + x] as number) + share * (narrow[start + x] as number);
    });
  });
  return small;
}

function mix(from: number, to: number): Mix[] {
  const scale = from / to;
  const reach = Math.max(1, scale);
  return Array.from({ length: to }, (_, pixel) => {
    const centre = (pixel + 0.5) * scale - 0.5;
    const first = Math.max(0, Math.ceil(centre - reach));
    const last = Math.min(from - 1, Math.floor(centre + reach));
    const shares = Float32Array.from({ length: last - first + 1 }, (_, k) =>
      Math.max(0, 1 - Math.abs(first + k - centre) / reach),
    );
    const sum = shares.reduce((total, share) => total + share, 0);
    return { from: first, shares: shares.map((share) => share / sum) };
  });
}
