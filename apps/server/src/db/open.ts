import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import { StartError } from "../data-folder/start-error.ts";

export type Db = BetterSQLite3Database & { $client: Database.Database };

/** The database was written by a newer Sightline; opening it could lose what that one stored. */
export class NewerDatabaseError extends StartError {
  override name = "NewerDatabaseError";
}

const MIGRATIONS = join(import.meta.dirname, "migrations");

/** A step that brings the database forward: the file `migrations/NNN-name.sql`. */
type Migration = { version: number; name: string };

/**
 * Opens the database of a data folder and brings it forward, after a backup when it already holds something.
 *
 * Migrations are applied in order, each in a transaction, and written down in the table `migrations`.
 * The backup stands beside the file as `sightline.db.before-N`, N being the newest step.
 *
 * @param migrationsDir  Another folder of migrations, for tests.
 * @throws NewerDatabaseError when the file was written by a newer version.
 */
export function openDatabase(file: string, migrationsDir = MIGRATIONS): Db {
  const sqlite = new Database(file);
  try {
    sqlite.pragma("journal_mode = WAL");
    sqlite.pragma("synchronous = NORMAL");
    sqlite.pragma("foreign_keys = ON");
    sqlite.pragma("busy_timeout = 5000");
    // The default of 2 MB writes index pages out over and over while runs stream in.
    sqlite.pragma("cache_size = -65536");
    // A checkpoint waits for the disk; every 16 MB instead of 4 doubles what streams in by the clock.
    sqlite.pragma("wal_autocheckpoint = 4000");
    migrate(sqlite, migrationsDir);
  } catch (error) {
    sqlite.close();
    throw error;
  }
  return drizzle(sqlite);
}

/**
 * Writes what a person made: it is on the disk, not only in the system's cache, when this returns.
 *
 * Everything else is written with `synchronous = NORMAL`, which a power cut may set back by a moment.
 */
export function writeDurably<T>(db: Db, write: () => T): T {
  const sqlite = db.$client;
  sqlite.pragma("synchronous = FULL");
  try {
    return sqlite.transaction(write)();
  } finally {
    sqlite.pragma("synchronous = NORMAL");
  }
}

function migrate(sqlite: Database.Database, migrationsDir: string) {
  sqlite.exec(
    "CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_secs REAL NOT NULL) STRICT",
  );
  const known = listMigrations(migrationsDir);
  const applied = sqlite.prepare("SELECT version, name FROM migrations").all() as Migration[];
  const done = new Set(applied.map(({ version }) => version));
  const newer = applied.filter(({ version }) => !known.some((migration) => migration.version === version));
  if (newer.length > 0) {
    throw new NewerDatabaseError(
      `${sqlite.name} was written by a newer Sightline (it holds ${newer.map(({ name }) => name).join(", ")}).\nUpdate Sightline, or work in another folder: npm start -- --data DIR`,
    );
  }
  const missing = known.filter(({ version }) => !done.has(version));
  if (applied.length > 0 && missing.length > 0) backUp(sqlite, known.at(-1)?.version ?? 0);

  const note = sqlite.prepare("INSERT INTO migrations (version, name, applied_secs) VALUES (?, ?, ?)");
  for (const { version, name } of missing) {
    const sql = readFileSync(join(migrationsDir, name), "utf8");
    sqlite.transaction(() => {
      sqlite.exec(sql);
      note.run(version, name, Date.now() / 1000);
    })();
  }
}

function listMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort()
    .map((name) => ({ version: Number(name.slice(0, 3)), name }));
}

/** Keeps the first backup of a step: a second attempt must not overwrite it with what a failed one left. */
function backUp(sqlite: Database.Database, version: number) {
  const backup = `${sqlite.name}.before-${version}`;
  if (existsSync(backup)) return;
  const draft = `${backup}.part`;
  rmSync(draft, { force: true });
  sqlite.prepare("VACUUM INTO ?").run(draft);
  renameSync(draft, backup);
}
