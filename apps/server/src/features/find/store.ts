import {
  type FindFilter,
  type FindView,
  type FLAGS,
  type FoundCompletion,
  type IndexProgress,
  MOST_COUNTED,
  type QuestionPoint,
  type Remark,
  type Term,
} from "@sightline/core/find";
import { LINK_RULES } from "@sightline/core/links";
import { TAG_FAULTS } from "@sightline/core/traces";
import { type LineOf, readAcceptedLine } from "@sightline/core/wire";
import { type Db, writeDurably } from "../../db/open.ts";

/** Finding among what ingest stored, and what people say of it: words, remarks, views. */
export type FindStore = ReturnType<typeof createFindStore>;

/** A row of the list before its text was read. */
export type FoundRow = Omit<FoundCompletion, "snippet" | "tags" | "notes">;

type SqlRow = Omit<FoundRow, "judge_agrees" | "is_clipped"> & { judge_agrees: number | null; finish: string };
type Condition = { sql: string; values: (string | number)[] };

const now = () => Date.now() / 1000;

const COLUMNS = `c.id AS completion_id, c.attempt, c.gen, c.step, c.stage, c.group_id, c.question_id, c.task, c.k, c.gold,
  c.letter, c.rule, c.tokens, c.reward, c.format, c.accuracy, c.consistency, c.judge_agrees, c.finish, c.split`;

const FAILED = "('timeout', 'http_error', 'unparsed')";

const OF_FLAG: Record<(typeof FLAGS)[number], string> = {
  clipped: "c.finish = 'length'",
  tag_missing: `c.tag_faults & ${TAG_FAULTS.missing}`,
  tag_doubled: `c.tag_faults & ${TAG_FAULTS.doubled}`,
  tag_out_of_order: `c.tag_faults & ${TAG_FAULTS.out_of_order}`,
  judge_failed: `c.judge_status IN ${FAILED}`,
  zero_signal: `c.split = 'train' AND (
    SELECT count(*) > 1 AND min(g.reward) = max(g.reward) FROM completions g
    WHERE g.run_id = c.run_id AND g.step = c.step AND g.attempt = c.attempt AND g.group_id = c.group_id)`,
};

const OF_JUDGE = {
  agrees: "c.judge_agrees = 1",
  disagrees: "c.judge_agrees = 0",
  failed: OF_FLAG.judge_failed,
  none: "c.judge_status IS NULL OR c.judge_status IN ('skipped_wrong_answer', 'no_think')",
} as const;

const ofPart = (column: string, value: NonNullable<FindFilter["format"]>) =>
  ({
    full: `${column} >= 1`,
    part: `${column} > 0 AND ${column} < 1`,
    none: `${column} <= 0`,
    unscored: `${column} IS NULL`,
  })[value];

/** Tags that stand: the last thing done about them is not an undo. */
const STANDS = `NOT EXISTS (SELECT 1 FROM completion_remarks u WHERE u.of_id = r.remark_id AND u.kind = 'undo'
  AND u.remark_id = (SELECT max(remark_id) FROM completion_remarks w WHERE w.of_id = r.remark_id))`;

