import type { Motion } from "@sightline/core/motion";
import type { Perceiver, Triple, TripleFields, TripleProblem, TripleSet } from "@sightline/core/perception";
import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export type KeyFrame = { frame: number; time_secs: number };

export const tripleSets = sqliteTable("triple_sets", {
  triple_set_id: text().primaryKey(),
  clip_id: text().notNull(),
  settings_hash: text().notNull(),
  selection_version: integer().notNull().default(0),
  question_id: text(),
  question: text().notNull(),
  perceiver: text({ mode: "json" }).$type<Perceiver>().notNull(),
  label: text().notNull(),
  key_frames: text({ mode: "json" }).$type<KeyFrame[]>().notNull(),
  motions: text({ mode: "json" }).$type<(Motion | null)[]>(),
  state: text().$type<TripleSet["state"]>().notNull(),
  problem: text(),
  made_secs: real().notNull(),
  trashed_secs: real(),
  calls: integer().notNull(),
  cached: integer().notNull(),
  prompt_tokens: integer().notNull(),
  completion_tokens: integer().notNull(),
  secs: real().notNull(),
});

export const triples = sqliteTable("triples", {
  triple_set_id: text().notNull(),
  key_frame: integer().notNull(),
  action: text().$type<Triple["action"]>(),
  change: text().notNull(),
  relevant: text().notNull(),
  raw: text().notNull(),
  problems: text({ mode: "json" }).$type<TripleProblem[]>().notNull(),
});

export const tripleEdits = sqliteTable("triple_edits", {
  edit_id: integer().primaryKey({ autoIncrement: true }),
  triple_set_id: text().notNull(),
  key_frame: integer().notNull(),
  author: text().notNull(),
  made_secs: real().notNull(),
  before: text({ mode: "json" }).$type<TripleFields>().notNull(),
  after: text({ mode: "json" }).$type<TripleFields>().notNull(),
  undoes: integer(),
});

export const perceptionAnswers = sqliteTable("perception_answers", {
  answer_key: text().primaryKey(),
  raw: text().notNull(),
  secs: real().notNull(),
  made_secs: real().notNull(),
});
