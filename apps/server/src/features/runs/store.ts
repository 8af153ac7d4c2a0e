import type { RunSpec } from "@sightline/core/runs";
import { and, asc, desc, eq, inArray, isNotNull, isNull, ne } from "drizzle-orm";
import { type Db, writeDurably } from "../../db/open.ts";
import type { AttemptRef } from "../../executors/executor.ts";
import { type AttemptRecord, attempts, type RunRecord, runs } from "./schema.ts";

/** Runs and attempts as rows: the only SQL of these two tables besides what ingest writes with a line. */
export type RunStore = ReturnType<typeof createRunStore>;

const now = () => Date.now() / 1000;

/** @param db  The open database, migrated. */
export function createRunStore(db: Db) {
  const insertAttempt = (run_id: string, attempt: number) =>
    db
      .insert(attempts)
      .values({ run_id, attempt, phase: "launching", verdict: "starting", launched_secs: now() })
      .onConflictDoNothing()
      .run();

  return {
    list(trash: boolean): RunRecord[] {
      return db
        .select()
        .from(runs)
        .where(trash ? isNotNull(runs.trashed_secs) : isNull(runs.trashed_secs))
        .orderBy(desc(runs.created_secs))
        .all();
    },

    some(run_ids: string[]): RunRecord[] {
      return db.select().from(runs).where(inArray(runs.run_id, run_ids)).all();
    },

    get(run_id: string): RunRecord | null {
      return db.select().from(runs).where(eq(runs.run_id, run_id)).get() ?? null;
    },

    byLaunchKey(launch_key: string): RunRecord | null {
      return db.select().from(runs).where(eq(runs.launch_key, launch_key)).get() ?? null;
    },

    attempts(run_id: string): AttemptRecord[] {
      return db
        .select()
        .from(attempts)
        .where(eq(attempts.run_id, run_id))
        .orderBy(asc(attempts.attempt))
        .all();
    },

    newestAttempt(run_id: string): AttemptRecord | null {
      return (
        db
          .select()
          .from(attempts)
          .where(eq(attempts.run_id, run_id))
          .orderBy(desc(attempts.attempt))
          .limit(1)
          .get() ?? null
      );
    },

    attemptCounts(): Map<string, number> {
      const rows = db.$client
        .prepare<[], { run_id: string; n: number }>(
          "SELECT run_id, count(*) AS n FROM attempts GROUP BY run_id",
        )
        .all();
      return new Map(rows.map(({ run_id, n }) => [run_id, n]));
    },

    attempt({ run_id, attempt }: AttemptRef): AttemptRecord | null {
      return (
        db
          .select()
          .from(attempts)
          .where(and(eq(attempts.run_id, run_id), eq(attempts.attempt, attempt)))
          .get() ?? null
      );
    },

    /** Attempts that have not ended, with the host that they are on. */
    unended(host_id?: string): (AttemptRecord & { host_id: string })[] {
      return db
        .select({ attempt: attempts, host_id: runs.host_id })
        .from(attempts)
        .innerJoin(runs, eq(runs.run_id, attempts.run_id))
        .where(
          and(ne(attempts.phase, "ended"), host_id === undefined ? undefined : eq(runs.host_id, host_id)),
        )
        .all()
        .map((row) => ({ ...row.attempt, host_id: row.host_id }));
    },

    /**
     * Writes a run and its first attempt before anything starts. A second call with the same key writes nothing.
     *
     * @returns The run of that key.
     */
    create(run: { spec: RunSpec; host_id: string; launch_key: string | null }): RunRecord {
      return writeDurably(db, () => {
        const { spec } = run;
        if (run.launch_key !== null) {
          const known = db.select().from(runs).where(eq(runs.launch_key, run.launch_key)).get();
          if (known) return known;
        }
        const record = db
          .insert(runs)
          .values({
            run_id: spec.run_id,
            launch_key: run.launch_key,
            name: spec.name,
            engine: spec.engine,
            preset: spec.preset,
            seed: spec.seed,
            spec: JSON.stringify(spec),
            host_id: run.host_id,
            state: "launching",
            simulated: spec.engine === "simulator",
            recorded: spec.recorded === true,
            created_secs: now(),
          })
          .returning()
          .get();
        insertAttempt(spec.run_id, 1);
        return record;
      });
    },

    /** Writes the row of a further attempt; none when it is there already. */
    addAttempt(run_id: string, attempt: number): void {
      writeDurably(db, () => insertAttempt(run_id, attempt));
    },

    /** Writes the row of an attempt that goes on where the one before it ended. */
    resume(run_id: string, attempt: number): void {
      writeDurably(db, () => {
        insertAttempt(run_id, attempt);
        db.update(runs)
          .set({ state: "launching", stop_requested_secs: null, problem: null, ended_secs: null })
          .where(eq(runs.run_id, run_id))
          .run();
      });
    },

    /** What a person asked of a run: a name, a stop. */
    ask(run_id: string, change: Partial<RunRecord>): void {
      writeDurably(db, () => db.update(runs).set(change).where(eq(runs.run_id, run_id)).run());
    },

    /** What was seen of a run. */
    changeRun(run_id: string, change: Partial<RunRecord>): void {
      db.update(runs).set(change).where(eq(runs.run_id, run_id)).run();
    },

    changeAttempt({ run_id, attempt }: AttemptRef, change: Partial<AttemptRecord>): void {
      db.update(attempts)
        .set(change)
        .where(and(eq(attempts.run_id, run_id), eq(attempts.attempt, attempt)))
        .run();
    },

    setTrashed(run_ids: string[], trashed_secs: number | null): void {
      writeDurably(db, () =>
        db.update(runs).set({ trashed_secs }).where(inArray(runs.run_id, run_ids)).run(),
      );
    },

    countActive(): Map<string, number> {
      const rows = db
        .select({ host_id: runs.host_id, run_id: runs.run_id })
        .from(attempts)
        .innerJoin(runs, eq(runs.run_id, attempts.run_id))
        .where(ne(attempts.phase, "ended"))
        .all();
      const counts = new Map<string, number>();
      for (const { host_id } of rows) counts.set(host_id, (counts.get(host_id) ?? 0) + 1);
      return counts;
    },
  };
}
