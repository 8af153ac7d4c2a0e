import { AV_PIX_FMT_GRAY8, AVCOL_RANGE_JPEG, type AVPixelFormat, avGetPixFmtName, type Frame } from "node-av";
import { convert } from "./convert.ts";

/** Bytes a sample and how far a sample is shifted right to become 8 bits; null when the format has no plain Y plane. */
export function getLumaLayout(pixelFormat: string): { bytes: 1 | 2; shift: number } | null {
  if (/^(yuvj?|yuva)4[0-4]{2}p$|^yuva?44[04]p$|^yuvj?411p$|^nv(12|21|16|24|42)$|^gray$/.test(pixelFormat)) {
    return { bytes: 1, shift: 0 };
  }
  if (/^p[024](10|12|16)le$/.test(pixelFormat)) return { bytes: 2, shift: 8 };
  const deep = /^(?:yuva?4\d\dp|gray)(9|10|12|14|16)le$/.exec(pixelFormat);
  return deep ? { bytes: 2, shift: Number(deep[1]) - 8 } : null;
}

/**
 * Copies the Y plane of a decoded picture, 8 bits a sample, rows packed, as coded (not turned, not scaled).
 * Deeper samples lose their low bits; pictures without a Y plane (GIF, RGB) are turned to grey by swscale.
 */
export function copyLuma(frame: Frame): Uint8Array<ArrayBuffer> {
  const { width, height } = frame;
  const layout = getLumaLayout(avGetPixFmtName(frame.format as AVPixelFormat) ?? "");
  if (!layout) return convert(frame, { width, height, format: AV_PIX_FMT_GRAY8 }, copyLuma);
  const plane = frame.data?.[0];
  const stride = frame.linesize[0] ?? 0;
  if (!plane) throw new RangeError("the picture has no pixels");
  const luma = new Uint8Array(width * height);
  if (layout.bytes === 1) {
    for (let y = 0; y < height; y++) luma.set(plane.subarray(y * stride, y * stride + width), y * width);
    return luma;
  }
  for (let y = 0; y < height; y++) {
    const row = new Uint16Array(plane.buffer, plane.byteOffset + y * stride, width);
    for (let x = 0; x < width; x++) luma[y * width + x] = (row[x] ?? 0) >> layout.shift;
  }
  return luma;
}

/** True where black is 0 and white is 255 in what `copyLuma` returns, false where they are 16 and 235. */
export function hasFullRange(frame: Frame): boolean {
  const name = avGetPixFmtName(frame.format as AVPixelFormat) ?? "";
  return frame.colorRange === AVCOL_RANGE_JPEG || name.startsWith("yuvj") || getLumaLayout(name) === null;
}