function conditionsOf(filter: FindFilter): Condition[] {
  const conditions: Condition[] = [];
  const add = (sql: string, ...values: (string | number)[]) => conditions.push({ sql: `(${sql})`, values });
  if (filter.task !== undefined) add("c.task = ?", filter.task);
  if (filter.question !== undefined) add("c.question_id = ?", filter.question);
  if (filter.stage !== undefined) add("c.stage = ?", filter.stage);
  if (filter.rule !== undefined) add("c.rule = ?", filter.rule);
  if (filter.letter !== undefined) add("coalesce(c.letter, '') = ?", filter.letter);
  if (filter.format !== undefined) add(ofPart("c.format", filter.format));
  if (filter.accuracy !== undefined) add(ofPart("c.accuracy", filter.accuracy));
  if (filter.consistency !== undefined) add(ofPart("c.consistency", filter.consistency));
  if (filter.judge !== undefined) add(OF_JUDGE[filter.judge]);
  if (filter.shortest !== undefined) add("c.tokens >= ?", filter.shortest);
  if (filter.longest !== undefined) add("c.tokens <= ?", filter.longest);
  if (filter.from_step !== undefined) add("c.step >= ?", filter.from_step);
  if (filter.to_step !== undefined) add("c.step <= ?", filter.to_step);
  if (filter.split !== undefined) add("c.split = ?", filter.split);
  if (filter.tag !== undefined)
    add(
      `c.id IN (SELECT r.completion_id FROM completion_remarks r WHERE r.kind = 'tag' AND r.text = ? AND ${STANDS})`,
      filter.tag,
    );
  if (filter.broken !== undefined)
    add(
      "c.accuracy < 1 AND c.id IN (SELECT k.completion_id FROM completion_links k WHERE k.broken = ? AND k.rules = ?)",
      filter.broken === "none" ? "" : filter.broken,
      LINK_RULES,
    );
  // Last, because it looks at other rows as well.
  if (filter.flag !== undefined) add(OF_FLAG[filter.flag]);
  return conditions;
}

const quote = (words: readonly string[]) => `"${words.join(" ").replaceAll('"', '""')}"`;

/** A query of FTS5 that nothing typed can break; null when the terms ask for nothing. */
function matchOf(run_id: string, terms: readonly Term[]): string | null {
  const show = ({ words, is_prefix }: Term) => `{words} : ${quote(words)}${is_prefix ? " *" : ""}`;
  const wanted = terms.filter(({ is_excluded }) => !is_excluded).map(show);
  const excluded = terms.filter(({ is_excluded }) => is_excluded).map(show);
  if (wanted.length + excluded.length === 0) return null;
  const all = [`{run} : ${quote([run_id])}`, ...wanted].map((one) => `(${one})`).join(" AND ");
  return excluded.length === 0 ? all : `(${all}) NOT (${excluded.map((one) => `(${one})`).join(" OR ")})`;
}

