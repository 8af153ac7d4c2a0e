import type { Rotation } from "@sightline/core/clips";
import { turnUpright } from "@sightline/core/keyframes";
import { drawOrdinalStrip } from "@sightline/core/testing";
import { AV_PIX_FMT_YUV420P, type AVPixelFormat, FF_ENCODER_LIBX264, Frame } from "node-av";
import { type Converter, createConverter } from "../convert.ts";
import { openVideoWriter, type VideoWriterSettings } from "../video-writer.ts";

/** A picture of a test clip, drawn upright. */
export type Picture = {
  /** In ticks. */
  pts: number;
  /** In ticks. */
  duration: number;
  /** What the strip says; null for a picture without a strip. */
  ordinal: number | null;
  scene: Scene;
};

/** A view of a world of grey and coloured slabs; the same seed and place give the same view. */
export type Scene = { kind: "slabs"; seed: number; x: number; y: number } | { kind: "flat"; luma: number };

export type TestClip = {
  pictures: Picture[];
  /** Upright size; for a pixel aspect other than 1, the coded size turned upright. */
  width?: number;
  height?: number;
  rotation?: Rotation;
  /** Coded size, where it is to differ from what is drawn. */
  scaled?: { width: number; height: number };
} & Partial<Omit<VideoWriterSettings, "width" | "height" | "rotation">>;

/** Writes a test clip: H.264 in MP4 at 320×240 unless it says otherwise; no B-frames, one thread. */
export function writeClip(file: string, clip: TestClip) {
  const { pictures, width = 320, height = 240, rotation = 0, scaled, ...rest } = clip;
  const lies = rotation === 90 || rotation === 270;
  const coded = scaled ?? { width: lies ? height : width, height: lies ? width : height };
  const tick = rest.tick ?? { num: 1, den: 1000 };
  const format = rest.format ?? AV_PIX_FMT_YUV420P;
  const writer = openVideoWriter(file, {
    container: null,
    encoder: FF_ENCODER_LIBX264,
    tick,
    frame_rate: tick.den / tick.num / (pictures[0]?.duration ?? 1),
    gop: 12,
    b_frames: 0,
    threads: 1,
    encoder_options: { preset: "veryfast", crf: "27" },
    ...rest,
    ...coded,
    rotation,
    format,
  });
  const converter = format === AV_PIX_FMT_YUV420P && !scaled ? null : createConverter({ ...coded, format });
  try {
    for (const picture of pictures)
      writePicture(writer, picture, { width, height, rotation }, converter, format);
    writer.finish();
  } finally {
    converter?.close();
    writer.close();
  }
}

function writePicture(
  writer: { write(frame: Frame): void },
  picture: Picture,
  { width, height, rotation }: { width: number; height: number; rotation: Rotation },
  converter: Converter | null,
  format: AVPixelFormat,
) {
  const planes = drawScene(picture.scene, width, height);
  if (picture.ordinal !== null) drawOrdinalStrip(planes[0], width, height, picture.ordinal);
  // Turning by the rest of the circle undoes what a player will do.
  const back = ((360 - rotation) % 360) as Rotation;
  const turned = planes.map((data, index) =>
    turnUpright({
      width: index === 0 ? width : width / 2,
      height: index === 0 ? height : height / 2,
      data,
      rotation: back,
    }),
  );
  const frame = Frame.fromVideoBuffer(Buffer.concat(turned.map(({ data }) => data)), {
    width: turned[0]?.width ?? width,
    height: turned[0]?.height ?? height,
    format: AV_PIX_FMT_YUV420P,
  });
  try {
    const given = converter ? converter.convert(frame) : frame;
    given.format = format;
    given.pts = BigInt(picture.pts);
    given.duration = BigInt(picture.duration);
    writer.write(given);
  } finally {
    frame.free();
  }
}

const SLAB = 16;

/** @returns Y, U and V, 4:2:0, black 16 and white 235. */
function drawScene(scene: Scene, width: number, height: number): [Uint8Array, Uint8Array, Uint8Array] {
  const luma = new Uint8Array(width * height);
  const u = new Uint8Array((width / 2) * (height / 2)).fill(128);
  const v = new Uint8Array((width / 2) * (height / 2)).fill(128);
  if (scene.kind === "flat") return [luma.fill(scene.luma), u, v];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const slab = hash(scene.seed, Math.floor((x + scene.x) / SLAB), Math.floor((y + scene.y) / SLAB));
      luma[y * width + x] = 40 + (slab % 160);
      if (x % 2 === 0 && y % 2 === 0) {
        const at = (y / 2) * (width / 2) + x / 2;
        u[at] = 108 + ((slab >>> 8) % 40);
        v[at] = 108 + ((slab >>> 16) % 40);
      }
    }
  }
  return [luma, u, v];
}

/** An even spread of 32 bits for three small numbers. */
function hash(seed: number, x: number, y: number): number {
  let bits = (seed * 0x9e3779b1) ^ (x * 0x85ebca6b) ^ (y * 0xc2b2ae35);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
  return (bits ^ (bits >>> 15)) >>> 0;
}
