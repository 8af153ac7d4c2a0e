import { asc } from "drizzle-orm";
import type { Db } from "../../db/open.ts";
import { hosts } from "./schema.ts";

export type HostRecord = typeof hosts.$inferSelect;

/** The only SQL of hosts. */
export function createHostStore(db: Db) {
  return {
    list: (): HostRecord[] => db.select().from(hosts).orderBy(asc(hosts.created_secs)).all(),

    /** Writes this machine where it is missing; its runs lie in the data folder, wherever that is now. */
    saveLocal(root: string): void {
      db.insert(hosts)
        .values({
          host_id: "local",
          name: "This machine",
          executor: "local",
          address: null,
          root,
          created_secs: Date.now() / 1000,
        })
        .onConflictDoUpdate({ target: hosts.host_id, set: { root } })
        .run();
    },
  };
}
