import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NewerDatabaseError, openDatabase, writeDurably } from "./open.ts";

let folder: string;
let file: string;
let steps: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sightline-db-"));
  file = join(folder, "sightline.db");
  steps = join(folder, "migrations");
  mkdirSync(steps);
  writeFileSync(join(steps, "001-house.sql"), "CREATE TABLE house (name TEXT) STRICT;");
  writeFileSync(join(steps, "003-attic.sql"), "CREATE TABLE attic (name TEXT) STRICT;");
});
afterEach(() => rmSync(folder, { recursive: true }));

const backups = () => readdirSync(folder).filter((name) => name.includes(".before-"));

test("a new database gets every step and no backup", () => {
  const db = openDatabase(file, steps);
  expect(db.$client.prepare("SELECT version FROM migrations").pluck().all()).toEqual([1, 3]);
  db.$client.close();
  expect(backups()).toEqual([]);
});

test("a step that came later is applied once, after a backup that holds the old state, even below the newest", () => {
  const before = openDatabase(file, steps);
  before.$client.exec("INSERT INTO house VALUES ('kept')");
  before.$client.close();
  writeFileSync(join(steps, "002-cellar.sql"), "CREATE TABLE cellar (name TEXT) STRICT; DELETE FROM house;");

  openDatabase(file, steps).$client.close();
  openDatabase(file, steps).$client.close();

  expect(backups()).toEqual(["sightline.db.before-3"]);
  const backup = new Database(join(folder, "sightline.db.before-3"), { readonly: true });
  expect(backup.prepare("SELECT name FROM house").pluck().all()).toEqual(["kept"]);
  backup.close();
});

test("the library's history outlives step 19, which makes its table anew", () => {
  const real = join(import.meta.dirname, "migrations");
  const names = readdirSync(real).sort();
  rmSync(steps, { recursive: true });
  mkdirSync(steps);
  for (const name of names.filter((one) => one < "019")) cpSync(join(real, name), join(steps, name));
  const before = openDatabase(file, steps);
  before.$client.exec(`INSERT INTO library_changes (made_secs, kind, entries, undoes) VALUES
    (1, 'add', '[]', NULL), (2, 'rename', '[]', NULL), (3, 'undo', '[]', 2)`);
  const history = () => "SELECT change_id, made_secs, kind, entries, undoes FROM library_changes";
  const rows = before.$client.prepare(history()).all();
  before.$client.close();

  const after = openDatabase(file);
  expect(after.$client.prepare(history()).all()).toEqual(rows);
  const put = after.$client.prepare(
    "INSERT INTO library_changes (made_secs, kind, entries, undoes) VALUES (4, ?, '[]', ?)",
  );
  expect(put.run("field_of_view", null).lastInsertRowid).toBe(4);
  expect(() => put.run("undo", 99)).toThrow(/FOREIGN KEY/);
  expect(() => after.$client.exec("DELETE FROM library_changes")).toThrow("append-only");
  after.$client.close();
});

test("a step that fails leaves the database as it was", () => {
  openDatabase(file, steps).$client.close();
  writeFileSync(join(steps, "004-broken.sql"), "CREATE TABLE half (name TEXT) STRICT; CREATE NONSENSE;");
  expect(() => openDatabase(file, steps)).toThrow(/NONSENSE/);
  rmSync(join(steps, "004-broken.sql"));
  const db = openDatabase(file, steps);
  expect(db.$client.prepare("SELECT name FROM sqlite_master WHERE name = 'half'").all()).toEqual([]);
  db.$client.close();
});

test("a database of a newer version is refused and not touched", () => {
  const newer = join(folder, "newer");
  cpSync(steps, newer, { recursive: true });
  writeFileSync(join(newer, "042-future.sql"), "CREATE TABLE future (name TEXT) STRICT;");
  openDatabase(file, newer).$client.close();
  expect(() => openDatabase(file, steps)).toThrow(NewerDatabaseError);
  expect(() => openDatabase(file, steps)).toThrow(/042-future.sql/);
  openDatabase(file, newer).$client.close();
});

test("what a person made is written with full sync, all of it or nothing", () => {
  const db = openDatabase(file, steps);
  const sync = () => db.$client.pragma("synchronous", { simple: true });
  const during = writeDurably(db, () => {
    db.$client.exec("INSERT INTO house VALUES ('made')");
    return sync();
  });
  expect([during, sync()]).toEqual([2, 1]);
  expect(() =>
    writeDurably(db, () => {
      db.$client.exec("DELETE FROM house");
      throw new Error("half way");
    }),
  ).toThrow("half way");
  expect(sync()).toBe(1);
  expect(db.$client.prepare("SELECT name FROM house").pluck().all()).toEqual(["made"]);
  db.$client.close();
});

test("the product's own steps apply", () => {
  openDatabase(file).$client.close();
});
