import type { HostEnvironment, PrepareProfile } from "@sightline/core/hosts";
import { and, asc, eq, isNull } from "drizzle-orm";
import { type Db, writeDurably } from "../../db/open.ts";
import { hosts } from "./schema.ts";

export type HostRecord = typeof hosts.$inferSelect;

/** What trains on a host, once a preparation was done. */
export type ReadyEnvironment = {
  profile: PrepareProfile;
  python: string;
  versions: NonNullable<HostEnvironment["versions"]>;
};

/** A preparation that is under way. */
export type PrepareOrder = { profile: PrepareProfile; python: string | null };

export type HostStore = ReturnType<typeof createHostStore>;

/** The only SQL of hosts. */
export function createHostStore(db: Db) {
  const change = (host_id: string, fields: Partial<HostRecord>) =>
    writeDurably(db, () => db.update(hosts).set(fields).where(eq(hosts.host_id, host_id)).run());

  return {
    /** Attached ones, in the order of their coming. */
    list: (): HostRecord[] =>
      db.select().from(hosts).where(isNull(hosts.trashed_secs)).orderBy(asc(hosts.created_secs)).all(),

    /** Detached ones too. */
    get: (host_id: string): HostRecord | undefined =>
      db.select().from(hosts).where(eq(hosts.host_id, host_id)).get(),

    /** The host at this place, detached or not. */
    findPlace: ({
      address,
      port,
      root,
    }: Pick<HostRecord, "address" | "port" | "root">): HostRecord | undefined =>
      db
        .select()
        .from(hosts)
        .where(
          and(
            eq(hosts.address, address ?? ""),
            port === null ? isNull(hosts.port) : eq(hosts.port, port),
            eq(hosts.root, root),
          ),
        )
        .get(),

    add(host: Pick<HostRecord, "host_id" | "name" | "executor" | "address" | "port" | "root">): void {
      writeDurably(db, () =>
        db
          .insert(hosts)
          .values({ ...host, created_secs: Date.now() / 1000 })
          .run(),
      );
    },

    change,

    environment(host_id: string): ReadyEnvironment | null {
      const row = db.select({ at: hosts.environment }).from(hosts).where(eq(hosts.host_id, host_id)).get();
      return row?.at == null ? null : (JSON.parse(row.at) as ReadyEnvironment);
    },

    preparing(host_id: string): PrepareOrder | null {
      const row = db.select({ at: hosts.preparing }).from(hosts).where(eq(hosts.host_id, host_id)).get();
      return row?.at == null ? null : (JSON.parse(row.at) as PrepareOrder);
    },

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
