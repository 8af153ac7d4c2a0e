import { LONGEST_DELAY_SECS } from "@sightline/core/runs";
import { and, asc, eq, isNotNull, max, min, ne } from "drizzle-orm";
import { type Db, writeDurably } from "../../db/open.ts";
import { attempts, isOwn, type NextAttempt, type RunRecord, runSlots, runs } from "./schema.ts";

/** The order in which runs wait for their turn on a host, and the way out of it: the only SQL of that. */
export type QueueStore = ReturnType<typeof createQueueStore>;

const now = () => Date.now() / 1000;
const LEFT = { queue_place: null, queue_not_before_secs: null, next_attempt: null };

/** @param db  The open database, migrated. */
export function createQueueStore(db: Db) {
  const waiting = (host_id: string): RunRecord[] =>
    db
      .select()
      .from(runs)
      .where(and(eq(runs.host_id, host_id), isNotNull(runs.queue_place)))
      .orderBy(asc(runs.queue_place), asc(runs.created_secs))
      .all();

  const limit = (host_id: string): number | null =>
    db.select().from(runSlots).where(eq(runSlots.host_id, host_id)).get()?.runs_at_once ?? null;

  const running = (host_id: string) =>
    db
      .selectDistinct({ run_id: runs.run_id, name: runs.name, engine: runs.engine })
      .from(attempts)
      .innerJoin(runs, eq(runs.run_id, attempts.run_id))
      .where(and(ne(attempts.phase, "ended"), eq(runs.host_id, host_id), isOwn))
      .all();

  const place = (host_id: string, end: "first" | "last"): number => {
    const places = db
      .select({ first: min(runs.queue_place), last: max(runs.queue_place) })
      .from(runs)
      .where(eq(runs.host_id, host_id))
      .get();
    return end === "first" ? (places?.first ?? 1) - 1 : (places?.last ?? 0) + 1;
  };

  const newest = (run_id: string) =>
    db
      .select({ attempt: max(attempts.attempt) })
      .from(attempts)
      .where(eq(attempts.run_id, run_id))
      .get()?.attempt ?? 0;

  const overridesOf = (run_id: string, attempt: number): string =>
    db
      .select({ overrides: attempts.overrides })
      .from(attempts)
      .where(and(eq(attempts.run_id, run_id), eq(attempts.attempt, attempt)))
      .get()?.overrides ?? "{}";

  return {
    /** First come first, unless somebody moved them. */
    waiting,
    limit,
    /** Runs that hold a place on the host: an attempt that is not proven dead. */
    running,

    hosts: (): string[] =>
      db
        .selectDistinct({ host_id: runs.host_id })
        .from(runs)
        .where(isNotNull(runs.queue_place))
        .all()
        .map(({ host_id }) => host_id),

    /** Null gives the host its default back. */
    setLimit(host_id: string, runs_at_once: number | null): void {
      writeDurably(db, () => {
        if (runs_at_once === null) db.delete(runSlots).where(eq(runSlots.host_id, host_id)).run();
        else
          db.insert(runSlots)
            .values({ host_id, runs_at_once })
            .onConflictDoUpdate({ target: runSlots.host_id, set: { runs_at_once } })
            .run();
      });
    },

    /**
     * Takes runs from the head of the queue while there is room, and writes the attempt of each, so that a launch that
     * is not confirmed is found again.
     *
     * @returns Runs that now have an attempt.
     */
    admit(host_id: string): string[] {
      return writeDurably(db, () => {
        const most = limit(host_id);
        const taken = running(host_id);
        const admitted: string[] = [];
        for (const run of waiting(host_id)) {
          if (isResting(run)) continue;
          if (!hasRoom(run.engine, taken, most)) continue;
          const before = newest(run.run_id);
          const next = run.next_attempt === null ? null : (JSON.parse(run.next_attempt) as NextAttempt);
          db.insert(attempts)
            .values({
              run_id: run.run_id,
              attempt: before + 1,
              phase: "launching",
              verdict: "starting",
              launched_secs: now(),
              cause: next?.cause ?? "person",
              why: next?.why ?? null,
              overrides: next ? JSON.stringify(next.overrides) : overridesOf(run.run_id, before),
            })
            .run();
          db.update(runs)
            .set({ ...LEFT, state: "launching", problem: null, ended_secs: null })
            .where(eq(runs.run_id, run.run_id))
            .run();
          taken.push(run);
          admitted.push(run.run_id);
        }
        return admitted;
      });
    },

    /** Puts an ended run at the end of its host's queue, for one more attempt. */
    enqueue(run: RunRecord): void {
      writeDurably(db, () =>
        db
          .update(runs)
          .set({
            state: "queued",
            queue_place: place(run.host_id, "last"),
            queue_not_before_secs: null,
            next_attempt: null,
            stop_requested_secs: null,
            problem: null,
            ended_secs: null,
          })
          .where(eq(runs.run_id, run.run_id))
          .run(),
      );
    },

    /** Puts a run that has just failed at the head of the queue: it had its turn. Within a transaction of the caller. */
    enqueueRetry(run: RunRecord, next: NextAttempt, not_before_secs: number): void {
      db.update(runs)
        .set({
          state: "queued",
          queue_place: place(run.host_id, "first"),
          queue_not_before_secs: not_before_secs,
          next_attempt: JSON.stringify(next),
          ended_secs: null,
        })
        .where(eq(runs.run_id, run.run_id))
        .run();
    },

    /** @returns False when it no longer waits. */
    cancel(run_id: string): boolean {
      return writeDurably(db, () => {
        const problem =
          newest(run_id) === 0 ? "It was cancelled while it waited; nothing was started." : null;
        const { changes } = db
          .update(runs)
          .set({ ...LEFT, state: "stopped", problem, ended_secs: now() })
          .where(and(eq(runs.run_id, run_id), isNotNull(runs.queue_place)))
          .run();
        return changes > 0;
      });
    },

    /**
     * Moves a waiting run before another one that waits on the same host; null moves it to the end. Where the other
     * one has started meanwhile it becomes the first.
     *
     * @returns False when the run itself no longer waits.
     */
    move({ run_id, host_id }: RunRecord, before_run_id: string | null): boolean {
      return writeDurably(db, () => {
        const order = waiting(host_id).map((run) => run.run_id);
        if (!order.includes(run_id)) return false;
        const rest = order.filter((other) => other !== run_id);
        const at = before_run_id === null ? rest.length : Math.max(0, rest.indexOf(before_run_id));
        if (before_run_id === run_id) return true;
        [...rest.slice(0, at), run_id, ...rest.slice(at)].forEach((id, index) => {
          db.update(runs)
            .set({ queue_place: index + 1 })
            .where(eq(runs.run_id, id))
            .run();
        });
        return true;
      });
    },
  };
}

/** True while a run that failed waits before it goes on by itself. No wait is as long as that of a clock set back. */
export function isResting({ queue_not_before_secs }: Pick<RunRecord, "queue_not_before_secs">): boolean {
  const wait_secs = (queue_not_before_secs ?? 0) - now();
  return wait_secs > 0 && wait_secs <= LONGEST_DELAY_SECS;
}

/** Whether one more run fits on a host. */
export function hasRoom(
  engine: RunRecord["engine"],
  taken: readonly Pick<RunRecord, "engine">[],
  limit: number | null,
): boolean {
  if (limit !== null) return taken.length < limit;
  return engine === "simulator" || taken.every((other) => other.engine === "simulator");
}
