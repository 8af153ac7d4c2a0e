import type { Asked, Strike } from "@sightline/core/ask";
import type { Judgement, Reasoner, Trace, TracePiece } from "@sightline/core/traces";
import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const traces = sqliteTable("traces", {
  trace_id: text().primaryKey(),
  clip_id: text().notNull(),
  question_id: text().notNull(),
  triple_set_id: text(),
  reasoner: text({ mode: "json" }).$type<Reasoner>().notNull(),
  question: text({ mode: "json" }).$type<Asked>().notNull(),
  triples: text({ mode: "json" }).$type<Trace["triples"]>().notNull(),
  struck: text({ mode: "json" }).$type<Strike[]>().notNull(),
  prompt: text().notNull(),
  prompt_version: text().notNull(),
  asked_after: text(),
  made_secs: real().notNull(),
});

export const tracePieces = sqliteTable("trace_pieces", {
  piece_id: integer().primaryKey({ autoIncrement: true }),
  trace_id: text().notNull(),
  kind: text().$type<TracePiece["kind"]>().notNull(),
  text: text().notNull(),
});

export const traceEnds = sqliteTable("trace_ends", {
  trace_id: text().primaryKey(),
  state: text().$type<Exclude<Trace["state"], "streaming">>().notNull(),
  problem: text(),
  tokens: integer(),
  secs: real(),
  ended_secs: real().notNull(),
});

export const traceJudgements = sqliteTable("trace_judgements", {
  judgement_id: integer().primaryKey({ autoIncrement: true }),
  trace_id: text().notNull(),
  judgement: text({ mode: "json" }).$type<Judgement>().notNull(),
  made_secs: real().notNull(),
});