/** @param db  The open database, migrated. */
export function createFindStore(db: Db) {
  const sql = db.$client;
  const selectIndexed = sql.prepare<[], { id: number | null }>(
    "SELECT max(rowid) AS id FROM completion_words",
  );
  const countCompletions = sql.prepare<[], { n: number }>("SELECT count(*) AS n FROM completions");
  const countIndexed = sql.prepare<[], { n: number }>("SELECT count(*) AS n FROM completion_words_docsize");
  const selectNext = sql.prepare<[number, number], { id: number; run_id: string; raw: string }>(
    `SELECT c.id, c.run_id, l.raw FROM completions c JOIN run_lines l ON l.id = c.id
     WHERE c.id > ? ORDER BY c.id LIMIT ?`,
  );
  const insertWords = sql.prepare("INSERT INTO completion_words (rowid, run, words) VALUES (?, ?, ?)");
  const selectRaw = sql.prepare<[number], { raw: string }>(
    "SELECT raw FROM run_lines WHERE id = ? AND type = 'completion'",
  );
  const selectRemarks = sql.prepare<
    [number],
    {
      remark_id: number;
      completion_id: number;
      kind: string;
      text: string;
      of_id: number | null;
      author: string;
      made_secs: number;
    }
  >("SELECT * FROM completion_remarks WHERE completion_id = ? ORDER BY remark_id");
  const insertRemark = sql.prepare(
    `INSERT INTO completion_remarks (completion_id, kind, text, of_id, author, made_secs) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const selectCompletionOf = sql.prepare<[number], { completion_id: number; kind: string }>(
    "SELECT completion_id, kind FROM completion_remarks WHERE remark_id = ?",
  );
  const selectQuestion = sql.prepare<[string, string], Omit<QuestionPoint, "letters">>(
    `SELECT run_id, attempt, step, count(*) AS n, count(accuracy) AS scored, avg(accuracy) AS accuracy,
       avg(format) AS format, avg(consistency) AS consistency, avg(reward) AS reward
     FROM completions WHERE run_id = ? AND question_id = ? GROUP BY attempt, step ORDER BY attempt, step`,
  );
  const selectLetters = sql.prepare<
    [string, string],
    { attempt: number; step: number; letter: string; n: number }
  >(
    `SELECT attempt, step, coalesce(letter, '') AS letter, count(*) AS n
     FROM completions WHERE run_id = ? AND question_id = ? GROUP BY attempt, step, letter`,
  );
  const selectTags = sql.prepare<[string], { text: string; n: number }>(
    `SELECT r.text, count(DISTINCT c.id) AS n FROM completion_remarks r JOIN completions c ON c.id = r.completion_id
     WHERE c.run_id = ? AND r.kind = 'tag' AND ${STANDS} GROUP BY r.text ORDER BY r.text`,
  );
  const selectViews = sql.prepare<[], Omit<FindView, "filter"> & { filter: string }>(
    "SELECT view_id, name, filter, author, made_secs FROM find_views WHERE removed_secs IS NULL ORDER BY name, view_id",
  );
  const insertView = sql.prepare(
    "INSERT INTO find_views (name, filter, author, made_secs) VALUES (?, ?, ?, ?)",
  );
  const selectCalled = sql.prepare<[string], { view_id: number }>(
    "SELECT view_id FROM find_views WHERE name = ? AND removed_secs IS NULL",
  );
  const selectName = sql.prepare<[number], { name: string }>("SELECT name FROM find_views WHERE view_id = ?");
  const removeView = sql.prepare("UPDATE find_views SET removed_secs = ? WHERE view_id = ?");

  const remarks = (completion_id: number): Remark[] => {
    const found = new Map<number, Remark>();
    for (const { remark_id, kind, text, of_id, author, made_secs } of selectRemarks.all(completion_id)) {
      const of = of_id === null ? undefined : found.get(of_id);
      if (kind === "note" || kind === "tag")
        found.set(remark_id, { remark_id, completion_id, kind, text, author, made_secs, undone: null });
      else if (of) of.undone = kind === "undo" ? { author, made_secs } : null;
    }
    return [...found.values()];
  };

  return {
    /** Indexes the words of up to `limit` further completions. @returns How many it did. */
    indexMore(limit: number): number {
      const rows = selectNext.all(selectIndexed.get()?.id ?? 0, limit);
      sql.transaction(() => {
        for (const { id, run_id, raw } of rows)
          insertWords.run(id, run_id, (readAcceptedLine(raw) as LineOf<"completion">).text);
      })();
      return rows.length;
    },

    progress: (): IndexProgress => ({
      done: countIndexed.get()?.n ?? 0,
      total: countCompletions.get()?.n ?? 0,
    }),

    /** Completions in the order of their steps; those with words in the order in which they came. */
    find(
      run_id: string,
      filter: FindFilter,
      terms: readonly Term[],
      { offset, limit }: { offset: number; limit: number },
    ): { rows: FoundRow[]; total: number } {
      const conditions = conditionsOf(filter);
      const match = matchOf(run_id, terms);
      const from =
        match === null ? "completions c" : "completion_words f CROSS JOIN completions c ON c.id = f.rowid";
      const all = [
        match === null
          ? { sql: "c.run_id = ?", values: [run_id] }
          : { sql: "completion_words MATCH ? AND c.run_id = ?", values: [match, run_id] },
        ...conditions,
      ];
      const where = all.map((one) => one.sql).join(" AND ");
      const values = all.flatMap((one) => one.values);
      // Where the words alone decide, the index counts by itself.
      const counted =
        match !== null && conditions.length === 0
          ? `SELECT count(*) AS n FROM (SELECT 1 FROM completion_words WHERE completion_words MATCH ? LIMIT ${MOST_COUNTED + 1})`
          : `SELECT count(*) AS n FROM (SELECT 1 FROM ${from} WHERE ${where} LIMIT ${MOST_COUNTED + 1})`;
      const { n: total } = sql
        .prepare<unknown[], { n: number }>(counted)
        .get(...(match !== null && conditions.length === 0 ? [match] : values)) ?? { n: 0 };
      const order = match === null ? "c.step, c.attempt, c.group_id, c.k" : "f.rowid";
      const rows = sql
        .prepare<unknown[], SqlRow>(
          `SELECT ${COLUMNS} FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT ? OFFSET ?`,
        )
        .all(...values, limit, offset)
        .map(({ judge_agrees, finish, ...row }) => ({
          ...row,
          judge_agrees: judge_agrees === null ? null : judge_agrees === 1,
          is_clipped: finish === "length",
        }));
      return { rows, total };
    },

    /** One question at every step of a run at which it was asked, in training or held out. */
    question(run_id: string, question_id: string): QuestionPoint[] {
      const letters = new Map<string, Record<string, number>>();
      for (const { attempt, step, letter, n } of selectLetters.all(run_id, question_id)) {
        const key = `${attempt}:${step}`;
        letters.set(key, { ...letters.get(key), [letter]: n });
      }
      return selectQuestion
        .all(run_id, question_id)
        .map((point) => ({ ...point, letters: letters.get(`${point.attempt}:${point.step}`) ?? {} }));
    },

    line(completion_id: number): LineOf<"completion"> | null {
      const row = selectRaw.get(completion_id);
      return row ? (readAcceptedLine(row.raw) as LineOf<"completion">) : null;
    },

    remarks,

    tags: (run_id: string) => selectTags.all(run_id),

    addRemark(completion_id: number, kind: Remark["kind"], text: string, author: string): void {
      writeDurably(db, () => insertRemark.run(completion_id, kind, text, null, author, now()));
    },

    /** Takes a remark back or brings it back. @returns The completion, or null when there is no such remark. */
    turnRemark(remark_id: number, kind: "undo" | "redo", author: string): number | null {
      const of = selectCompletionOf.get(remark_id);
      if (!of || (of.kind !== "note" && of.kind !== "tag")) return null;
      writeDurably(db, () => insertRemark.run(of.completion_id, kind, "", remark_id, author, now()));
      return of.completion_id;
    },

    views: (): FindView[] =>
      selectViews.all().map(({ filter, ...view }) => ({ ...view, filter: JSON.parse(filter) })),

    /** @returns Null where a view of that name stands and is not to be replaced. */
    addView({
      name,
      filter,
      replaces,
      author,
    }: {
      name: string;
      filter: FindFilter;
      replaces: boolean;
      author: string;
    }): { view_id: number; replaced: number[] } | null {
      return writeDurably(db, () => {
        const replaced = selectCalled.all(name).map(({ view_id }) => view_id);
        if (replaced.length > 0 && !replaces) return null;
        for (const view_id of replaced) removeView.run(now(), view_id);
        const { lastInsertRowid } = insertView.run(name, JSON.stringify(filter), author, now());
        return { view_id: Number(lastInsertRowid), replaced };
      });
    },

    removeView: (view_id: number): boolean =>
      writeDurably(db, () => removeView.run(now(), view_id).changes > 0),

    /**
     * Brings a view back that was taken away, or replaced.
     *
     * @param instead_of  A view that is taken away in the same stroke: the one that had replaced it.
     * @returns Its name; null where there is no such view. It is not brought back where another one has its name.
     */
    restoreView(view_id: number, instead_of: number | null): { name: string; isBack: boolean } | null {
      return writeDurably(db, () => {
        const name = selectName.get(view_id)?.name;
        if (name === undefined) return null;
        const isTaken = selectCalled
          .all(name)
          .some((other) => other.view_id !== view_id && other.view_id !== instead_of);
        if (isTaken) return { name, isBack: false };
        if (instead_of !== null) removeView.run(now(), instead_of);
        removeView.run(null, view_id);
        return { name, isBack: true };
      });
    },
  };
}
