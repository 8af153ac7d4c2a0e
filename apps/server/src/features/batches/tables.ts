import type { BatchClipState, BatchSource, BatchState } from "@sightline/core/batches";
import type { KeyFrameSettings } from "@sightline/core/keyframes";
import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const batches = sqliteTable("batches", {
  batch_id: text().primaryKey(),
  name: text().notNull(),
  source: text({ mode: "json" }).$type<BatchSource>().notNull(),
  settings: text({ mode: "json" }).$type<KeyFrameSettings>().notNull(),
  settings_hash: text().notNull(),
  state: text().$type<BatchState>().notNull(),
  problem: text(),
  made_secs: real().notNull(),
});

export const batchClips = sqliteTable("batch_clips", {
  batch_id: text().notNull(),
  place: integer().notNull(),
  name: text().notNull(),
  path: text(),
  clip_id: text(),
  state: text().$type<BatchClipState>().notNull(),
  problem: text(),
  advice: text(),
  kept: integer(),
  sampled: integer(),
  duration_secs: real(),
  ended_secs: real(),
  revision: integer().notNull(),
});
