import { judgeText } from "@sightline/core/ask";
import {
  type Judgement,
  joinPieces,
  type Trace,
  type TracePiece,
  type TraceSummary,
} from "@sightline/core/traces";
import { and, asc, desc, eq, isNull } from "drizzle-orm";
import { type Db, writeDurably } from "../../db/open.ts";
import { traceEnds, traceJudgements, tracePieces, traces } from "./tables.ts";

export type TraceRow = typeof traces.$inferSelect;
export type TraceEnd = Omit<typeof traceEnds.$inferSelect, "ended_secs">;

/** The only SQL of traces, trace_pieces, trace_ends and trace_judgements. Nothing in them is ever changed. */
export type TraceStore = {
  get(trace_id: string): Trace | null;
  /** Newest first. */
  list(clip_id: string, question_id: string | null, limit: number): TraceSummary[];
  add(row: TraceRow): void;
  /** A trace that was written elsewhere, with its end. */
  addWhole(row: TraceRow, text: string, end: TraceEnd, judgement: Judgement | null): void;
  append(trace_id: string, pieces: readonly TracePiece[]): void;
  end(end: TraceEnd): void;
  addJudgement(trace_id: string, judgement: Judgement): void;
  /** Traces that were being written when the server went down. */
  listUnended(): string[];
};

export function createTraceStore(db: Db): TraceStore {
  const getPieces = (trace_id: string): TracePiece[] =>
    db
      .select({ kind: tracePieces.kind, text: tracePieces.text })
      .from(tracePieces)
      .where(eq(tracePieces.trace_id, trace_id))
      .orderBy(asc(tracePieces.piece_id))
      .all();

  const show = (row: TraceRow): Trace => {
    const { trace_id } = row;
    const end = db.select().from(traceEnds).where(eq(traceEnds.trace_id, trace_id)).get();
    const judged = db
      .select({ judgement: traceJudgements.judgement })
      .from(traceJudgements)
      .where(eq(traceJudgements.trace_id, trace_id))
      .orderBy(desc(traceJudgements.judgement_id))
      .limit(1)
      .get();
    const text = joinPieces(getPieces(trace_id));
    const verdict = text === "" ? null : judgeText(text, row.question, "sightline");
    return {
      ...row,
      text,
      state: end?.state ?? "streaming",
      problem: end?.problem ?? null,
      reading: verdict?.reading ?? null,
      accuracy: end ? (verdict?.accuracy ?? null) : null,
      judgement: judged?.judgement ?? null,
      tokens: end?.tokens ?? null,
      secs: end?.secs ?? null,
    };
  };

  const insertEnd = (end: TraceEnd) =>
    db
      .insert(traceEnds)
      .values({ ...end, ended_secs: Date.now() / 1000 })
      .run();
  const insertJudgement = (trace_id: string, judgement: Judgement) =>
    db
      .insert(traceJudgements)
      .values({ trace_id, judgement, made_secs: Date.now() / 1000 })
      .run();

  return {
    get(trace_id) {
      const row = db.select().from(traces).where(eq(traces.trace_id, trace_id)).get();
      return row ? show(row) : null;
    },
    list: (clip_id, question_id, limit) =>
      db
        .select()
        .from(traces)
        .where(
          and(
            eq(traces.clip_id, clip_id),
            question_id === null ? undefined : eq(traces.question_id, question_id),
          ),
        )
        .orderBy(desc(traces.made_secs))
        .limit(limit)
        .all()
        .map((row) => {
          const { text: _, prompt: __, triples: ___, ...summary } = show(row);
          return summary;
        }),
    add: (row) => writeDurably(db, () => void db.insert(traces).values(row).run()),
    addWhole: (row, text, end, judgement) =>
      writeDurably(db, () => {
        db.insert(traces).values(row).run();
        if (text !== "") db.insert(tracePieces).values({ trace_id: row.trace_id, kind: "text", text }).run();
        insertEnd(end);
        if (judgement) insertJudgement(row.trace_id, judgement);
      }),
    append(trace_id, pieces) {
      if (pieces.length === 0) return;
      db.insert(tracePieces)
        .values(pieces.map((piece) => ({ trace_id, ...piece })))
        .run();
    },
    end: (end) => writeDurably(db, () => void insertEnd(end)),
    addJudgement: (trace_id, judgement) => writeDurably(db, () => void insertJudgement(trace_id, judgement)),
    listUnended: () =>
      db
        .select({ trace_id: traces.trace_id })
        .from(traces)
        .leftJoin(traceEnds, eq(traces.trace_id, traceEnds.trace_id))
        .where(isNull(traceEnds.trace_id))
        .all()
        .map(({ trace_id }) => trace_id),
  };
}
