import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const endpoints = sqliteTable("endpoints", {
  endpoint_id: text().primaryKey(),
  name: text().notNull(),
  base_url: text().notNull(),
  models: text({ mode: "json" }).$type<string[]>().notNull(),
  concurrency: integer().notNull(),
  created_secs: real().notNull(),
  removed_secs: real(),
});
