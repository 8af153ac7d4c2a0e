import type { Db } from "../../db/open.ts";
import { createEvaluationService, type Evaluations } from "./service.ts";
import { createEvaluationStore } from "./store.ts";

export { createClipPictures } from "./draw-clips.ts";
export { createOnHosts } from "./on-hosts.ts";
export type { Evaluations } from "./service.ts";
export { createHostStart } from "./start-on-host.ts";

/** Call `startUp` once the app stands. */
export function createEvaluations({
  db,
  ...parts
}: { db: Db } & Omit<Parameters<typeof createEvaluationService>[0], "store">): Evaluations {
  return createEvaluationService({ store: createEvaluationStore(db), ...parts });
}
