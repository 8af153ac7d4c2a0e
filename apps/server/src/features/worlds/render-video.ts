import { getFilmSecs, getPoseAt, renderView, type World } from "@sightline/core/worlds";
import {
  AV_PIX_FMT_YUV420P,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_SMPTE170M,
  FF_ENCODER_LIBX264,
  Frame,
} from "node-av";
import { openVideoWriter } from "../../media/video-writer.ts";

/** Size, rate and quality of a rendered clip. */
export type RenderSettings = { width: number; height: number; frame_rate: number; crf: number };

export const RENDER_DEFAULTS: RenderSettings = { width: 384, height: 288, frame_rate: 10, crf: 26 };

/**
 * Renders a world's path to an H.264 clip. The same world and settings give the same pictures.
 *
 * @param onProgress  Gets frames done and in all.
 * @throws Error "cancelled" when the signal is aborted; the unfinished file is the caller's to remove.
 */
export function renderVideo(
  world: World,
  file: string,
  settings: RenderSettings = RENDER_DEFAULTS,
  onProgress?: (done: number, total: number) => void,
  signal?: AbortSignal,
): void {
  const { width, height, frame_rate } = settings;
  const total = Math.round(getFilmSecs(world) * frame_rate);
  const writer = openVideoWriter(file, {
    container: "mp4",
    encoder: FF_ENCODER_LIBX264,
    width,
    height,
    format: AV_PIX_FMT_YUV420P,
    tick: { num: 1, den: frame_rate },
    frame_rate,
    gop: frame_rate * 2,
    b_frames: 0,
    color_range: AVCOL_RANGE_MPEG,
    color_space: AVCOL_SPC_SMPTE170M,
    threads: 1,
    encoder_options: { preset: "medium", crf: String(settings.crf) },
  });
  try {
    for (let index = 0; index < total; index += 1) {
      if (signal?.aborted) throw new Error("cancelled");
      const rgb = renderView(world, getPoseAt(world, index / frame_rate), width, height);
      const frame = Frame.fromVideoBuffer(Buffer.from(toYuv420(rgb, width, height)), {
        width,
        height,
        format: AV_PIX_FMT_YUV420P,
      });
      try {
        frame.pts = BigInt(index);
        frame.duration = 1n;
        writer.write(frame);
      } finally {
        frame.free();
      }
      onProgress?.(index + 1, total);
    }
    writer.finish();
  } finally {
    writer.close();
  }
}

/** RGB, rows packed, even sizes → Y, U, V planes, BT.601, limited range, chroma averaged over two by two pixels. */
function toYuv420(rgb: Uint8Array, width: number, height: number): Uint8Array {
  const luma = width * height;
  const planes = new Uint8Array(luma + luma / 2);
  for (let at = 0; at < luma; at += 1) {
    const [r = 0, g = 0, b = 0] = [rgb[3 * at], rgb[3 * at + 1], rgb[3 * at + 2]];
    planes[at] = 16.5 + 0.256788 * r + 0.504129 * g + 0.097906 * b;
  }
  const half = width / 2;
  for (let y = 0; y < height / 2; y += 1)
    for (let x = 0; x < half; x += 1) {
      let [r, g, b] = [0, 0, 0];
      for (const pixel of [2 * y * width + 2 * x, (2 * y + 1) * width + 2 * x])
        for (const at of [3 * pixel, 3 * pixel + 3]) {
          r += rgb[at] ?? 0;
          g += rgb[at + 1] ?? 0;
          b += rgb[at + 2] ?? 0;
        }
      const at = luma + y * half + x;
      planes[at] = 128.5 + (-0.148223 * r - 0.290993 * g + 0.439216 * b) / 4;
      planes[at + luma / 4] = 128.5 + (0.439216 * r - 0.367788 * g - 0.071427 * b) / 4;
    }
  return planes;
}
