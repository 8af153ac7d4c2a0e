import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";

export type Db = BetterSQLite3Database & { $client: Database.Database };

/** The database was written by a newer Sightline; opening it could lose what that one stored. */
export class NewerDatabaseError extends Error {
  override name = "NewerDatabaseError";
}

const MIGRATIONS = join(import.meta.dirname, "migrations");

type Migration = { version: number; name: string };

function listMigrations(): Migration[] {
  return readdirSync(MIGRATIONS)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort()
    .map((name) => ({ version: Number(name.slice(0, 3)), name }));
}

/**
 * Opens the database of a data folder and brings it forward, after a backup when it already holds something.
 *
 * Migrations are the files `migrations/NNN-name.sql`, applied in order, each in a transaction.
 * `PRAGMA user_version` holds the last one.
 *
 * @throws NewerDatabaseError when the file was written by a newer version.
 */
export function openDatabase(file: string): Db {
  const sqlite = new Database(file);
  sqlite.pragma("journal_mode = WAL");
  sqlite.pragma("synchronous = NORMAL");
  sqlite.pragma("foreign_keys = ON");
  sqlite.pragma("busy_timeout = 5000");

  const migrations = listMigrations();
  const latest = migrations.at(-1)?.version ?? 0;
  const current = sqlite.pragma("user_version", { simple: true }) as number;
  if (current > latest) {
    sqlite.close();
    throw new NewerDatabaseError(
      `${file} was written by a newer Sightline (database version ${current}, this one knows ${latest}). Update Sightline, or start with another folder: npm start -- --data DIR.`,
    );
  }
  if (current > 0 && current < latest) {
    sqlite.pragma("wal_checkpoint(TRUNCATE)");
    const backup = `${file}.before-${latest}`;
    if (!existsSync(backup)) copyFileSync(file, backup);
  }
  for (const { version, name } of migrations) {
    if (version <= current) continue;
    const sql = readFileSync(join(MIGRATIONS, name), "utf8");
    sqlite.transaction(() => {
      sqlite.exec(sql);
      sqlite.pragma(`user_version = ${version}`);
    })();
  }
  return drizzle(sqlite);
}
