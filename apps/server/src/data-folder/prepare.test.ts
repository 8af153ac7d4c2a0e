import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { prepareDataFolder } from "./prepare.ts";
import { explainStartFailure } from "./start-error.ts";

const NOBODY = 65_534;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sightline-prepare-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function failureOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error("It did not fail.");
}

test("a folder without the right to write is named, with a way out", () => {
  chmodSync(folder, 0o555);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  const error = failureOf(() => prepareDataFolder(folder));
  if (isRoot) process.seteuid?.(0);
  expect(explainStartFailure(error, folder)?.message).toMatch(
    /^Sightline may not write to .* \(EACCES\)\.\n.*--data DIR$/,
  );
});

test("a full disk is named, whether a file or the database finds it out", () => {
  const fromFile = failureOf(() => writeFileSync("/dev/full", "x"));
  const db = new Database(join(folder, "small.db"));
  db.exec("CREATE TABLE t (v TEXT)");
  db.pragma("max_page_count = 2");
  const fromDatabase = failureOf(() => db.exec("INSERT INTO t VALUES (zeroblob(100000))"));
  db.close();
  for (const error of [fromFile, fromDatabase]) {
    expect(explainStartFailure(error, "/data")?.message).toMatch(
      /^There is no room left on the disk of \/data\.\nFree some, or /,
    );
  }
});

test("a fault of ours is not dressed up", () => {
  expect(explainStartFailure(new TypeError("x is not a function"), folder)).toBeNull();
});
