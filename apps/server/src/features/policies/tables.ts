import { real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const hubModels = sqliteTable("hub_models", {
  id: text().primaryKey(),
  added_secs: real().notNull(),
  removed_secs: real(),
});
