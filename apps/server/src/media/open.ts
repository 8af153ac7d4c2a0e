import {
  AV_DISPOSITION_ATTACHED_PIC,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  Codec,
  CodecContext,
  FFmpegError,
  FormatContext,
  Frame,
  Packet,
  type Stream,
} from "node-av";
import "./quiet.ts";
import { explainUnreadable } from "./explain.ts";
import { MediaProblem } from "./problem.ts";

/**
 * The containers that are opened. Playlists (HLS, DASH, concat, SDP) are not among them: they make a demuxer open
 * other files and addresses.
 */
const CONTAINERS = [
  "mov",
  "matroska",
  "webm",
  "avi",
  "gif",
  "mpegts",
  "mpeg",
  "mpegvideo",
  "m4v",
  "h264",
  "hevc",
  "av1",
  "obu",
  "ivf",
  "flv",
  "live_flv",
  "ogg",
  "asf",
  "nut",
  "mxf",
  "dv",
  "mjpeg",
  "yuv4mpegpipe",
  "apng",
  "webp",
  "wav",
  "mp3",
  "aac",
  "flac",
];

/** A picture of more pixels would take gigabytes to decode. */
const MAX_PIXELS = 8192 * 8192;

/** A file opened for decoding; everything in it is freed by `close`. */
export type VideoInput = {
  format: FormatContext;
  stream: Stream;
  codec: Codec;
  close(): void;
};

/**
 * Opens a file and finds its first real video stream.
 *
 * @throws MediaProblem when there is nothing to decode, with the reason.
 */
export function openVideo(file: string): VideoInput {
  const format = new FormatContext();
  format.allocContext();
  FFmpegError.throwIfError(format.setOption("protocol_whitelist", "file"), "confine the demuxer");
  FFmpegError.throwIfError(format.setOption("format_whitelist", CONTAINERS.join(",")), "confine the demuxer");
  const opened = format.openInputSync(`file:${file}`);
  if (opened < 0) throw new MediaProblem(explainUnreadable(file, FFmpegError.strerror(opened)));
  try {
    format.findStreamInfoSync();
    const best = format.findBestStream(AVMEDIA_TYPE_VIDEO);
    const stream = format.streams.find((one) => one.index === best);
    if (!stream || (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) !== 0) {
      const sound = format.streams.some((one) => one.codecpar.codecType === AVMEDIA_TYPE_AUDIO);
      throw new MediaProblem(
        sound ? "The file has sound but no video." : explainUnreadable(file, "no video stream"),
      );
    }
    const { width, height } = stream.codecpar;
    if (width * height > MAX_PIXELS) {
      throw new MediaProblem(`The pictures are ${width}×${height}; more than 67 megapixels can't be read.`);
    }
    const codec = Codec.findDecoder(stream.codecpar.codecId);
    if (!codec) throw new MediaProblem("The video is in a coding that the decoder does not know.");
    return { format, stream, codec, close: () => format.closeInputSync() };
  } catch (error) {
    format.closeInputSync();
    throw error;
  }
}

/** One decoder of a stream. */
export type Decoder = {
  /**
   * Hands in a packet, or null for the end, and calls `take` for every picture that comes out. The frame is reused:
   * what outlives the call must be copied.
   *
   * @returns How often the decoder said that data was broken.
   */
  decode(packet: Packet | null, take: (frame: Frame) => void): number;
  /** While true, pictures that no other picture refers to are dropped undecoded. */
  setSkipping(on: boolean): void;
  close(): void;
};

/** @param threads  Decoding threads; pictures are the same for any number. */
export function openDecoder(input: VideoInput, threads: number): Decoder {
  const context = new CodecContext();
  context.allocContext3(input.codec);
  context.parametersToContext(input.stream.codecpar);
  context.pktTimebase = input.stream.timeBase;
  context.threadCount = threads;
  FFmpegError.throwIfError(context.setOption("max_pixels", String(MAX_PIXELS)), "limit the picture's size");
  const opened = context.open2Sync(input.codec);
  if (opened < 0) {
    context.freeContext();
    throw new MediaProblem(`The video decoder did not start: ${FFmpegError.strerror(opened)}.`);
  }
  const frame = new Frame();
  frame.alloc();
  let skipping = false;

  return {
    decode(packet, take) {
      let faults = 0;
      const receive = () => {
        for (;;) {
          const received = context.receiveFrameSync(frame);
          if (received === AVERROR_EAGAIN || received === AVERROR_EOF) return;
          if (received < 0) {
            faults += 1;
            return;
          }
          take(frame);
          frame.unref();
        }
      };
      if (context.sendPacketSync(packet) < 0 && packet) faults += 1;
      receive();
      return faults;
    },
    setSkipping(on) {
      if (on === skipping) return;
      skipping = on;
      FFmpegError.throwIfError(context.setOption("skip_frame", on ? "noref" : "default"), "skip pictures");
    },
    close() {
      frame.free();
      context.freeContext();
    },
  };
}

/**
 * Reads the packets of the video stream, in coding order. The packet is reused: it is valid until the next is taken.
 *
 * @param onEnd  Called when reading ends by itself: null at the end of the file, otherwise FFmpeg's words.
 */
export function* readPackets(
  input: VideoInput,
  onEnd?: (reason: string | null) => void,
): Generator<Packet, void, undefined> {
  const packet = new Packet();
  packet.alloc();
  try {
    for (;;) {
      const read = input.format.readFrameSync(packet);
      if (read < 0) {
        onEnd?.(read === AVERROR_EOF ? null : FFmpegError.strerror(read));
        return;
      }
      if (packet.streamIndex === input.stream.index) yield packet;
      packet.unref();
    }
  } finally {
    packet.free();
  }
}
