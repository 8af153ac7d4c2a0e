import type { Db } from "../../db/open.ts";

/** The only SQL of rendered_worlds. */
export function createWorldStore(db: Db) {
  const sql = db.$client;
  const selectWorld = sql.prepare<[string], { world_id: string }>(
    "SELECT world_id FROM rendered_worlds WHERE clip_id = ?",
  );
  const selectClip = sql.prepare<[string], { clip_id: string }>(
    "SELECT clip_id FROM rendered_worlds WHERE world_id = ? ORDER BY made_secs DESC LIMIT 1",
  );
  const insert = sql.prepare(
    "INSERT OR REPLACE INTO rendered_worlds (clip_id, world_id, made_secs) VALUES (?, ?, ?)",
  );
  return {
    getWorld: (clip_id: string): string | null => selectWorld.get(clip_id)?.world_id ?? null,
    getClip: (world_id: string): string | null => selectClip.get(world_id)?.clip_id ?? null,
    put(clip_id: string, world_id: string): void {
      insert.run(clip_id, world_id, Date.now() / 1000);
    },
  };
}
