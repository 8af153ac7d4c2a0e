import { and, asc, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import { type Db, writeDurably } from "../../db/open.ts";
import { evaluationRows, evaluations } from "./tables.ts";

export type EvaluationRecord = typeof evaluations.$inferSelect;
export type RowRecord = typeof evaluationRows.$inferSelect;

/** The only SQL of evaluations and evaluation_rows. */
export type EvaluationStore = ReturnType<typeof createEvaluationStore>;

export function createEvaluationStore(db: Db) {
  const ofRow = (evaluation_id: string, question_id: string) =>
    and(eq(evaluationRows.evaluation_id, evaluation_id), eq(evaluationRows.question_id, question_id));
  return {
    add(evaluation: EvaluationRecord, rows: readonly RowRecord[]): void {
      writeDurably(db, () => {
        db.insert(evaluations).values(evaluation).run();
        for (const row of rows) db.insert(evaluationRows).values(row).run();
      });
    },
    get: (evaluation_id: string): EvaluationRecord | null =>
      db.select().from(evaluations).where(eq(evaluations.evaluation_id, evaluation_id)).get() ?? null,
    list: (): EvaluationRecord[] => db.select().from(evaluations).orderBy(desc(evaluations.made_secs)).all(),
    listRows: (evaluation_id: string): RowRecord[] =>
      db
        .select()
        .from(evaluationRows)
        .where(eq(evaluationRows.evaluation_id, evaluation_id))
        .orderBy(asc(evaluationRows.place))
        .all(),
    count(evaluation_id: string): { questions: number; waiting: number } {
      const counted = db
        .select({
          questions: sql<number>`count(*)`,
          waiting: sql<number>`sum(${evaluationRows.trace_id} IS NULL AND ${evaluationRows.problem} IS NULL)`,
        })
        .from(evaluationRows)
        .where(eq(evaluationRows.evaluation_id, evaluation_id))
        .get();
      return { questions: counted?.questions ?? 0, waiting: counted?.waiting ?? 0 };
    },
    /** Puts down what came of a question; what was put down before stays. */
    put(
      evaluation_id: string,
      question_id: string,
      set: { trace_id: string | null; problem: string | null },
    ): void {
      db.update(evaluationRows)
        .set(set)
        .where(
          and(
            ofRow(evaluation_id, question_id),
            isNull(evaluationRows.trace_id),
            isNull(evaluationRows.problem),
          ),
        )
        .run();
    },
    /** Lets questions be asked again; what came of them stays among the traces of their clips. */
    release(evaluation_id: string, question_ids: string[]): void {
      writeDurably(db, () =>
        db
          .update(evaluationRows)
          .set({ trace_id: null, problem: null })
          .where(
            and(
              eq(evaluationRows.evaluation_id, evaluation_id),
              inArray(evaluationRows.question_id, question_ids),
            ),
          )
          .run(),
      );
    },
    setState(evaluation_id: string, state: EvaluationRecord["state"], problem: string | null): void {
      writeDurably(db, () =>
        db
          .update(evaluations)
          .set({ state, problem })
          .where(eq(evaluations.evaluation_id, evaluation_id))
          .run(),
      );
    },
  };
}
