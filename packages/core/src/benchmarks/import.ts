import { FORMATS } from "./formats.ts";
import type { ImportReport, Question, Row } from "./types.ts";

const STEP = 100;

/**
 * Reads the rows of one data file. Every row ends up in exactly one of `questions` and `set_aside`.
 *
 * @param rows  As parsed; the format is known by the first row that any format recognises.
 * @param answers  Gold answers by question id, 0-based indices, for data sets that give them apart (EgoSchema).
 */
export function importRows(rows: readonly unknown[], answers: Record<string, number> = {}): ImportReport {
  const steps = importBySteps(rows, answers);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** `importRows` for a caller that has other things to do meanwhile: yields the rows done, every hundred or so. */
export function* importBySteps(
  rows: readonly unknown[],
  answers: Record<string, number> = {},
): Generator<number, ImportReport> {
  const isRow = (row: unknown): row is Row => typeof row === "object" && row !== null && !Array.isArray(row);
  const format = FORMATS.find((one) => rows.some((row) => isRow(row) && one.matches(row)));
  const report: ImportReport = {
    format: format?.name ?? "unknown",
    rows: rows.length,
    questions: [],
    row_of: [],
    set_aside: [],
    remarks: [],
  };
  const seen = new Set<string>();
  for (const [index, row] of rows.entries()) {
    const number = index + 1;
    if (number % STEP === 0) yield index;
    const setAside = (id: string, reason: string, question: Question | null = null) =>
      report.set_aside.push({ row: number, id, reason, question });
    if (!isRow(row)) {
      setAside(`row ${number}`, "not an object");
      continue;
    }
    if (!format) {
      setAside(`row ${number}`, `no known format; it has ${listFields(row)}`);
      continue;
    }
    const result = format.read(row, number);
    if ("problem" in result) {
      setAside(idOf(row, number), result.problem);
      continue;
    }
    const { question } = result;
    const answer = answers[question.question_id];
    if (question.gold === null && answer !== undefined) question.gold = "ABCDEFGH".charAt(answer);
    if (seen.has(question.question_id)) {
      setAside(question.question_id, "the id was used before");
      continue;
    }
    seen.add(question.question_id);
    if (result.doubt !== null) {
      setAside(question.question_id, result.doubt, question);
      continue;
    }
    report.questions.push(question);
    report.row_of.push([question.question_id, number]);
    for (const reason of [result.remark, question.gold === null ? "no gold answer" : null])
      if (reason !== null) report.remarks.push({ row: number, id: question.question_id, reason });
  }
  return report;
}

/** The names of a row's fields, the first ones of many. */
function listFields(row: Row): string {
  const names = Object.keys(row);
  if (names.length === 0) return "no fields";
  return names.length > 12
    ? `${names.slice(0, 12).join(", ")} and ${names.length - 12} more`
    : names.join(", ");
}

function idOf(row: Row, number: number): string {
  const value = row.Question_id ?? row.question_id ?? row.q_uid ?? row.id;
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint"
    ? String(value)
    : `row ${number}`;
}

/**
 * Gold answers by question id, as EgoSchema gives them apart: one object of whole numbers, 0 for the first option.
 *
 * @returns Null when the rows are something else.
 */
export function readAnswers(rows: readonly unknown[]): Record<string, number> | null {
  const [only] = rows;
  if (rows.length !== 1 || typeof only !== "object" || only === null || Array.isArray(only)) return null;
  const values: unknown[] = Object.values(only);
  const isIndex = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 8;
  return values.length > 0 && values.every(isIndex) ? (only as Record<string, number>) : null;
}
