import { asc, eq } from "drizzle-orm";
import { type Db, writeDurably } from "../../db/open.ts";
import { endpoints } from "./tables.ts";

export type EndpointRow = typeof endpoints.$inferSelect;

/** The only SQL of endpoints. */
export type EndpointStore = ReturnType<typeof createEndpointStore>;

export function createEndpointStore(db: Db) {
  return {
    /** Removed ones too. */
    list: (): EndpointRow[] => db.select().from(endpoints).orderBy(asc(endpoints.created_secs)).all(),

    get: (endpoint_id: string): EndpointRow | null =>
      db.select().from(endpoints).where(eq(endpoints.endpoint_id, endpoint_id)).get() ?? null,

    put(row: EndpointRow): void {
      const { endpoint_id: _, ...set } = row;
      writeDurably(db, () =>
        db.insert(endpoints).values(row).onConflictDoUpdate({ target: endpoints.endpoint_id, set }).run(),
      );
    },
  };
}
