/**
 * ORB features of sampled frames, and their layout as bytes (cached on disk, sent to the browser, transferred between threads).
 *
 * Layout, version 1, little-endian:
 *
 * | bytes | what |
 * |---|---|
 * | 4 | "SLKF" |
 * | u32 | version, 1 |
 * | u32 | number of frames F |
 * | u32 | 0 |
 * | F × 32 | header of a frame: u32 ordinal, u32 width, u32 height, u32 number of features N, f64 time_secs, f64 noise |
 * | F × N × 40 | per frame: N × (f32 x, f32 y), then N × 32 bytes of descriptors |
 */

/** What is kept of a sampled frame's picture. */
export type FrameFeatures = {
  /** Ordinal in the clip. */
  frame: number;
  time_secs: number;
  /** Size of the plane that the points lie in: upright and scaled. */
  width: number;
  height: number;
  /** x0, y0, x1, y1, … in pixels of that plane. */
  points: Float32Array;
  /** 32 bytes a feature. */
  descriptors: Uint8Array;
  /** How little neighbouring pixels have to do with each other: 0 flat, 0.05 a sharp photograph, 1 white noise. */
  noise: number;
};

const MAGIC = 0x464b4c53;
const VERSION = 1;
const HEADER_BYTES = 16;
const FRAME_BYTES = 32;
const POINT_BYTES = 8;
export const DESCRIPTOR_BYTES = 32;

/** Bytes that are no features file, or one that was cut short. */
export class FeatureFormatError extends Error {
  override name = "FeatureFormatError";
}

/** Number of features of a frame. */
export function countFeatures(frame: FrameFeatures): number {
  return frame.points.length / 2;
}

export function encodeFeatures(frames: readonly FrameFeatures[]): Uint8Array<ArrayBuffer> {
  const total = frames.reduce((sum, frame) => sum + countFeatures(frame), 0);
  const bytes = new Uint8Array(
    HEADER_BYTES + frames.length * FRAME_BYTES + total * (POINT_BYTES + DESCRIPTOR_BYTES),
  );
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, VERSION, true);
  view.setUint32(8, frames.length, true);
  let header = HEADER_BYTES;
  let body = HEADER_BYTES + frames.length * FRAME_BYTES;
  for (const frame of frames) {
    view.setUint32(header, frame.frame, true);
    view.setUint32(header + 4, frame.width, true);
    view.setUint32(header + 8, frame.height, true);
    view.setUint32(header + 12, countFeatures(frame), true);
    view.setFloat64(header + 16, frame.time_secs, true);
    view.setFloat64(header + 24, frame.noise, true);
    header += FRAME_BYTES;
    for (const value of frame.points) {
      view.setFloat32(body, value, true);
      body += 4;
    }
    bytes.set(frame.descriptors, body);
    body += frame.descriptors.length;
  }
  return bytes;
}

/** @throws FeatureFormatError when the bytes are not a whole features file of a known version. */
export function decodeFeatures(bytes: Uint8Array): FrameFeatures[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC) {
    throw new FeatureFormatError("not a features file");
  }
  const version = view.getUint32(4, true);
  if (version !== VERSION)
    throw new FeatureFormatError(`features of version ${version}, this knows ${VERSION}`);
  const count = view.getUint32(8, true);
  let body = HEADER_BYTES + count * FRAME_BYTES;
  if (bytes.length < body) throw new FeatureFormatError("features file cut short");
  const frames: FrameFeatures[] = [];
  for (let i = 0; i < count; i += 1) {
    const header = HEADER_BYTES + i * FRAME_BYTES;
    const features = view.getUint32(header + 12, true);
    const end = body + features * (POINT_BYTES + DESCRIPTOR_BYTES);
    if (bytes.length < end) throw new FeatureFormatError("features file cut short");
    const points = new Float32Array(features * 2);
    for (let j = 0; j < points.length; j += 1) points[j] = view.getFloat32(body + j * 4, true);
    frames.push({
      frame: view.getUint32(header, true),
      width: view.getUint32(header + 4, true),
      height: view.getUint32(header + 8, true),
      time_secs: view.getFloat64(header + 16, true),
      noise: view.getFloat64(header + 24, true),
      points,
      descriptors: bytes.slice(body + features * POINT_BYTES, end),
    });
    body = end;
  }
  return frames;
}
