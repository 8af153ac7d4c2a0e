import { AV_CODEC_ID_MJPEG, Codec, CodecContext, FFmpegError, Frame, Packet } from "node-av";
import { copyLuma } from "../luma.ts";

/** Size and luma of a JPEG. */
export function decodeJpeg(jpeg: Uint8Array): { width: number; height: number; luma: Uint8Array } {
  const codec = Codec.findDecoder(AV_CODEC_ID_MJPEG);
  const context = new CodecContext();
  const packet = new Packet();
  const frame = new Frame();
  context.allocContext3(codec);
  packet.alloc();
  frame.alloc();
  try {
    FFmpegError.throwIfError(context.open2Sync(codec), "start the JPEG decoder");
    packet.data = Buffer.from(jpeg);
    FFmpegError.throwIfError(context.sendPacketSync(packet), "decode a JPEG");
    context.sendPacketSync(null);
    FFmpegError.throwIfError(context.receiveFrameSync(frame), "decode a JPEG");
    return { width: frame.width, height: frame.height, luma: copyLuma(frame) };
  } finally {
    frame.free();
    packet.free();
    context.freeContext();
  }
}
