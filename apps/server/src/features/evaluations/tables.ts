import type { Evaluation } from "@sightline/core/evaluations";
import type { Reasoner } from "@sightline/core/traces";
import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const evaluations = sqliteTable("evaluations", {
  evaluation_id: text().primaryKey(),
  name: text().notNull(),
  set_id: text().notNull(),
  side: text().$type<Evaluation["side"]>(),
  reasoner: text({ mode: "json" }).$type<Reasoner>().notNull(),
  judge: text({ mode: "json" }).$type<Evaluation["judge"]>(),
  state: text().$type<Evaluation["state"]>().notNull(),
  problem: text(),
  made_secs: real().notNull(),
});

export const evaluationRows = sqliteTable("evaluation_rows", {
  evaluation_id: text().notNull(),
  question_id: text().notNull(),
  place: integer().notNull(),
  clip_id: text(),
  task: text().notNull(),
  text: text().notNull(),
  gold: text(),
  trace_id: text(),
  problem: text(),
});
