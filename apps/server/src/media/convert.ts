import {
  AV_PIX_FMT_BGR24,
  AVCOL_RANGE_JPEG,
  type AVPixelFormat,
  FFmpegError,
  Frame,
  SoftwareScaleContext,
  SWS_BICUBIC,
} from "node-av";

/** A picture to be made from another one. */
export type Target = { width: number; height: number; format: AVPixelFormat; full_range?: boolean };

/** Makes pictures of one size and format from pictures of any. */
export type Converter = {
  /** The result is reused by the next call. */
  convert(frame: Frame): Frame;
  close(): void;
};

export function createConverter(target: Target): Converter {
  const converted = new Frame();
  const scaler = new SoftwareScaleContext();
  converted.alloc();
  converted.width = target.width;
  converted.height = target.height;
  converted.format = target.format;
  if (target.full_range) converted.colorRange = AVCOL_RANGE_JPEG;
  FFmpegError.throwIfError(converted.getBuffer(), "allocate a picture");
  scaler.allocContext();
  return {
    convert(frame) {
      FFmpegError.throwIfError(converted.makeWritable(), "allocate a picture");
      FFmpegError.throwIfError(scaler.scaleFrameSync(converted, frame), "scale a picture");
      return converted;
    },
    close() {
      scaler.freeContext();
      converted.free();
    },
  };
}

/** Scales or converts one picture; what `use` returns must not keep the frame's memory. */
export function convert<T>(frame: Frame, target: Target, use: (converted: Frame) => T): T {
  const converter = createConverter(target);
  try {
    return use(converter.convert(frame));
  } finally {
    converter.close();
  }
}

/** A picture as OpenCV's video reader hands it out: 8-bit BGR, full size, as coded, rows packed. */
export function copyBgr(frame: Frame): Uint8Array<ArrayBuffer> {
  const { width, height } = frame;
  const bgr = new Frame();
  bgr.alloc();
  const scaler = new SoftwareScaleContext();
  try {
    bgr.width = width;
    bgr.height = height;
    bgr.format = AV_PIX_FMT_BGR24;
    FFmpegError.throwIfError(bgr.getBuffer(), "allocate a picture");
    const format = frame.format as AVPixelFormat;
    scaler.getContext(width, height, format, width, height, AV_PIX_FMT_BGR24, SWS_BICUBIC);
    FFmpegError.throwIfError(scaler.scaleFrameSync(bgr, frame), "convert a picture");
    const plane = bgr.data?.[0];
    const stride = bgr.linesize[0] ?? 0;
    if (!plane) throw new RangeError("the picture has no pixels");
    const packed = new Uint8Array(width * height * 3);
    for (let y = 0; y < height; y++) {
      packed.set(plane.subarray(y * stride, y * stride + width * 3), y * width * 3);
    }
    return packed;
  } finally {
    scaler.freeContext();
    bgr.free();
  }
}
