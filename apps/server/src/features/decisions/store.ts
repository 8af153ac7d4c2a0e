import type { Decision } from "@sightline/core/decisions";
import { and, asc, eq } from "drizzle-orm";
import { type Db, writeDurably } from "../../db/open.ts";
import { decisions, signature } from "./tables.ts";

type Row = typeof decisions.$inferSelect;

/** The only SQL of decisions and signature. */
export type DecisionStore = ReturnType<typeof createDecisionStore>;

export function createDecisionStore(db: Db) {
  return {
    /** What was decided of all selections of a clip, each selection's in order of version. */
    listOfClip: (clip_id: string): Decision[] =>
      db
        .select()
        .from(decisions)
        .where(eq(decisions.clip_id, clip_id))
        .orderBy(asc(decisions.settings_hash), asc(decisions.version))
        .all()
        .map(toDecision),
    /** The history of one selection, in order of version. */
    list: (clip_id: string, settings_hash: string): Decision[] =>
      db
        .select()
        .from(decisions)
        .where(and(eq(decisions.clip_id, clip_id), eq(decisions.settings_hash, settings_hash)))
        .orderBy(asc(decisions.version))
        .all()
        .map(toDecision),
    get(decision_id: string): Decision | null {
      const row = db.select().from(decisions).where(eq(decisions.decision_id, decision_id)).get();
      return row ? toDecision(row) : null;
    },
    /** Runs `write` so that what it appends is on the disk when this returns. */
    durably: <T>(write: () => T): T => writeDurably(db, write),
    append({ decision_id, clip_id, settings_hash, version, author, made_secs, ...decided }: Decision): void {
      const about = { decision_id, clip_id, settings_hash, version, author, made_secs };
      db.insert(decisions)
        .values({ ...about, decided })
        .run();
    },

    /** Null while nobody set one. */
    getSignature: (): string | null => db.select().from(signature).get()?.name ?? null,
    putSignature(name: string): void {
      writeDurably(db, () =>
        db
          .insert(signature)
          .values({ the_only: 1, name })
          .onConflictDoUpdate({ target: signature.the_only, set: { name } })
          .run(),
      );
    },
  };
}

function toDecision({ decided, ...about }: Row): Decision {
  return { ...decided, ...about };
}
