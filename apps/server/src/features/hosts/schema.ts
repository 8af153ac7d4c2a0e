import { int, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const hosts = sqliteTable("hosts", {
  host_id: text().primaryKey(),
  name: text().notNull(),
  executor: text({ enum: ["local", "ssh", "slurm", "ray"] }).notNull(),
  address: text(),
  port: int(),
  /** Folder of the run directories, on the host. */
  root: text().notNull(),
  created_secs: real().notNull(),
  trashed_secs: real(),
  environment: text(),
  preparing: text(),
});
