import type { ClipState } from "@sightline/core/clips";
import { blob, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const clips = sqliteTable("clips", {
  clip_id: text().primaryKey(),
  revision: integer().notNull(),
  name: text().notNull(),
  tags: text({ mode: "json" }).$type<string[]>().notNull(),
  state: text().$type<ClipState>().notNull(),
  problem: text(),
  bytes: integer().notNull(),
  extension: text().notNull(),
  added_secs: real().notNull(),
  trashed_secs: real(),
  emptied_secs: real(),
  container: text(),
  codec: text(),
  pixel_format: text(),
  full_range: integer({ mode: "boolean" }).notNull().default(false),
  coded_width: integer(),
  coded_height: integer(),
  display_width: integer(),
  display_height: integer(),
  rotation: integer().$type<0 | 90 | 180 | 270>().notNull().default(0),
  pixel_aspect: real().notNull().default(1),
  frame_count: integer(),
  duration_secs: real(),
  plays: text().$type<"original" | "proxy">().notNull().default("proxy"),
  original_start_secs: real(),
  proxy: text().$type<"none" | "wanted" | "ready" | "failed">().notNull().default("none"),
  proxy_problem: text(),
  field_of_view_deg: real(),
});

export const clipFrames = sqliteTable("clip_frames", {
  clip_id: text().primaryKey(),
  time_secs: blob({ mode: "buffer" }).notNull(),
  ticks: blob({ mode: "buffer" }).notNull(),
  key_frames: blob({ mode: "buffer" }).notNull(),
  seekable: integer({ mode: "boolean" }).notNull(),
  first_time_secs: real().notNull(),
});

/** What a person may change of a clip. */
export type ClipFields = {
  name: string;
  tags: string[];
  trashed_secs: number | null;
  field_of_view_deg: number | null;
};

/** `before` is null for a clip that the change brought in. */
export type ChangeEntry = { clip_id: string; before: ClipFields | null; after: ClipFields };

export type ChangeKind = "add" | "rename" | "tags" | "trash" | "restore" | "field_of_view" | "undo";

export const libraryChanges = sqliteTable("library_changes", {
  change_id: integer().primaryKey({ autoIncrement: true }),
  made_secs: real().notNull(),
  kind: text().$type<ChangeKind>().notNull(),
  entries: text({ mode: "json" }).$type<ChangeEntry[]>().notNull(),
  undoes: integer(),
});
