import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { fillRun } from "../../../bench/lib/fill.ts";
import { openDatabase } from "../../db/open.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const MIGRATIONS = join(import.meta.dirname, "../../db/migrations");

it("a folder from before has the same counts, rules and faults of tags as one that was filled anew", () => {
  const folder = mkdtempSync(join(tmpdir(), "sightline-migration-"));
  folders.push(folder);
  const earlier = join(folder, "migrations");
  mkdirSync(earlier);
  for (const name of readdirSync(MIGRATIONS).filter((one) => one < "018"))
    copyFileSync(join(MIGRATIONS, name), join(earlier, name));

  const fresh = openDatabase(join(folder, "fresh.db"));
  fillRun(fresh, { run_id: "run-a", name: "a", seed: 3, steps: 12, groups: 4, group_size: 4 });
  const file = join(folder, "old.db");
  const old = openDatabase(file, earlier);
  old.$client.exec(`ATTACH '${join(folder, "fresh.db")}' AS fresh`);
  for (const table of ["runs", "attempts", "run_lines", "completions", "step_tallies"]) {
    const columns = old.$client
      .prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => name)
      .join(", ");
    old.$client.exec(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM fresh.${table}`);
  }
  // A line that is no legal JSON stops nothing.
  old.$client.exec(
    "UPDATE run_lines SET raw = replace(raw, '\"ms\":3', '\"ms\":NaN') WHERE seq = 5 AND stream = 'completions'",
  );
  old.$client.close();

  const migrated = openDatabase(file);
  const read = (db: typeof fresh, sql: string) => db.$client.prepare(sql).all();
  const tallies = "SELECT * FROM step_tallies ORDER BY run_id, attempt, step";
  const parse = (rows: unknown[]) =>
    (rows as Record<string, unknown>[]).map((row) => ({
      ...row,
      ...Object.fromEntries(
        ["letters", "golds", "judges"].map((name) => [name, JSON.parse(String(row[name]))]),
      ),
      rules: null,
    }));
  expect(parse(read(migrated, tallies))).toEqual(parse(read(fresh, tallies)));
  const completions = "SELECT id, rule, tag_faults FROM completions ORDER BY id";
  const [now, then] = [read(migrated, completions), read(fresh, completions)] as { rule: string }[][];
  expect(now?.filter(({ rule }) => rule === "")).toHaveLength(1);
  const isRead = (_: unknown, k: number) => now?.[k]?.rule !== "";
  expect(now?.filter(isRead)).toEqual(then?.filter(isRead));
  migrated.$client.close();
  fresh.$client.close();
});
