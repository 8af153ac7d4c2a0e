import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../../db/open.ts";
import { splitLines } from "../../../ingest/lines.ts";

/**
 * Every readable line of the run directory must be a row, once and unchanged, and every row such a line.
 *
 * @param root  Folder of the run directories, wherever the host keeps them.
 * @returns Faults, in sentences.
 */
export function holdAgainstDisk(dataDir: string, root: string, run_id: string): string[] {
  const faults: string[] = [];
  const onDisk = new Map<string, string>();
  let unreadable = 0;
  const attempts = join(root, run_id, "attempts");
  for (const attempt of readdirSync(attempts)) {
    for (const file of readdirSync(join(attempts, attempt)).filter((name) => name.endsWith(".jsonl"))) {
      for (const { text } of splitLines(readFileSync(join(attempts, attempt, file)), true).lines) {
        try {
          const { stream, seq } = JSON.parse(text ?? "") as { stream: string; seq: number };
          const key = `${Number(attempt)}:${stream}:${seq}`;
          if (onDisk.has(key) && onDisk.get(key) !== text) faults.push(`two lines on disk are ${key}`);
          onDisk.set(key, text ?? "");
        } catch {
          unreadable += 1;
        }
      }
    }
  }
  const db = openDatabase(join(dataDir, "sightline.db"));
  try {
    const rows = db.$client
      .prepare<[string], { attempt: number; stream: string; seq: number; raw: string }>(
        "SELECT attempt, stream, seq, raw FROM run_lines WHERE run_id = ?",
      )
      .all(run_id);
    const stored = new Map(rows.map((row) => [`${row.attempt}:${row.stream}:${row.seq}`, row.raw]));
    if (stored.size !== rows.length) faults.push("rows are doubled");
    for (const [key, text] of onDisk) if (stored.get(key) !== text) faults.push(`line ${key} is not a row`);
    for (const key of stored.keys()) if (!onDisk.has(key)) faults.push(`row ${key} is no line`);
    const quarantined = db.$client.prepare("SELECT count(*) AS n FROM quarantined_lines").get() as {
      n: number;
    };
    if (quarantined.n !== unreadable)
      faults.push(`${unreadable} lines can't be read, ${quarantined.n} are in quarantine`);
  } finally {
    db.$client.close();
  }
  return faults;
}
