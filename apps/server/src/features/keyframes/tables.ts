import type { KeyFrameRule, KeyFrameSettings, PairEvidence } from "@sightline/core/keyframes";
import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const keyFrameSelections = sqliteTable("keyframe_selections", {
  clip_id: text().notNull(),
  settings_hash: text().notNull(),
  settings: text({ mode: "json" }).$type<KeyFrameSettings>().notNull(),
  plane_width: integer(),
  plane_height: integer(),
  note: text(),
  made_secs: real().notNull(),
});

export const keyFrameDecisions = sqliteTable("keyframe_decisions", {
  clip_id: text().notNull(),
  settings_hash: text().notNull(),
  frame: integer().notNull(),
  time_secs: real().notNull(),
  kept: integer({ mode: "boolean" }).notNull(),
  rule: text().$type<KeyFrameRule>().notNull(),
  overlap: real(),
  features: integer().notNull(),
  evidence: text({ mode: "json" }).$type<PairEvidence>(),
});

export const keyFrameExtractions = sqliteTable("keyframe_extractions", {
  clip_id: text().notNull(),
  settings_hash: text().notNull(),
  settings: text({ mode: "json" }).$type<KeyFrameSettings>().notNull(),
  state: text().$type<"wanted" | "cancelled" | "failed">().notNull(),
  problem: text(),
});

export const keyFrameViews = sqliteTable("keyframe_views", {
  clip_id: text().notNull(),
  evidence_hash: text().notNull(),
  found_deg: real(),
});
