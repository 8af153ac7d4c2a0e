import { ENGINES } from "@sightline/core/runs";
import { sql } from "drizzle-orm";
import { integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const runs = sqliteTable("runs", {
  run_id: text().primaryKey(),
  launch_key: text(),
  name: text().notNull(),
  engine: text({ enum: ENGINES }).notNull(),
  preset: text().notNull(),
  seed: integer().notNull(),
  /** JSON, as it was sent to the host. */
  spec: text().notNull(),
  host_id: text().notNull(),
  state: text({
    enum: [
      "queued",
      "launching",
      "running",
      "stalled",
      "orphaned",
      "unreachable",
      "stopping",
      "done",
      "stopped",
      "interrupted",
      "failed",
      "lost",
    ],
  }).notNull(),
  problem: text(),
  stop_requested_secs: real(),
  step: integer(),
  max_steps: integer(),
  stage: text(),
  simulated: integer({ mode: "boolean" }).notNull(),
  recorded: integer({ mode: "boolean" }).notNull(),
  created_secs: real().notNull(),
  ended_secs: real(),
  trashed_secs: real(),
  /** Not null while it waits; lower ones start first. */
  queue_place: real(),
  queue_not_before_secs: real(),
  /** JSON of `NextAttempt`, for the attempt that it waits for; null for a plain one. */
  next_attempt: text(),
  max_retries: integer().notNull().default(0),
  sweep_id: text(),
  sweep_schedule: text(),
  forked_from_run_id: text().generatedAlwaysAs(sql`json_extract(spec, '$.forked_from.run_id')`),
  forked_from_step: integer().generatedAlwaysAs(sql`json_extract(spec, '$.forked_from.step')`),
});

export const runSlots = sqliteTable("run_slots", {
  host_id: text().primaryKey(),
  runs_at_once: integer().notNull(),
});

export const sweeps = sqliteTable("sweeps", {
  sweep_id: text().primaryKey(),
  launch_key: text().notNull(),
  name: text().notNull(),
  created_secs: real().notNull(),
});

export const attempts = sqliteTable(
  "attempts",
  {
    run_id: text().notNull(),
    attempt: integer().notNull(),
    /** launching until the host confirmed; ended once proven dead and read to the last line. */
    phase: text({ enum: ["launching", "live", "ended"] }).notNull(),
    verdict: text({
      enum: [
        "starting",
        "running",
        "stalled",
        "orphaned",
        "finished",
        "killed",
        "interrupted",
        "lost",
        "unreachable",
      ],
    }).notNull(),
    reason: text({ enum: ["done", "stopped", "interrupted", "failed"] }),
    exit_code: integer(),
    signal: text(),
    problem: text(),
    resume_step: integer(),
    first_step: integer(),
    last_step: integer(),
    launched_secs: real().notNull(),
    ended_secs: real(),
    heartbeat_age_secs: real(),
    device: text(),
    /** JSON. */
    versions: text().notNull().default("{}"),
    cause: text({ enum: ["person", "retry"] })
      .notNull()
      .default("person"),
    why: text(),
    /** JSON: settings in which it differs from the spec. */
    overrides: text().notNull().default("{}"),
  },
  (table) => [primaryKey({ columns: [table.run_id, table.attempt] })],
);

export type RunRecord = typeof runs.$inferSelect;
export type AttemptRecord = typeof attempts.$inferSelect;

/** What an attempt that is still to come is there for. */
export type NextAttempt = { cause: "retry"; why: string; overrides: Record<string, number> };

/** The overrides of an attempt, from its row: as this server wrote them. */
export function readOverrides(text: string): Record<string, number> {
  return JSON.parse(text) as Record<string, number>;
}

/** Ours: a run that is only watched takes no place on its host. */
export const isOwn = sql`${runs.run_id} NOT IN (SELECT run_id FROM watched_runs)`;
