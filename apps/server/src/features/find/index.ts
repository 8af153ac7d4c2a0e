import type { Db } from "../../db/open.ts";
import { createFindService, type Find } from "./service.ts";
import { createFindStore } from "./store.ts";

export type { Find } from "./service.ts";

export function createFind({
  db,
  ...parts
}: { db: Db } & Omit<Parameters<typeof createFindService>[0], "store">): Find {
  return createFindService({ store: createFindStore(db), ...parts });
}
