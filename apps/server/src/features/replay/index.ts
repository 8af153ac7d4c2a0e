import type { Db } from "../../db/open.ts";
import { createReplayService, type Replays } from "./service.ts";
import { createReplayStore } from "./store.ts";

export type { Replays } from "./service.ts";

/** Call `startUp` once the app stands. */
export function createReplays({
  db,
  ...parts
}: { db: Db } & Omit<Parameters<typeof createReplayService>[0], "store">): Replays {
  return createReplayService({ store: createReplayStore(db), ...parts });
}
