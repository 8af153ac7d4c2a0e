import type { TripleCost, TripleFields } from "@sightline/core/perception";
import { and, asc, count, desc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { type Db, writeDurably } from "../../db/open.ts";
import { perceptionAnswers, tripleEdits, tripleSets, triples } from "./tables.ts";

export type SetRow = typeof tripleSets.$inferSelect;
export type TripleRow = typeof triples.$inferSelect;
export type EditRow = typeof tripleEdits.$inferSelect;

/** The only SQL of the tables triple_sets, triples, triple_edits and perception_answers. */
export type TripleStore = ReturnType<typeof createTripleStore>;

export function createTripleStore(db: Db) {
  const ofSet = (triple_set_id: string) => eq(tripleSets.triple_set_id, triple_set_id);
  const inSet = (triple_set_id: string) => eq(triples.triple_set_id, triple_set_id);

  return {
    /** Sets of a clip that are not in the trash, newest first. */
    listSets: (clip_id: string): SetRow[] =>
      db
        .select()
        .from(tripleSets)
        .where(and(eq(tripleSets.clip_id, clip_id), isNull(tripleSets.trashed_secs)))
        .orderBy(desc(tripleSets.made_secs))
        .all(),
    /** Sets of a clip that are in the trash, the last one first. */
    listTrashed: (clip_id: string): SetRow[] =>
      db
        .select()
        .from(tripleSets)
        .where(and(eq(tripleSets.clip_id, clip_id), isNotNull(tripleSets.trashed_secs)))
        .orderBy(desc(tripleSets.trashed_secs))
        .all(),
    listWorking: (): SetRow[] => db.select().from(tripleSets).where(eq(tripleSets.state, "working")).all(),
    /** The last sets of all clips, to learn how long a model takes. */
    listLately: (limit: number): SetRow[] =>
      db.select().from(tripleSets).orderBy(desc(tripleSets.made_secs)).limit(limit).all(),
    /** The newest set of every clip by a perceiver of this label, that is not in the trash. */
    listOfLabel(label: string): SetRow[] {
      const rows = db
        .select()
        .from(tripleSets)
        .where(and(eq(tripleSets.label, label), isNull(tripleSets.trashed_secs)))
        .orderBy(asc(tripleSets.made_secs))
        .all();
      return [...new Map(rows.map((row) => [row.clip_id, row])).values()];
    },
    getSet: (triple_set_id: string): SetRow | null =>
      db.select().from(tripleSets).where(ofSet(triple_set_id)).get() ?? null,
    insertSet: (row: SetRow): void => void db.insert(tripleSets).values(row).run(),
    updateSet: (
      triple_set_id: string,
      set: Partial<Pick<SetRow, "state" | "problem" | "motions" | "trashed_secs">>,
    ): void => void db.update(tripleSets).set(set).where(ofSet(triple_set_id)).run(),
    addCost(triple_set_id: string, cost: Partial<TripleCost>): void {
      db.update(tripleSets)
        .set({
          calls: sql`${tripleSets.calls} + ${cost.calls ?? 0}`,
          cached: sql`${tripleSets.cached} + ${cost.cached ?? 0}`,
          prompt_tokens: sql`${tripleSets.prompt_tokens} + ${cost.prompt_tokens ?? 0}`,
          completion_tokens: sql`${tripleSets.completion_tokens} + ${cost.completion_tokens ?? 0}`,
          secs: sql`${tripleSets.secs} + ${cost.secs ?? 0}`,
        })
        .where(ofSet(triple_set_id))
        .run();
    },

    listTriples: (triple_set_id: string): TripleRow[] =>
      db.select().from(triples).where(inSet(triple_set_id)).orderBy(asc(triples.key_frame)).all(),
    countTriples: (triple_set_id: string): number =>
      db.select({ n: count() }).from(triples).where(inSet(triple_set_id)).get()?.n ?? 0,
    /** What was given once stays as it was given. */
    insertTriples(rows: TripleRow[]): void {
      if (rows.length > 0) db.insert(triples).values(rows).onConflictDoNothing().run();
    },
    /** Brings in a set with its triples, as a person gave them. */
    bringIn(row: SetRow, rows: TripleRow[]): void {
      writeDurably(db, () => {
        db.insert(tripleSets).values(row).run();
        db.insert(triples).values(rows).run();
      });
    },

    /** Every edit of a set, oldest first. */
    listEdits: (triple_set_id: string): EditRow[] =>
      db
        .select()
        .from(tripleEdits)
        .where(eq(tripleEdits.triple_set_id, triple_set_id))
        .orderBy(asc(tripleEdits.edit_id))
        .all(),
    addEdit(edit: Omit<EditRow, "edit_id" | "made_secs">): number {
      const made_secs = Date.now() / 1000;
      const { edit_id } = writeDurably(db, () =>
        db
          .insert(tripleEdits)
          .values({ ...edit, made_secs })
          .returning({ edit_id: tripleEdits.edit_id })
          .get(),
      );
      return edit_id;
    },

    getAnswer: (answer_key: string) =>
      db.select().from(perceptionAnswers).where(eq(perceptionAnswers.answer_key, answer_key)).get() ?? null,
    putAnswer: (answer_key: string, raw: string, secs: number): void =>
      void db
        .insert(perceptionAnswers)
        .values({ answer_key, raw, secs, made_secs: Date.now() / 1000 })
        .onConflictDoNothing()
        .run(),
  };
}

/** Edits that stand: neither taken back nor themselves a taking back; oldest first. */
export function listStanding(edits: readonly EditRow[]): EditRow[] {
  const undone = new Set(edits.flatMap(({ undoes }) => (undoes === null ? [] : [undoes])));
  return edits.filter(({ edit_id, undoes }) => undoes === null && !undone.has(edit_id));
}

/** The fields of a triple after the edits that stand. */
export function applyEdits(given: TripleFields, standing: readonly EditRow[]): TripleFields {
  const { action, change, relevant } = standing.at(-1)?.after ?? given;
  return { action, change, relevant };
}
