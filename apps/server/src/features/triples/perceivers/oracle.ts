import { describeFilm, type Perceiver } from "@sightline/core/perception";
import type { World } from "@sightline/core/worlds";
import type { Perceive } from "./perceiver.ts";

type Oracle = Extract<Perceiver, { kind: "oracle" }>;

/** Speaks from the world that a rendered clip shows. */
export function createOraclePerceiver(findWorld: (clip_id: string) => World | null): Perceive<Oracle> {
  return async ({ clip_id, key_frames, missing, put }) => {
    const world = findWorld(clip_id);
    if (world === null)
      throw new Error("This clip shows no world of ours, so there is no truth to speak from.");
    const told = describeFilm(
      world,
      key_frames.map(({ time_secs }) => time_secs),
    );
    for (const index of missing) {
      const fields = told[index];
      if (fields === undefined) continue;
      const raw = [fields.action, fields.change, fields.relevant].filter(Boolean).join("\n");
      put(index, { ...fields, raw, problems: [] });
    }
  };
}
