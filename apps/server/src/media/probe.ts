import type { Rotation } from "@sightline/core/clips";
import {
  AV_PIX_FMT_NONE,
  AV_PKT_DATA_DISPLAYMATRIX,
  AVCOL_RANGE_JPEG,
  type AVPixelFormat,
  avGetCodecName,
  avGetPixFmtName,
} from "node-av";
import type { VideoInput } from "./open.ts";

/** What the container and the coding say of a video, before a picture has been decoded. */
export type VideoFacts = {
  /** FFmpeg's names of the container, for instance "mov,mp4,m4a,3gp,3g2,mj2". */
  container: string;
  /** FFmpeg's name of the codec, for instance "h264". */
  codec: string;
  /** FFmpeg's name, for instance "yuv420p10le"; null when it shows only while decoding. */
  pixel_format: string | null;
  /** The coded picture, cropped, before rotation and pixel aspect. */
  coded_width: number;
  coded_height: number;
  /** Upright, square pixels. */
  display_width: number;
  display_height: number;
  rotation: Rotation;
  /** Width of a coded pixel divided by its height. */
  pixel_aspect: number;
  /** True when luma spans 0–255; false for 16–235. */
  full_range: boolean;
  /** FFmpeg's number of the matrix (1 is BT.709, 5 and 6 BT.601, 2 unspecified). */
  color_space: number;
};

/** Reads the facts of an opened video. */
export function probe(input: VideoInput): VideoFacts {
  const { codecpar } = input.stream;
  const { width, height } = codecpar;
  const rotation = getRotation(codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX));
  const pixel_aspect = getPixelAspect(input);
  const format = codecpar.format as AVPixelFormat;
  const pixel_format = format === AV_PIX_FMT_NONE ? null : avGetPixFmtName(format);
  return {
    container: input.format.iformat?.name ?? "unknown",
    codec: avGetCodecName(codecpar.codecId) ?? "unknown",
    pixel_format,
    coded_width: width,
    coded_height: height,
    ...getDisplaySize(width, height, pixel_aspect, rotation),
    rotation,
    pixel_aspect,
    full_range: codecpar.colorRange === AVCOL_RANGE_JPEG || pixel_format?.startsWith("yuvj") === true,
    color_space: codecpar.colorSpace,
  };
}

/** The upright size in square pixels; the shorter side of a pixel is stretched, nothing shrinks. */
export function getDisplaySize(width: number, height: number, pixelAspect: number, rotation: Rotation) {
  const wide = pixelAspect >= 1 ? Math.round(width * pixelAspect) : width;
  const high = pixelAspect >= 1 ? height : Math.round(height / pixelAspect);
  const lies = rotation === 90 || rotation === 270;
  return { display_width: lies ? high : wide, display_height: lies ? wide : high };
}

function getPixelAspect(input: VideoInput): number {
  for (const { num, den } of [input.stream.sampleAspectRatio, input.stream.codecpar.sampleAspectRatio]) {
    const aspect = num / den;
    if (num > 0 && den > 0 && aspect > 1 / 50 && aspect < 50) return aspect;
  }
  return 1;
}

/** @param matrix  Nine little-endian 16.16 numbers, row-major, as FFmpeg keeps a display matrix. */
function getRotation(matrix: Buffer | null): Rotation {
  if (!matrix || matrix.length < 36) return 0;
  const a = matrix.readInt32LE(0);
  const b = matrix.readInt32LE(4);
  const quarters = Math.round(Math.atan2(b, a) / (Math.PI / 2));
  return ((((quarters % 4) + 4) % 4) * 90) as Rotation;
}
