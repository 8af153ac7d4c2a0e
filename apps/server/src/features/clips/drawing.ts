import type { DecoderPool } from "../../media/decoder-pool.ts";
import type { Library } from "./library.ts";

/** Frames of clips as pictures for a model. */
export type Drawing = {
  /** The size in which frames of a clip are drawn that are at most `image_px` on their longer side; never enlarged. */
  getSize(clip_id: string, image_px: number): { width: number; height: number };
  /** Upright JPEGs, by ordinal; a frame that can't be decoded is left out. */
  draw(
    clip_id: string,
    frames: readonly number[],
    image_px: number,
    signal: AbortSignal,
  ): Promise<Map<number, Buffer>>;
};

export function createDrawing({ library, pool }: { library: Library; pool: DecoderPool }): Drawing {
  const getSize: Drawing["getSize"] = (clip_id, image_px) => {
    const { display_width, display_height } = library.get(clip_id);
    const [width, height] = [display_width ?? image_px, display_height ?? image_px];
    const scale = Math.min(1, image_px / Math.max(width, height));
    return { width: Math.round(width * scale), height: Math.round(height * scale) };
  };
  return {
    getSize,
    async draw(clip_id, frames, image_px, signal) {
      const { pixel_aspect } = library.get(clip_id);
      const { width } = getSize(clip_id, image_px);
      const args = {
        file: library.getFile(clip_id),
        index: library.getFrames(clip_id),
        ordinals: [...frames],
      };
      const drawn = await pool.run("jpegs", { ...args, width, pixel_aspect }, { lane: "background", signal });
      return new Map(drawn.map(({ ordinal, jpeg }) => [ordinal, Buffer.from(jpeg)]));
    },
  };
}
