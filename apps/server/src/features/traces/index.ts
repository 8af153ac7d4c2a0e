import type { Db } from "../../db/open.ts";
import { createTraceService, type Traces } from "./service.ts";
import { createTraceStore } from "./store.ts";

export type { AskRequest, Model, Traces } from "./service.ts";

export function createTraces({
  db,
  ...parts
}: { db: Db } & Omit<Parameters<typeof createTraceService>[0], "store">): Traces {
  return createTraceService({ store: createTraceStore(db), ...parts });
}
