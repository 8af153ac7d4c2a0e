import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { remakeWorld } from "@sightline/core/links";
import { getFilmSecs, type World } from "@sightline/core/worlds";
import type { Db } from "../../db/open.ts";
import type { DecoderPool } from "../../media/decoder-pool.ts";
import type { Library } from "../clips/library.ts";
import { RENDER_DEFAULTS } from "./render-video.ts";
import { createWorldStore } from "./store.ts";

/** The worlds that clips of the library show, and clips that show a world. */
export type Worlds = {
  /** The world that a rendered clip shows; null for any other clip. */
  find(clip_id: string): World | null;
  /** The clip that was rendered of a world; null while there is none. */
  getClip(world_id: string): string | null;
  /**
   * Renders a world and brings its clip into the library, tagged as rendered.
   *
   * @param onProgress  Frames done and in all.
   * @returns The clip's id; the clip has still to be read.
   */
  render(
    world: World,
    signal: AbortSignal,
    onProgress: (done: number, total: number) => void,
  ): Promise<string>;
};

export function createWorlds({
  db,
  library,
  pool,
  findSample,
}: {
  db: Db;
  library: Library;
  pool: DecoderPool;
  /** The world of a clip that comes with the product. */
  findSample(clip_id: string): World | null;
}): Worlds {
  const store = createWorldStore(db);
  return {
    find(clip_id) {
      const world_id = store.getWorld(clip_id);
      return findSample(clip_id) ?? (world_id === null ? null : remakeWorld(world_id));
    },
    getClip: store.getClip,
    async render(world, signal, onProgress) {
      const folder = await mkdtemp(join(tmpdir(), "sightline-render-"));
      try {
        const path = join(folder, "world.mp4");
        const total = Math.round(getFilmSecs(world) * RENDER_DEFAULTS.frame_rate);
        await pool.run(
          "render",
          { world, out: path },
          { lane: "interactive", signal, onProgress: (done) => onProgress(done, total) },
        );
        onProgress(total, total);
        const { clip, duplicate } = await library.add({ path, name: `${world.world_id}.mp4`, move: false });
        if (!duplicate) library.setTags(clip.clip_id, ["rendered"]);
        store.put(clip.clip_id, world.world_id);
        return clip.clip_id;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
