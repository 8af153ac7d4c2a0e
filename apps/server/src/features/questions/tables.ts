import type {
  BadLine,
  Question,
  QuestionSetKind,
  RowRemark,
  SetAside,
  SplitName,
  StoredSplit,
} from "@sightline/core/benchmarks";
import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const questionSets = sqliteTable("question_sets", {
  set_id: text().primaryKey(),
  name: text().notNull(),
  kind: text().$type<QuestionSetKind>().notNull(),
  format: text().notNull(),
  content_hash: text(),
  rows: integer(),
  set_aside: text({ mode: "json" }).$type<SetAside[]>().notNull(),
  remarks: text({ mode: "json" }).$type<RowRemark[]>().notNull(),
  bad_lines: text({ mode: "json" }).$type<BadLine[]>().notNull(),
  split: text({ mode: "json" }).$type<StoredSplit>(),
  made_secs: real().notNull(),
  trashed_secs: real(),
});

export const questions = sqliteTable("questions", {
  question_id: text().primaryKey(),
  set_id: text().notNull(),
  source_id: text().notNull(),
  row: integer().notNull(),
  dataset: text().notNull(),
  clip_name: text(),
  clip_key: text(),
  asked_clip_id: text(),
  from_secs: real(),
  to_secs: real(),
  scene: text(),
  task: text().notNull(),
  text: text().notNull(),
  options: text({ mode: "json" }).$type<string[]>().notNull(),
  gold: text(),
  kind: text().$type<Question["kind"]>().notNull(),
  split: text().$type<SplitName>(),
  edited_secs: real(),
  trashed_secs: real(),
});

export const clipChoices = sqliteTable("question_clip_choices", {
  set_id: text().notNull(),
  clip_key: text().notNull(),
  clip_id: text().notNull(),
});

export type ChangeKind =
  | "import"
  | "write"
  | "edit"
  | "trash"
  | "restore"
  | "take in"
  | "choose"
  | "split"
  | "undo";

export const questionChanges = sqliteTable("question_changes", {
  change_id: integer().primaryKey({ autoIncrement: true }),
  made_secs: real().notNull(),
  kind: text().$type<ChangeKind>().notNull(),
  undoes: integer(),
});

/** What a person may change: some fields of a question or a set, or the clip chosen for a name. */
export type QuestionFields = Partial<
  Pick<typeof questions.$inferSelect, "text" | "options" | "gold" | "task" | "edited_secs" | "trashed_secs">
>;
export type SetFields = Partial<
  Pick<typeof questionSets.$inferSelect, "name" | "split" | "trashed_secs"> & {
    /** The side of every question, along with `split`. */
    sides: Record<string, SplitName>;
  }
>;
export type ChoiceFields = { clip_id: string | null };

/** One subject of a change; `before` is null for what the change brought in. */
export type ChangeEntry =
  | { subject: "question"; subject_id: string; before: QuestionFields | null; after: QuestionFields }
  | { subject: "set"; subject_id: string; before: SetFields | null; after: SetFields }
  | { subject: "choice"; subject_id: string; before: ChoiceFields; after: ChoiceFields };

export const questionChangeEntries = sqliteTable("question_change_entries", {
  change_id: integer().notNull(),
  subject: text().$type<ChangeEntry["subject"]>().notNull(),
  subject_id: text().notNull(),
  before: text({ mode: "json" }).$type<ChangeEntry["before"]>(),
  after: text({ mode: "json" }).$type<ChangeEntry["after"]>().notNull(),
});
