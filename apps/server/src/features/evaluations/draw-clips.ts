import { hashSettings } from "@sightline/core/keyframes";
import { TRPCError } from "@trpc/server";
import type { Clips } from "../clips/index.ts";
import type { Decisions } from "../decisions/index.ts";
import type { Jobs } from "../jobs/tray.ts";
import type { KeyFrames } from "../keyframes/index.ts";

/** Longer side at most of a picture that is shown to a model on a host, in pixels. */
export const PICTURE_PX = 768;

/** Key-frames for a model that sees. */
export type ClipPictures = {
  /** Ordinals of the key-frames that a clip was last stored with, as people left them; none where there are none. */
  listKeyFrames(clip_id: string): number[];
  /**
   * JPEGs of frames by clip and ordinal, without those that can't be decoded; a job that can be watched and cancelled.
   *
   * @throws TRPCError with what to do, when it was cancelled or a clip can't be read.
   */
  draw(
    frames: ReadonlyMap<string, readonly number[]>,
    name: string,
  ): Promise<Map<string, Map<number, Buffer>>>;
};

export function createClipPictures(parts: {
  clips: Pick<Clips, "drawing">;
  keyframes: Pick<KeyFrames, "getSaved" | "isStored">;
  decisions: Pick<Decisions, "getVersion">;
  jobs: Jobs;
}): ClipPictures {
  return {
    listKeyFrames(clip_id) {
      const saved = parts.keyframes.getSaved(clip_id);
      if (saved === null || !parts.keyframes.isStored(clip_id, hashSettings(saved))) return [];
      return parts.decisions.getVersion(clip_id, hashSettings(saved)).key_frames.map(({ frame }) => frame);
    },
    async draw(frames, name) {
      const drawn = new Map<string, Map<number, Buffer>>();
      const about = { kind: "evaluate", title: `Drawing key-frames for ${name}`, clip_id: null } as const;
      const { ended } = parts.jobs.start(about, async ({ signal, progress }) => {
        progress(0, frames.size);
        for (const [clip_id, ordinals] of frames) {
          drawn.set(clip_id, await parts.clips.drawing.draw(clip_id, ordinals, PICTURE_PX, signal));
          progress(drawn.size, frames.size);
        }
      });
      const { state, problem } = await ended;
      if (state === "done") return drawn;
      throw new TRPCError({
        code: "PRECONDITION_FAILED",
        message: `The key-frames were not drawn, and no evaluation was begun: ${problem ?? "it was cancelled."}`,
      });
    },
  };
}
