import type { Rotation } from "@sightline/core/clips";
import { turnUpright } from "@sightline/core/keyframes";
import {
  AV_CODEC_FLAG_QSCALE,
  AV_PIX_FMT_YUVJ420P,
  AVCOL_RANGE_JPEG,
  Codec,
  CodecContext,
  FF_ENCODER_MJPEG,
  FFmpegError,
  Frame,
  Packet,
} from "node-av";
import { convert } from "./convert.ts";
import { getDisplaySize } from "./probe.ts";

const FF_QP2LAMBDA = 118;
/** MJPEG quantiser: 1 is best, 31 smallest. */
const QUALITY = 4;

const even = (size: number) => Math.max(2, 2 * Math.round(size / 2));

/**
 * Draws a decoded picture as an upright JPEG with square pixels.
 *
 * @param width  Width of the JPEG at most; a picture is never enlarged.
 */
export function drawJpeg(
  frame: Frame,
  look: { rotation: Rotation; pixel_aspect: number },
  width: number,
): Buffer {
  const upright = getDisplaySize(frame.width, frame.height, look.pixel_aspect, look.rotation);
  const scale = Math.min(1, width / upright.display_width);
  const wide = even(upright.display_width * scale);
  const high = even(upright.display_height * scale);
  const lies = look.rotation === 90 || look.rotation === 270;
  const coded = { width: lies ? high : wide, height: lies ? wide : high };
  return convert(frame, { ...coded, format: AV_PIX_FMT_YUVJ420P, full_range: true }, (small) => {
    if (look.rotation === 0) return encode(small);
    const turned = turn(small, look.rotation);
    try {
      return encode(turned);
    } finally {
      turned.free();
    }
  });
}

function turn(frame: Frame, rotation: Rotation): Frame {
  const planes = [0, 1, 2].map((index) => {
    const width = index === 0 ? frame.width : frame.width / 2;
    const height = index === 0 ? frame.height : frame.height / 2;
    const stride = frame.linesize[index] ?? 0;
    const data = new Uint8Array(width * height);
    const plane = frame.data?.[index];
    for (let y = 0; plane && y < height; y++)
      data.set(plane.subarray(y * stride, y * stride + width), y * width);
    return turnUpright({ width, height, data, rotation });
  });
  const luma = planes[0];
  return Frame.fromVideoBuffer(Buffer.concat(planes.map((plane) => plane.data)), {
    width: luma?.width ?? 0,
    height: luma?.height ?? 0,
    format: AV_PIX_FMT_YUVJ420P,
  });
}

function encode(frame: Frame): Buffer {
  const codec = Codec.findEncoderByName(FF_ENCODER_MJPEG);
  const context = new CodecContext();
  const packet = new Packet();
  try {
    context.allocContext3(codec);
    context.width = frame.width;
    context.height = frame.height;
    context.pixelFormat = AV_PIX_FMT_YUVJ420P;
    context.colorRange = AVCOL_RANGE_JPEG;
    context.timeBase = { num: 1, den: 25 } as CodecContext["timeBase"];
    context.setFlags(AV_CODEC_FLAG_QSCALE);
    context.globalQuality = FF_QP2LAMBDA * QUALITY;
    context.threadCount = 1;
    FFmpegError.throwIfError(context.open2Sync(codec), "start the JPEG encoder");
    frame.quality = FF_QP2LAMBDA * QUALITY;
    frame.pts = 0n;
    FFmpegError.throwIfError(context.sendFrameSync(frame), "encode a JPEG");
    packet.alloc();
    FFmpegError.throwIfError(context.receivePacketSync(packet), "encode a JPEG");
    return Buffer.from(packet.data ?? []);
  } finally {
    packet.free();
    context.freeContext();
  }
}
