import { LINK_RULES, LINKS, type Link, type LinkCounts, type LinkReport } from "@sightline/core/links";
import { type LineOf, readAcceptedLine } from "@sightline/core/wire";
import type { Db } from "../../db/open.ts";

/** A stored completion. */
export type Stored = { completion_id: number; line: LineOf<"completion"> };

/** The only SQL of completion_links; the completions themselves are read as ingest stored them. */
export type LinkStore = ReturnType<typeof createLinkStore>;

const WRONG = "c.run_id = ? AND c.accuracy < 1";
/** At most so many columns of steps. */
const COLUMNS = 16;

type RawRow = { id: number; raw: string };
const toStored = ({ id, raw }: RawRow): Stored => ({
  completion_id: id,
  line: readAcceptedLine(raw) as LineOf<"completion">,
});

export function createLinkStore(db: Db) {
  const sql = db.$client;
  const selectOne = sql.prepare<[string, number, number], RawRow>(
    `SELECT id, raw FROM run_lines
     WHERE run_id = ? AND attempt = ? AND stream = 'completions' AND seq = ? AND type = 'completion'`,
  );
  const selectFirst = sql.prepare<[string, number, number, string, number], RawRow>(
    `SELECT l.id, l.raw FROM completions c JOIN run_lines l ON l.id = c.id
     WHERE c.run_id = ? AND c.step = ? AND c.attempt = ? AND c.group_id = ? AND c.k = 0 AND c.gen = ?`,
  );
  const selectUnchecked = sql.prepare<[number, string, number, number], RawRow>(
    // The plus keeps it to the order of ids: one walk through them for all slices together.
    `SELECT l.id, l.raw FROM completions c CROSS JOIN run_lines l ON l.id = c.id
     WHERE c.id > ? AND +c.run_id = ? AND c.accuracy < 1 AND NOT EXISTS
       (SELECT 1 FROM completion_links k WHERE k.completion_id = c.id AND k.rules = ?)
     ORDER BY c.id LIMIT ?`,
  );
  const selectProgress = sql.prepare<
    [number, string],
    { wrong: number; checked: number; last: number | null }
  >(
    `SELECT count(*) AS wrong, count(k.completion_id) AS checked, max(c.step) AS last FROM completions c
     LEFT JOIN completion_links k ON k.completion_id = c.id AND k.rules = ? WHERE ${WRONG}`,
  );
  const selectCells = sql.prepare<
    [number, number, string],
    { broken: string; task: string; column: number; n: number; untold: number }
  >(
    `SELECT k.broken, c.task, c.step / CAST(? AS INTEGER) AS "column", count(*) AS n, sum(k.untold > 0) AS untold
     FROM completions c JOIN completion_links k ON k.completion_id = c.id AND k.rules = ?
     WHERE ${WRONG} GROUP BY 1, 2, 3`,
  );
  const insert = sql.prepare(
    "INSERT OR REPLACE INTO completion_links (completion_id, rules, broken, untold, checked_secs) VALUES (?, ?, ?, ?, ?)",
  );
  const clear = sql.prepare(
    "DELETE FROM completion_links WHERE completion_id IN (SELECT id FROM completions WHERE run_id = ?)",
  );

  return {
    find(run_id: string, attempt: number, seq: number): Stored | null {
      const row = selectOne.get(run_id, attempt, seq);
      return row ? toStored(row) : null;
    },

    /** What its group was asked; null where the first of the group was not kept. */
    getPrompt({ run_id, step, attempt, group_id, gen, prompt }: LineOf<"completion">): string | null {
      if (prompt !== null) return prompt;
      const first = selectFirst.get(run_id, step, attempt, group_id, gen);
      return first ? toStored(first).line.prompt : null;
    },

    /** The next ones after an id, in the order of ids. */
    listUnchecked: (run_id: string, after_id: number, limit: number): Stored[] =>
      selectUnchecked.all(after_id, run_id, LINK_RULES, limit).map(toStored),

    progress(run_id: string): { wrong: number; checked: number } {
      const { wrong = 0, checked = 0 } = selectProgress.get(LINK_RULES, run_id) ?? {};
      return { wrong, checked };
    },

    count(run_id: string): Omit<LinkCounts, "is_checking"> {
      const { wrong = 0, checked = 0, last = null } = selectProgress.get(LINK_RULES, run_id) ?? {};
      const width = Math.max(1, Math.ceil(((last ?? 0) + 1) / COLUMNS));
      const cells = selectCells.all(width, LINK_RULES, run_id).map(({ broken, ...cell }) => ({
        ...cell,
        broken: LINKS.find((link) => link === broken) ?? null,
      }));
      return { wrong, checked, width, cells };
    },

    put(found: readonly { completion_id: number; report: Pick<LinkReport, "broken" | "untold"> }[]): void {
      sql.transaction(() => {
        for (const { completion_id, report } of found)
          insert.run(
            completion_id,
            LINK_RULES,
            report.broken ?? "",
            toBits(report.untold),
            Date.now() / 1000,
          );
      })();
    },

    /** Forgets what was found of a run. */
    clear: (run_id: string) => void clear.run(run_id),
  };
}

const toBits = (links: readonly Link[]) => links.reduce((bits, link) => bits | (1 << LINKS.indexOf(link)), 0);
