import { real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const hosts = sqliteTable("hosts", {
  host_id: text().primaryKey(),
  name: text().notNull(),
  executor: text({ enum: ["local", "ssh", "slurm", "ray"] }).notNull(),
  address: text(),
  /** Folder of the run directories, on the host. */
  root: text().notNull(),
  created_secs: real().notNull(),
});
