import {
  AV_CODEC_FLAG_QSCALE,
  AV_PIX_FMT_YUVJ420P,
  AVCOL_RANGE_JPEG,
  Codec,
  CodecContext,
  FF_ENCODER_MJPEG,
  FFmpegError,
  type Frame,
  Packet,
} from "node-av";
import { drawUpright, type Look } from "./upright.ts";

const FF_QP2LAMBDA = 118;
/** MJPEG quantiser: 1 is best, 31 smallest. */
const QUALITY = 4;

/**
 * Draws a decoded picture as an upright JPEG with square pixels.
 *
 * @param width  Width of the JPEG at most; a picture is never enlarged.
 */
export function drawJpeg(frame: Frame, look: Look, width: number): Buffer {
  return drawUpright(frame, look, { width, format: AV_PIX_FMT_YUVJ420P, full_range: true }, encode);
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
