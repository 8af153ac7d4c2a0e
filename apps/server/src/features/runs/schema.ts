import { integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const runs = sqliteTable("runs", {
  run_id: text().primaryKey(),
  launch_key: text(),
  name: text().notNull(),
  engine: text({ enum: ["simulator", "grpo"] }).notNull(),
  preset: text().notNull(),
  seed: integer().notNull(),
  /** JSON, as it was sent to the host. */
  spec: text().notNull(),
  host_id: text().notNull(),
  state: text({
    enum: [
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
  },
  (table) => [primaryKey({ columns: [table.run_id, table.attempt] })],
);

export type RunRecord = typeof runs.$inferSelect;
export type AttemptRecord = typeof attempts.$inferSelect;
