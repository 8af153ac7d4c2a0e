import type { Db } from "../../db/open.ts";
import type { Library } from "../clips/library.ts";
import type { KeyFrames } from "../keyframes/index.ts";
import { createDecisionService, type Decisions } from "./service.ts";
import { createDecisionStore } from "./store.ts";

export type { ClipDecisions, Decisions } from "./service.ts";

export function createDecisions(parts: { db: Db; library: Library; keyframes: KeyFrames }): Decisions {
  return createDecisionService({
    store: createDecisionStore(parts.db),
    listTimes: (clip_id) => parts.library.getFrames(clip_id).time_secs,
    getSelection: parts.keyframes.getStored,
  });
}
