import type { Rotation } from "@sightline/core/clips";
import { turnUpright } from "@sightline/core/keyframes";
import { type AVPixelFormat, Frame } from "node-av";
import { convert } from "./convert.ts";
import { getDisplaySize } from "./probe.ts";

/** How a decoded picture stands and how wide its pixels are. */
export type Look = { rotation: Rotation; pixel_aspect: number };

const even = (size: number) => Math.max(2, 2 * Math.round(size / 2));

/**
 * Makes an upright picture with square pixels and even sides of a decoded one.
 *
 * @param width  Its width at most; a picture is never enlarged.
 * @param format  One of 8 bit 4:2:0.
 * @param use  What it returns must not keep the picture's memory.
 */
export function drawUpright<T>(
  frame: Frame,
  look: Look,
  { width, format, full_range }: { width: number; format: AVPixelFormat; full_range: boolean },
  use: (upright: Frame) => T,
): T {
  const upright = getDisplaySize(frame.width, frame.height, look.pixel_aspect, look.rotation);
  const scale = Math.min(1, width / upright.display_width);
  const wide = even(upright.display_width * scale);
  const high = even(upright.display_height * scale);
  const lies = look.rotation === 90 || look.rotation === 270;
  const coded = { width: lies ? high : wide, height: lies ? wide : high };
  return convert(frame, { ...coded, format, full_range }, (small) => {
    if (look.rotation === 0) return use(small);
    const turned = turn(small, look.rotation, format);
    try {
      return use(turned);
    } finally {
      turned.free();
    }
  });
}

function turn(frame: Frame, rotation: Rotation, format: AVPixelFormat): Frame {
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
    format,
  });
}
