import type { RunSpec } from "@sightline/core/runs";
import { and, asc, desc, eq, inArray, isNotNull, isNull, max, ne } from "drizzle-orm";
import { type Db, writeDurably } from "../../db/open.ts";
import type { AttemptRef } from "../../executors/executor.ts";
import { type AttemptRecord, attempts, isOwn, type RunRecord, runs, sweeps } from "./schema.ts";

/** Runs and attempts as rows: the only SQL of these two tables besides what ingest writes with a line. */
export type RunStore = ReturnType<typeof createRunStore>;

/** A run that is still to be written. */
export type NewRun = {
  spec: RunSpec;
  host_id: string;
  max_retries: number;
};

type AttemptSpan = Pick<AttemptRecord, "attempt" | "resume_step" | "first_step">;

const now = () => Date.now() / 1000;

function toRow(spec: RunSpec, host_id: string) {
  return {
    run_id: spec.run_id,
    name: spec.name,
    engine: spec.engine,
    preset: spec.preset,
    seed: spec.seed,
    spec: JSON.stringify(spec),
    host_id,
    simulated: spec.engine === "simulator",
    recorded: spec.recorded === true,
    created_secs: now(),
  };
}

/** @param db  The open database, migrated. */
export function createRunStore(db: Db) {
  const selectSpans = db.$client.prepare<[string], AttemptSpan & { run_id: string }>(
    `SELECT run_id, attempt, resume_step, first_step FROM attempts
     WHERE run_id IN (SELECT value FROM json_each(?)) ORDER BY run_id, attempt`,
  );
  const insertAttempt = (run_id: string, attempt: number) =>
    db
      .insert(attempts)
      .values({ run_id, attempt, phase: "launching", verdict: "starting", launched_secs: now() })
      .onConflictDoNothing()
      .run();

  const get = (run_id: string): RunRecord | null =>
    db.select().from(runs).where(eq(runs.run_id, run_id)).get() ?? null;

  const byLaunchKey = (launch_key: string): RunRecord | null =>
    db.select().from(runs).where(eq(runs.launch_key, launch_key)).get() ?? null;

  const lastPlace = (host_id: string): number =>
    db
      .select({ last: max(runs.queue_place) })
      .from(runs)
      .where(eq(runs.host_id, host_id))
      .get()?.last ?? 0;

  const insertWaiting = (
    { spec, host_id, max_retries }: NewRun,
    more: Partial<Pick<RunRecord, "launch_key" | "sweep_id" | "sweep_schedule">>,
  ): RunRecord =>
    db
      .insert(runs)
      .values({
        ...toRow(spec, host_id),
        ...more,
        max_retries,
        state: "queued",
        queue_place: lastPlace(host_id) + 1,
      })
      .returning()
      .get();

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

    get,

    byLaunchKey,

    attempts(run_id: string): AttemptRecord[] {
      return db
        .select()
        .from(attempts)
        .where(eq(attempts.run_id, run_id))
        .orderBy(asc(attempts.attempt))
        .all();
    },

    /** Where the attempts of several runs begin, by run, in their order; a run without attempts is left out. */
    attemptSpans(run_ids: readonly string[]): Map<string, AttemptSpan[]> {
      const spans = new Map<string, AttemptSpan[]>();
      for (const { run_id, ...span } of selectSpans.all(JSON.stringify(run_ids)))
        spans.set(run_id, [...(spans.get(run_id) ?? []), span]);
      return spans;
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
     * Writes a run before anything starts, at the end of its host's queue. A second call with the same key writes
     * nothing.
     *
     * @returns The run of that key.
     */
    create(order: NewRun & { launch_key: string }): RunRecord {
      return writeDurably(db, () => {
        const known = byLaunchKey(order.launch_key);
        if (known) return known;
        return insertWaiting(order, { launch_key: order.launch_key });
      });
    },

    /** Writes a sweep and its runs; a second call with the same key writes nothing. Returns the sweep of that key. */
    createSweep(
      sweep: { sweep_id: string; launch_key: string; name: string },
      orders: (NewRun & { schedule: string })[],
    ): string {
      return writeDurably(db, () => {
        const known = db.select().from(sweeps).where(eq(sweeps.launch_key, sweep.launch_key)).get();
        if (known) return known.sweep_id;
        db.insert(sweeps)
          .values({ ...sweep, created_secs: now() })
          .run();
        for (const { schedule, ...order } of orders)
          insertWaiting(order, { sweep_id: sweep.sweep_id, sweep_schedule: schedule });
        return sweep.sweep_id;
      });
    },

    getSweep: (sweep_id: string) =>
      db.select().from(sweeps).where(eq(sweeps.sweep_id, sweep_id)).get() ?? null,

    sweepByKey: (launch_key: string) =>
      db.select().from(sweeps).where(eq(sweeps.launch_key, launch_key)).get() ?? null,

    sweepNames(): Map<string, string> {
      const rows = db.select().from(sweeps).all();
      return new Map(rows.map(({ sweep_id, name }) => [sweep_id, name]));
    },

    ofSweep(sweep_id: string): RunRecord[] {
      return db.select().from(runs).where(eq(runs.sweep_id, sweep_id)).orderBy(asc(runs.created_secs)).all();
    },

    forksOf(run_id: string): RunRecord[] {
      return db
        .select()
        .from(runs)
        .where(eq(runs.forked_from_run_id, run_id))
        .orderBy(asc(runs.created_secs))
        .all();
    },

    /** Ended attempts that took steps, of runs of one preset on one host, the newest first. */
    paces(preset: string, host_id: string): { secs: number; steps: number; spec: string }[] {
      return db.$client
        .prepare<[string, string], { secs: number; steps: number; spec: string }>(
          `SELECT attempts.ended_secs - attempts.launched_secs AS secs,
             attempts.last_step - coalesce(attempts.resume_step, 0) AS steps, runs.spec AS spec
           FROM attempts JOIN runs USING (run_id)
           WHERE runs.preset = ? AND runs.host_id = ? AND NOT runs.recorded AND attempts.phase = 'ended'
             AND attempts.last_step - coalesce(attempts.resume_step, 0) >= 10
           ORDER BY attempts.ended_secs DESC LIMIT 8`,
        )
        .all(preset, host_id);
    },

    /** Writes a run that a host holds and the database does not know, with its first attempt. */
    adopt(spec: RunSpec, host_id: string): void {
      writeDurably(db, () => {
        db.insert(runs)
          .values({ ...toRow(spec, host_id), state: "launching" })
          .run();
        insertAttempt(spec.run_id, 1);
      });
    },

    /** Runs `write` as one durable transaction. */
    atomically: <T>(write: () => T): T => writeDurably(db, write),

    /** Writes the row of a further attempt; none when it is there already. */
    addAttempt(run_id: string, attempt: number): void {
      writeDurably(db, () => insertAttempt(run_id, attempt));
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
        .where(and(ne(attempts.phase, "ended"), isOwn))
        .all();
      const counts = new Map<string, number>();
      for (const { host_id } of rows) counts.set(host_id, (counts.get(host_id) ?? 0) + 1);
      return counts;
    },
  };
}
