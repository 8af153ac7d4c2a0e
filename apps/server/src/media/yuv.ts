import type { Rotation } from "@sightline/core/clips";
import type { YuvPicture } from "@sightline/core/detection";
import {
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_SMPTE170M,
  type Frame,
} from "node-av";
import { convert } from "./convert.ts";
import { hasFullRange } from "./luma.ts";

/** Copies the three planes of a decoded picture; formats other than 4:2:0 with a byte a sample are turned to it by swscale. */
export function copyYuv(frame: Frame, rotation: Rotation): YuvPicture {
  const { width, height, format } = frame;
  const full_range = hasFullRange(frame);
  if (format !== AV_PIX_FMT_YUV420P && format !== AV_PIX_FMT_YUVJ420P) {
    return convert(frame, { width, height, format: AV_PIX_FMT_YUV420P, full_range }, (plain) =>
      copyYuv(plain, rotation),
    );
  }
  const isOld = frame.colorSpace === AVCOL_SPC_BT470BG || frame.colorSpace === AVCOL_SPC_SMPTE170M;
  return {
    width,
    height,
    y: copyPlane(frame, 0, width, height),
    u: copyPlane(frame, 1, (width + 1) >> 1, (height + 1) >> 1),
    v: copyPlane(frame, 2, (width + 1) >> 1, (height + 1) >> 1),
    full_range,
    matrix: isOld ? "bt601" : "bt709",
    rotation,
  };
}

function copyPlane(frame: Frame, index: number, width: number, height: number): Uint8Array {
  const plane = frame.data?.[index];
  const stride = frame.linesize[index] ?? 0;
  if (!plane) throw new RangeError("the picture has no pixels");
  const packed = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) packed.set(plane.subarray(y * stride, y * stride + width), y * width);
  return packed;
}
