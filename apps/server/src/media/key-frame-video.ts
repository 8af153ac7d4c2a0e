import { rename, rm } from "node:fs/promises";
import { AV_PICTURE_TYPE_NONE, AV_PIX_FMT_YUV420P, AVCOL_RANGE_MPEG, FF_ENCODER_LIBX264 } from "node-av";
import { createBreath } from "./breath.ts";
import { readPictures } from "./read-frames.ts";
import type { FrameIndex } from "./scan.ts";
import { drawUpright } from "./upright.ts";
import { openVideoWriter, type VideoWriter } from "./video-writer.ts";

/** x264's constant quality: pictures that can't be told from the original by eye. */
const QUALITY = "16";

/**
 * Writes chosen frames as a video of one picture a second, as the released code does, but in H.264 that browsers play:
 * upright, with square pixels, the k-th picture at k seconds.
 *
 * @param ordinals  Rising, each once.
 * @param onProgress  Pictures written so far.
 * @throws Error when a frame can't be decoded; nothing is left behind then.
 */
export async function writeKeyFrameVideo(
  args: { file: string; index: FrameIndex; ordinals: readonly number[]; pixel_aspect: number; out: string },
  onProgress?: (pictures: number) => void,
): Promise<void> {
  const draft = `${args.out}.part`;
  await rm(draft, { force: true });
  try {
    const written = await encode(args, draft, onProgress);
    if (written !== args.ordinals.length)
      throw new Error(
        `Only ${written} of ${args.ordinals.length} key-frames could be decoded again. Add the clip's file once more.`,
      );
    await rename(draft, args.out);
  } finally {
    await rm(draft, { force: true });
  }
}

async function encode(
  { file, index, ordinals, pixel_aspect }: Parameters<typeof writeKeyFrameVideo>[0],
  out: string,
  onProgress: ((pictures: number) => void) | undefined,
): Promise<number> {
  let writer: VideoWriter | null = null;
  let written = 0;
  const breathe = createBreath(() => onProgress?.(written));
  const target = { width: Number.POSITIVE_INFINITY, format: AV_PIX_FMT_YUV420P, full_range: false };
  try {
    for (const { frame, facts } of readPictures(file, index, ordinals, 2)) {
      drawUpright(frame, { rotation: facts.rotation, pixel_aspect }, target, (picture) => {
        writer ??= openVideoWriter(out, {
          container: "mp4",
          encoder: FF_ENCODER_LIBX264,
          width: picture.width,
          height: picture.height,
          format: AV_PIX_FMT_YUV420P,
          tick: { num: 1, den: 1 },
          frame_rate: 1,
          // Neighbours show different views: nothing is saved by coding one from the other, and each can be sought.
          gop: 1,
          b_frames: 0,
          color_range: AVCOL_RANGE_MPEG,
          encoder_options: { preset: "veryfast", crf: QUALITY },
          container_options: { movflags: "+faststart", use_editlist: "0" },
        });
        picture.pts = BigInt(written);
        picture.duration = 1n;
        picture.pictType = AV_PICTURE_TYPE_NONE;
        writer.write(picture);
      });
      written += 1;
      await breathe();
    }
    (writer as VideoWriter | null)?.finish();
    return written;
  } finally {
    (writer as VideoWriter | null)?.close();
  }
}
