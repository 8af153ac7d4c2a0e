import type { Decided } from "@sightline/core/decisions";
import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const decisions = sqliteTable("decisions", {
  decision_id: text().primaryKey(),
  clip_id: text().notNull(),
  settings_hash: text().notNull(),
  version: integer().notNull(),
  author: text().notNull(),
  made_secs: real().notNull(),
  decided: text({ mode: "json" }).$type<Decided>().notNull(),
});

export const signature = sqliteTable("signature", {
  the_only: integer().primaryKey(),
  name: text().notNull(),
});
