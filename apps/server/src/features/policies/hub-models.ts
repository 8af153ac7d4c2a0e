import type { Policy } from "@sightline/core/policies";
import { TRPCError } from "@trpc/server";
import { eq, isNull } from "drizzle-orm";
import { type Db, writeDurably } from "../../db/open.ts";
import type { Hub } from "./hub.ts";
import { hubModels } from "./tables.ts";

/** `owner/name`, as the hub lets models be called. */
const HubId = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/;

/** A file's path inside a model: plain names with slashes between. */
const HubPath = /^\w[\w.-]*(\/\w[\w.-]*)*$/;

/** Models of the hub that a person added; their files stay there. */
export type HubModels = {
  list(): Policy[];
  /** Adding one again changes nothing. Throws a TRPCError when it is no id. */
  add(id: string): void;
  /** It can be added again. */
  remove(id: string): void;
  /** Where a file lies on the hub; null when the model was not added, or the path is none. */
  getAddress(id: string, path: string): string | null;
};

export function createHubModels(db: Db, hub: Hub): HubModels {
  const listRows = () => db.select().from(hubModels).where(isNull(hubModels.removed_secs)).all();
  return {
    list: () =>
      listRows().map(({ id, added_secs }) => ({
        source: { kind: "hub", id },
        name: id,
        card: null,
        dtype: null,
        bytes: null,
        made_secs: added_secs,
        problem: null,
      })),

    add(text) {
      const id = text.trim();
      if (!HubId.test(id) || id.includes(".."))
        throw new TRPCError({
          code: "BAD_REQUEST",
          message:
            "That is no id of a model. Write owner/name, as its page on the hub does: letters, digits, dots, dashes and underscores.",
        });
      if (listRows().some((row) => row.id === id)) return;
      const added_secs = Date.now() / 1000;
      writeDurably(db, () =>
        db
          .insert(hubModels)
          .values({ id, added_secs, removed_secs: null })
          .onConflictDoUpdate({ target: hubModels.id, set: { added_secs, removed_secs: null } })
          .run(),
      );
    },

    remove(id) {
      const removed_secs = Date.now() / 1000;
      writeDurably(db, () => db.update(hubModels).set({ removed_secs }).where(eq(hubModels.id, id)).run());
    },

    getAddress(id, path) {
      if (!HubPath.test(path) || !listRows().some((row) => row.id === id)) return null;
      return `${hub.address}/${id}/resolve/main/${path}`;
    },
  };
}
