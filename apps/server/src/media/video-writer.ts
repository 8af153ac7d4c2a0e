import type { Rotation } from "@sightline/core/clips";
import {
  AV_CODEC_FLAG_FRAME_DURATION,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_PKT_DATA_DISPLAYMATRIX,
  type AVColorRange,
  type AVColorSpace,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  AVFMT_GLOBALHEADER,
  type AVPixelFormat,
  Codec,
  CodecContext,
  FFmpegError,
  type FFVideoEncoder,
  FormatContext,
  type Frame,
  Packet,
  Rational,
} from "node-av";

import "./quiet.ts";

export type VideoWriterSettings = {
  /** FFmpeg's name of the container; null to go by the file's ending. */
  container: string | null;
  encoder: FFVideoEncoder;
  width: number;
  height: number;
  format: AVPixelFormat;
  /** Seconds per tick of the frames' pts and duration. */
  tick: { num: number; den: number };
  /** Pictures a second, about: some encoders derive their level and limits from it. */
  frame_rate: number;
  /** Fewest pictures between entry points, and most. */
  gop: number;
  b_frames: number;
  rotation?: Rotation;
  pixel_aspect?: number;
  color_range?: AVColorRange;
  color_space?: AVColorSpace;
  threads?: number;
  encoder_options?: Record<string, string>;
  container_options?: Record<string, string>;
};

/** Writes frames into a new video file. */
export type VideoWriter = {
  /** The frame's pts and duration count ticks. */
  write(frame: Frame): void;
  /** Flushes and completes the file. */
  finish(): void;
  /** Frees everything; safe after `finish` and after a failure. */
  close(): void;
};

export function openVideoWriter(file: string, settings: VideoWriterSettings): VideoWriter {
  const format = new FormatContext();
  const context = new CodecContext();
  const packet = new Packet();
  packet.alloc();
  let opened = false;

  const close = () => {
    packet.free();
    context.freeContext();
    if (opened) format.closeOutputSync();
    opened = false;
    format.freeContext();
  };

  try {
    check(format.allocOutputContext2(null, settings.container, file), "choose a container");
    const codec = Codec.findEncoderByName(settings.encoder);
    if (!codec) throw new Error(`The encoder ${settings.encoder} is not there.`);
    configure(context, codec, settings, needsGlobalHeader(format));
    const stream = format.newStream(codec);
    check(stream.codecpar.fromContext(context), "describe the coding");
    if (settings.rotation) {
      const matrix = makeDisplayMatrix(settings.rotation);
      stream.codecpar.addCodedSideData(AV_PKT_DATA_DISPLAYMATRIX, matrix);
    }
    stream.timeBase = context.timeBase;
    stream.sampleAspectRatio = context.sampleAspectRatio;
    check(format.openOutputSync(), "create the file");
    opened = true;
    setOptions(format, settings.container_options);
    check(format.writeHeaderSync(), "write the file's header");

    const drain = () => {
      for (;;) {
        const received = context.receivePacketSync(packet);
        if (received === AVERROR_EAGAIN || received === AVERROR_EOF) return;
        check(received, "encode a picture");
        packet.streamIndex = stream.index;
        packet.rescaleTs(context.timeBase, stream.timeBase);
        check(format.interleavedWriteFrameSync(packet), "write a picture");
        packet.unref();
      }
    };
    return {
      write(frame) {
        check(context.sendFrameSync(frame), "encode a picture");
        drain();
      },
      finish() {
        check(context.sendFrameSync(null), "finish encoding");
        drain();
        check(format.writeTrailerSync(), "complete the file");
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function configure(
  context: CodecContext,
  codec: Codec,
  settings: VideoWriterSettings,
  globalHeader: boolean,
) {
  context.allocContext3(codec);
  context.width = settings.width;
  context.height = settings.height;
  context.pixelFormat = settings.format;
  context.timeBase = new Rational(settings.tick.num, settings.tick.den);
  context.framerate = new Rational(Math.max(1, Math.round(settings.frame_rate * 1000)), 1000);
  context.gopSize = settings.gop;
  context.maxBFrames = settings.b_frames;
  context.threadCount = settings.threads ?? 2;
  context.sampleAspectRatio = toRatio(settings.pixel_aspect ?? 1);
  if (settings.color_range !== undefined) context.colorRange = settings.color_range;
  if (settings.color_space !== undefined) context.colorSpace = settings.color_space;
  context.setFlags(AV_CODEC_FLAG_FRAME_DURATION);
  if (globalHeader) context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  setOptions(context, settings.encoder_options);
  check(context.open2Sync(codec), `start the encoder ${settings.encoder}`);
}

/** Option by option: FFmpeg frees a dictionary that it is handed, and so would node-av. */
function setOptions(target: CodecContext | FormatContext, options: Record<string, string> = {}) {
  for (const [name, value] of Object.entries(options)) check(target.setOption(name, value), `set ${name}`);
}

function needsGlobalHeader(format: FormatContext): boolean {
  return ((format.oformat?.flags ?? 0) & AVFMT_GLOBALHEADER) !== 0;
}

/** The simplest ratio that is this number, as far as a number can tell. */
function toRatio(aspect: number): Rational {
  let best = new Rational(Math.max(1, Math.round(aspect)), 1);
  for (let den = 1; den <= MAX_ASPECT_TERM && Math.round(aspect * den) <= MAX_ASPECT_TERM; den++) {
    const candidate = new Rational(Math.max(1, Math.round(aspect * den)), den);
    if (Math.abs(candidate.toDouble() - aspect) < Math.abs(best.toDouble() - aspect) - 1e-12)
      best = candidate;
  }
  return best;
}

/** H.264 writes the terms of a pixel aspect in 16 bits. */
const MAX_ASPECT_TERM = 65_535;

/** Nine little-endian numbers, row-major, in 16.16 but for the last column in 2.30. */
function makeDisplayMatrix(rotation: Rotation): Buffer {
  const one = 1 << 16;
  const [cos, sin] = { 0: [one, 0], 90: [0, one], 180: [-one, 0], 270: [0, -one] }[rotation] as [
    number,
    number,
  ];
  const matrix = Buffer.alloc(36);
  [cos, sin, 0, -sin, cos, 0, 0, 0, 1 << 30].forEach((value, place) => {
    matrix.writeInt32LE(value, place * 4);
  });
  return matrix;
}

function check(code: number, doing: string) {
  FFmpegError.throwIfError(code, doing);
}
