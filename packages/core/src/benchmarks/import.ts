import { FORMATS } from "./formats.ts";
import type { ImportReport, Row } from "./types.ts";

/**
 * Reads the rows of one data file. Every row ends up in exactly one of `questions` and `set_aside`.
 *
 * @param rows  As parsed; the format is known by the first row that any format recognises.
 * @param answers  Gold answers by question id, 0-based indices, for data sets that give them apart (EgoSchema).
 */
export function importRows(rows: readonly unknown[], answers: Record<string, number> = {}): ImportReport {
  const isRow = (row: unknown): row is Row => typeof row === "object" && row !== null && !Array.isArray(row);
  const format = FORMATS.find((one) => rows.some((row) => isRow(row) && one.matches(row)));
  const report: ImportReport = {
    format: format?.name ?? "unknown",
    rows: rows.length,
    questions: [],
    set_aside: [],
    remarks: [],
  };
  const seen = new Set<string>();
  for (const [index, row] of rows.entries()) {
    const number = index + 1;
    const setAside = (id: string, reason: string) => report.set_aside.push({ row: number, id, reason });
    if (!isRow(row)) {
      setAside(`row ${number}`, "not an object");
      continue;
    }
    if (!format) {
      setAside(`row ${number}`, `no known format; it has ${Object.keys(row).join(", ") || "no fields"}`);
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
    report.questions.push(question);
    for (const reason of [result.remark, question.gold === null ? "no gold answer" : null])
      if (reason !== null) report.remarks.push({ row: number, id: question.question_id, reason });
  }
  return report;
}

function idOf(row: Row, number: number): string {
  const value = row.Question_id ?? row.question_id ?? row.q_uid ?? row.id;
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint"
    ? String(value)
    : `row ${number}`;
}

/** A line that could not be read as JSON. `line` is 1-based. */
export type BadLine = { line: number; reason: string };

/**
 * Splits a file into rows: a JSON array, an object whose only list of objects is taken, or one object a line whatever
 * the file's name says.
 */
export function parseRows(text: string): { rows: unknown[]; bad_lines: BadLine[] } {
  const plain = text.replace(/^\uFEFF/, "");
  try {
    const value: unknown = JSON.parse(plain);
    if (Array.isArray(value)) return { rows: value, bad_lines: [] };
    if (typeof value === "object" && value !== null) {
      const lists = Object.values(value).filter((item): item is unknown[] => Array.isArray(item));
      return { rows: lists.length === 1 && lists[0] ? lists[0] : [value], bad_lines: [] };
    }
  } catch {
    return parseLines(plain);
  }
  return { rows: [], bad_lines: [{ line: 1, reason: "neither a list nor an object" }] };
}

function parseLines(text: string): { rows: unknown[]; bad_lines: BadLine[] } {
  const rows: unknown[] = [];
  const bad_lines: BadLine[] = [];
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === "") return;
    try {
      rows.push(JSON.parse(line));
    } catch (error) {
      bad_lines.push({ line: index + 1, reason: error instanceof Error ? error.message : String(error) });
    }
  });
  return { rows, bad_lines };
}
