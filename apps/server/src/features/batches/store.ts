import type { Batch, BatchClip, BatchState, Left } from "@sightline/core/batches";
import { and, asc, desc, eq, gt, inArray, sql } from "drizzle-orm";
import { type Db, writeDurably } from "../../db/open.ts";
import { batchClips, batches } from "./tables.ts";

export type BatchRecord = typeof batches.$inferSelect;

/** Clips of a batch by how they stand. */
export type Counts = Pick<Batch, "clips" | "waiting" | "working" | "done" | "there" | "failed">;

/** The only SQL of batches and batch_clips. */
export type BatchStore = ReturnType<typeof createBatchStore>;

export function createBatchStore(db: Db) {
  const ofBatch = (batch_id: string) => eq(batchClips.batch_id, batch_id);
  const ofClip = (batch_id: string, place: number) => and(ofBatch(batch_id), eq(batchClips.place, place));
  const nextRevision = (batch_id: string) =>
    sql<number>`(SELECT coalesce(max(revision), 0) + 1 FROM batch_clips WHERE batch_id = ${batch_id})`;

  return {
    add(batch: BatchRecord, clips: readonly BatchClip[]): void {
      writeDurably(db, () => {
        db.insert(batches).values(batch).run();
        for (const clip of clips) db.insert(batchClips).values(clip).run();
      });
    },
    get: (batch_id: string): BatchRecord | null =>
      db.select().from(batches).where(eq(batches.batch_id, batch_id)).get() ?? null,
    list: (): BatchRecord[] => db.select().from(batches).orderBy(desc(batches.made_secs)).all(),
    setState(batch_id: string, state: BatchState, problem: string | null): void {
      writeDurably(db, () =>
        db.update(batches).set({ state, problem }).where(eq(batches.batch_id, batch_id)).run(),
      );
    },
    count(batch_id: string): Counts {
      const counts: Counts = { clips: 0, waiting: 0, working: 0, done: 0, there: 0, failed: 0 };
      const rows = db
        .select({ state: batchClips.state, count: sql<number>`count(*)` })
        .from(batchClips)
        .where(ofBatch(batch_id))
        .groupBy(batchClips.state)
        .all();
      for (const { state, count } of rows) {
        counts[state] = count;
        counts.clips += count;
      }
      return counts;
    },
    /** What nobody is through with yet. */
    measureLeft(batch_id: string): Left {
      const row = db
        .select({
          clips: sql<number>`count(*)`,
          known_secs: sql<number>`coalesce(sum(${batchClips.duration_secs}), 0)`,
          unknown: sql<number>`coalesce(sum(${batchClips.duration_secs} IS NULL), 0)`,
        })
        .from(batchClips)
        .where(and(ofBatch(batch_id), inArray(batchClips.state, ["waiting", "working"])))
        .get();
      return row ?? { clips: 0, known_secs: 0, unknown: 0 };
    },
    listClips: (batch_id: string): BatchClip[] =>
      db.select().from(batchClips).where(ofBatch(batch_id)).orderBy(asc(batchClips.place)).all(),
    /** Clips that changed after a revision, in order of change. */
    listChanged: (batch_id: string, after: number): BatchClip[] =>
      db
        .select()
        .from(batchClips)
        .where(and(ofBatch(batch_id), gt(batchClips.revision, after)))
        .orderBy(asc(batchClips.revision))
        .all(),
    /** Places of what is to be worked on: first what was under way when a server ended. */
    listLeft: (batch_id: string): number[] =>
      db
        .select({ place: batchClips.place })
        .from(batchClips)
        .where(and(ofBatch(batch_id), inArray(batchClips.state, ["waiting", "working"])))
        .orderBy(desc(batchClips.state), asc(batchClips.place))
        .all()
        .map(({ place }) => place),
    getClip: (batch_id: string, place: number): BatchClip | null =>
      db.select().from(batchClips).where(ofClip(batch_id, place)).get() ?? null,
    put(
      batch_id: string,
      place: number,
      set: Partial<Omit<BatchClip, "batch_id" | "place" | "revision">>,
    ): void {
      db.update(batchClips)
        .set({ ...set, revision: nextRevision(batch_id) as unknown as number })
        .where(ofClip(batch_id, place))
        .run();
    },
    /** Lets failed clips wait again; all of them, or those of some places. */
    retry(batch_id: string, places: readonly number[] | null): void {
      writeDurably(db, () => {
        const failed = db
          .select({ place: batchClips.place })
          .from(batchClips)
          .where(
            and(
              ofBatch(batch_id),
              eq(batchClips.state, "failed"),
              places === null ? undefined : inArray(batchClips.place, [...places]),
            ),
          )
          .all();
        for (const { place } of failed) {
          db.update(batchClips)
            .set({
              state: "waiting",
              problem: null,
              advice: null,
              ended_secs: null,
              // The file may be another one by now.
              clip_id: sql`CASE WHEN path IS NULL THEN clip_id END` as unknown as string | null,
              revision: nextRevision(batch_id) as unknown as number,
            })
            .where(ofClip(batch_id, place))
            .run();
        }
      });
    },
  };
}
