import type { SplitName } from "@sightline/core/benchmarks";
import {
  and,
  asc,
  count,
  desc,
  eq,
  inArray,
  isNotNull,
  isNull,
  ne,
  notInArray,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { type Db, writeDurably } from "../../db/open.ts";
import {
  type ChangeEntry,
  type ChangeKind,
  clipChoices,
  type QuestionFields,
  questionChangeEntries,
  questionChanges,
  questionSets,
  questions,
  type SetFields,
} from "./tables.ts";

export type SetRow = typeof questionSets.$inferSelect;
export type QuestionRow = typeof questions.$inferSelect;
export type QuestionChange = typeof questionChanges.$inferSelect & { entries: ChangeEntry[] };

/** Which questions of a set; what is left out does not narrow. */
export type QuestionFilter = {
  set_id: string;
  task?: string | undefined;
  side?: SplitName | undefined;
  /** Stands in the text, an option or the id, whatever its case. */
  words?: string | undefined;
  /** About a clip of these names; `asked` says whether those asked on a clip itself count. */
  names?: { keys: string[]; asked: boolean } | "nameless" | undefined;
  trash: boolean;
};

/** How many questions of a set lie at one clip, task and side. */
export type Tally = Pick<
  QuestionRow,
  "set_id" | "clip_key" | "asked_clip_id" | "clip_name" | "task" | "split"
> & {
  questions: number;
};

/** The only SQL of the tables of migration 007. */
export type QuestionStore = {
  getSet(set_id: string): SetRow | null;
  findByHash(content_hash: string): SetRow | null;
  listSets(filter: { trash: boolean }): SetRow[];
  get(question_id: string): QuestionRow | null;
  getByRow(set_id: string, row: number): QuestionRow | null;
  list(
    filter: QuestionFilter,
    page: { offset: number; limit: number },
  ): { total: number; rows: QuestionRow[] };
  /** Every question of a set that is not in the trash, in order. */
  listAll(set_id: string): QuestionRow[];
  /** Questions with options and without gold, of sets that are not in the trash. */
  listUnanswered(): QuestionRow[];
  /** Questions that may be about a clip: asked on it, chosen for it, or with its name. */
  listCandidates(clip_id: string, clip_key: string | null): QuestionRow[];
  /** Counts of what is not in the trash. */
  tally(set_id: string): Tally[];
  nextRow(set_id: string): number;
  /** Chosen clips by `SET KEY`. */
  getChoices(): Map<string, string>;
  /** Brings in a set, or questions into a set that is there, as one change; returns its number. */
  bringIn(kind: "import" | "write" | "take in", set: SetRow | null, rows: QuestionRow[]): number;
  /** Brings in without history: what no person made. */
  seed(set: SetRow, rows: QuestionRow[]): void;
  /** Applies a change and appends it to the history, in one transaction that reaches the disk; returns its number. */
  change(kind: Exclude<ChangeKind, "undo" | "import">, entries: ChangeEntry[]): number | null;
  /**
   * Takes back a change, or the last that still stands.
   *
   * @returns The change; null when there is none, "changed since" when its subjects are no longer as it left them.
   */
  undo(change_id: number | null): QuestionChange | null | "changed since";
  listChanges(question_id: string): QuestionChange[];
};

const now = () => Date.now() / 1000;
const CHUNK = 500;

/** A choice's subject in the history. */
export const toChoiceId = (set_id: string, clip_key: string) => `${set_id} ${clip_key}`;

export function createQuestionStore(db: Db): QuestionStore {
  const get = (question_id: string) =>
    db.select().from(questions).where(eq(questions.question_id, question_id)).get() ?? null;
  const getSet = (set_id: string) =>
    db.select().from(questionSets).where(eq(questionSets.set_id, set_id)).get() ?? null;
  const kept = isNull(questions.trashed_secs);

  const getChoices = () =>
    new Map(
      db
        .select()
        .from(clipChoices)
        .all()
        .map(({ set_id, clip_key, clip_id }) => [toChoiceId(set_id, clip_key), clip_id]),
    );

  const setSides = (set_id: string, sides: Record<string, SplitName>) => {
    db.update(questions).set({ split: null }).where(eq(questions.set_id, set_id)).run();
    const write = db.$client.prepare("UPDATE questions SET split = ? WHERE question_id = ?");
    for (const [question_id, side] of Object.entries(sides)) write.run(side, question_id);
  };

  const apply = (entry: ChangeEntry) => {
    if (entry.subject === "question") {
      db.update(questions).set(entry.after).where(eq(questions.question_id, entry.subject_id)).run();
    } else if (entry.subject === "set") {
      const { sides, ...fields } = entry.after;
      if (Object.keys(fields).length > 0)
        db.update(questionSets).set(fields).where(eq(questionSets.set_id, entry.subject_id)).run();
      if (sides !== undefined) setSides(entry.subject_id, sides);
    } else {
      const [set_id = "", ...rest] = entry.subject_id.split(" ");
      const clip_key = rest.join(" ");
      const { clip_id } = entry.after;
      db.delete(clipChoices)
        .where(and(eq(clipChoices.set_id, set_id), eq(clipChoices.clip_key, clip_key)))
        .run();
      if (clip_id !== null) db.insert(clipChoices).values({ set_id, clip_key, clip_id }).run();
    }
  };

  const append = (
    kind: ChangeKind,
    entries: readonly ChangeEntry[],
    undoes: number | null = null,
  ): number => {
    const { change_id } = db
      .insert(questionChanges)
      .values({ made_secs: now(), kind, undoes })
      .returning({ change_id: questionChanges.change_id })
      .get();
    for (const entry of entries)
      db.insert(questionChangeEntries)
        .values({ change_id, ...entry })
        .run();
    return change_id;
  };

  const insertRows = (rows: readonly QuestionRow[]) => {
    for (let at = 0; at < rows.length; at += CHUNK)
      db.insert(questions)
        .values(rows.slice(at, at + CHUNK))
        .run();
  };

  const readEntries = (change_id: number) =>
    db
      .select()
      .from(questionChangeEntries)
      .where(eq(questionChangeEntries.change_id, change_id))
      .all() as unknown as ChangeEntry[];

  /** The fields of an entry as they stand now; the sides of a split are taken from its hash. */
  const stands = ({ subject, subject_id, after }: ChangeEntry): boolean => {
    const current: Record<string, unknown> | null =
      subject === "question"
        ? get(subject_id)
        : subject === "set"
          ? getSet(subject_id)
          : { clip_id: getChoices().get(subject_id) ?? null };
    return Object.entries(after).every(
      ([field, value]) => field === "sides" || JSON.stringify(current?.[field]) === JSON.stringify(value),
    );
  };

  const where = ({ set_id, task, side, words, names, trash }: QuestionFilter): SQL | undefined => {
    const pattern = words && `%${words.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
    const like = (column: SQL) => sql`${column} LIKE ${pattern} ESCAPE '\\'`;
    return and(
      eq(questions.set_id, set_id),
      trash ? isNotNull(questions.trashed_secs) : kept,
      task === undefined ? undefined : eq(questions.task, task),
      side === undefined ? undefined : eq(questions.split, side),
      pattern
        ? or(
            like(sql`lower(${questions.text})`),
            like(sql`lower(${questions.options})`),
            like(sql`lower(${questions.source_id})`),
            like(sql`${questions.clip_key}`),
          )
        : undefined,
      names === undefined ? undefined : whereNames(names),
    );
  };

  const whereNames = (names: NonNullable<QuestionFilter["names"]>): SQL | undefined => {
    if (names === "nameless") return and(isNull(questions.asked_clip_id), isNull(questions.clip_key));
    const list = sql`(SELECT value FROM json_each(${JSON.stringify(names.keys)}))`;
    const byName = and(isNull(questions.asked_clip_id), sql`${questions.clip_key} IN ${list}`);
    return names.asked ? or(isNotNull(questions.asked_clip_id), byName) : byName;
  };

  return {
    getSet,
    findByHash: (content_hash) =>
      db.select().from(questionSets).where(eq(questionSets.content_hash, content_hash)).get() ?? null,
    listSets: ({ trash }) =>
      db
        .select()
        .from(questionSets)
        .where(trash ? isNotNull(questionSets.trashed_secs) : isNull(questionSets.trashed_secs))
        .orderBy(desc(questionSets.made_secs))
        .all(),
    get,
    getByRow: (set_id, row) =>
      db
        .select()
        .from(questions)
        .where(and(eq(questions.set_id, set_id), eq(questions.row, row)))
        .get() ?? null,
    list(filter, { offset, limit }) {
      const condition = where(filter);
      const total = db.select({ total: count() }).from(questions).where(condition).get()?.total ?? 0;
      const rows = db
        .select()
        .from(questions)
        .where(condition)
        .orderBy(asc(questions.row), asc(questions.question_id))
        .limit(limit)
        .offset(offset)
        .all();
      return { total, rows };
    },
    listAll: (set_id) =>
      db
        .select()
        .from(questions)
        .where(and(eq(questions.set_id, set_id), kept))
        .orderBy(asc(questions.row), asc(questions.question_id))
        .all(),
    listUnanswered: () =>
      db
        .select({ question: questions })
        .from(questions)
        .innerJoin(questionSets, eq(questions.set_id, questionSets.set_id))
        .where(
          and(kept, isNull(questionSets.trashed_secs), isNull(questions.gold), eq(questions.kind, "choice")),
        )
        .all()
        .map(({ question }) => question),
    listCandidates(clip_id, clip_key) {
      const chosen = db
        .select({ clip_key: clipChoices.clip_key })
        .from(clipChoices)
        .where(eq(clipChoices.clip_id, clip_id));
      return db
        .select({ question: questions })
        .from(questions)
        .innerJoin(questionSets, eq(questions.set_id, questionSets.set_id))
        .where(
          and(
            kept,
            isNull(questionSets.trashed_secs),
            or(
              eq(questions.asked_clip_id, clip_id),
              inArray(questions.clip_key, chosen),
              clip_key === null ? undefined : eq(questions.clip_key, clip_key),
            ),
          ),
        )
        .orderBy(desc(questionSets.made_secs), asc(questions.row))
        .all()
        .map(({ question }) => question);
    },
    tally: (set_id) =>
      db
        .select({
          set_id: questions.set_id,
          clip_key: questions.clip_key,
          asked_clip_id: questions.asked_clip_id,
          clip_name: sql<string | null>`min(${questions.clip_name})`,
          task: questions.task,
          split: questions.split,
          questions: count(),
        })
        .from(questions)
        .where(and(kept, eq(questions.set_id, set_id)))
        .groupBy(questions.clip_key, questions.asked_clip_id, questions.task, questions.split)
        .all(),
    nextRow: (set_id) =>
      (db
        .select({ row: sql<number>`coalesce(max(${questions.row}), 0)` })
        .from(questions)
        .where(eq(questions.set_id, set_id))
        .get()?.row ?? 0) + 1,
    getChoices,
    bringIn(kind, set, rows) {
      return writeDurably(db, () => {
        if (set) db.insert(questionSets).values(set).run();
        insertRows(rows);
        if (kind === "import" && set)
          return append(kind, [
            { subject: "set", subject_id: set.set_id, before: null, after: { trashed_secs: null } },
          ]);
        return append(
          kind,
          rows.map(({ question_id, text, options, gold, task }) => ({
            subject: "question",
            subject_id: question_id,
            before: null,
            after: { text, options, gold, task, trashed_secs: null },
          })),
        );
      });
    },
    seed(set, rows) {
      db.transaction(() => {
        db.insert(questionSets).values(set).onConflictDoNothing().run();
        insertRows(rows.filter(({ question_id }) => get(question_id) === null));
      });
    },
    change(kind, entries) {
      const changed = entries.filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
      if (changed.length === 0) return null;
      return writeDurably(db, () => {
        for (const entry of changed) apply(entry);
        return append(kind, changed);
      });
    },
    undo(change_id) {
      return writeDurably(db, () => {
        const undone = db
          .select({ id: questionChanges.undoes })
          .from(questionChanges)
          .where(isNotNull(questionChanges.undoes));
        const last = db
          .select()
          .from(questionChanges)
          .where(
            and(
              ne(questionChanges.kind, "undo"),
              notInArray(questionChanges.change_id, undone),
              change_id === null ? undefined : eq(questionChanges.change_id, change_id),
            ),
          )
          .orderBy(desc(questionChanges.change_id))
          .limit(1)
          .get();
        if (!last) return null;
        const entries = readEntries(last.change_id);
        if (!entries.every(stands)) return "changed since";
        const back = entries.map(
          (entry) =>
            ({
              subject: entry.subject,
              subject_id: entry.subject_id,
              before: entry.after,
              after: entry.before ?? { trashed_secs: now() },
            }) as ChangeEntry,
        );
        for (const entry of back) apply(entry);
        append("undo", back, last.change_id);
        return { ...last, entries };
      });
    },
    listChanges(question_id) {
      return db
        .select({ change: questionChanges, entry: questionChangeEntries })
        .from(questionChangeEntries)
        .innerJoin(questionChanges, eq(questionChanges.change_id, questionChangeEntries.change_id))
        .where(
          and(
            eq(questionChangeEntries.subject, "question"),
            eq(questionChangeEntries.subject_id, question_id),
          ),
        )
        .orderBy(asc(questionChanges.change_id))
        .all()
        .map(({ change, entry }) => ({ ...change, entries: [entry as unknown as ChangeEntry] }));
    },
  };
}

/** The fields of a row that a change touches, as they are now. */
export function pick<Fields extends QuestionFields | SetFields>(
  row: Required<Fields>,
  fields: Fields,
): Fields {
  const names = Object.keys(fields) as (keyof Fields)[];
  return Object.fromEntries(names.map((name) => [name, row[name]])) as unknown as Fields;
}
