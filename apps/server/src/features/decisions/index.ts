import type { Db } from "../../db/open.ts";
import type { Clips } from "../clips/index.ts";
import type { KeyFrames } from "../keyframes/index.ts";
import { createDecisionService, type Decisions } from "./service.ts";
import { createDecisionStore } from "./store.ts";

export type { ClipDecisions, Decisions } from "./service.ts";

export function createDecisions({
  db,
  clips,
  keyframes,
}: {
  db: Db;
  clips: Clips;
  keyframes: KeyFrames;
}): Decisions {
  const { library, pool } = clips;
  return createDecisionService({
    store: createDecisionStore(db),
    listTimes: (clip_id) => library.getFrames(clip_id).time_secs,
    getSelection: keyframes.getStored,
    lookAtMotions: ({ clip_id, settings_hash, decisions }, signal) =>
      pool.run(
        "motions",
        {
          features: keyframes.getEvidence(clip_id, settings_hash).features,
          decisions,
          field_of_view_deg: library.get(clip_id).field_of_view_deg,
        },
        { lane: "interactive", signal },
      ),
  });
}
