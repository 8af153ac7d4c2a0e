import { integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const ruleEntries = sqliteTable("alert_rule_entries", {
  entry_id: integer().primaryKey({ autoIncrement: true }),
  rule_id: text().notNull(),
  /** JSON; null: removed. */
  rule: text(),
  author: text().notNull(),
  made_secs: real().notNull(),
});

export const alerts = sqliteTable("alerts", {
  alert_id: integer().primaryKey({ autoIncrement: true }),
  rule_id: text().notNull(),
  entry_id: integer().notNull(),
  run_id: text().notNull(),
  episode_id: text().notNull(),
  attempt: integer().notNull(),
  from_step: integer().notNull(),
  fired_secs: real().notNull(),
  words: text().notNull(),
  until_step: integer(),
  ended_secs: real(),
  is_past: integer({ mode: "boolean" }).notNull(),
});

export const progress = sqliteTable(
  "alert_progress",
  {
    rule_id: text().notNull(),
    run_id: text().notNull(),
    entry_id: integer().notNull(),
    upto_id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.rule_id, table.run_id] })],
);

export const acks = sqliteTable("alert_acks", {
  ack_id: integer().primaryKey({ autoIncrement: true }),
  alert_id: integer().notNull(),
  is_taken_back: integer({ mode: "boolean" }).notNull(),
  author: text().notNull(),
  made_secs: real().notNull(),
});

export const webhooks = sqliteTable("alert_webhooks", {
  webhook_id: text().primaryKey(),
  name: text().notNull(),
  origin: text().notNull(),
  created_secs: real().notNull(),
  removed_secs: real(),
});

export const deliveries = sqliteTable("alert_deliveries", {
  delivery_id: text().primaryKey(),
  webhook_id: text().notNull(),
  alert_id: integer(),
  kind: text({ enum: ["fired", "ended", "test"] }).notNull(),
  body: text().notNull(),
  created_secs: real().notNull(),
  state: text({ enum: ["waiting", "delivered", "failed"] }).notNull(),
  tries: integer().notNull(),
  next_secs: real().notNull(),
  tried_secs: real(),
  status: integer(),
  problem: text(),
});
