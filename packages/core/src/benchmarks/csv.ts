import type { ParsedRows } from "./parse-rows.ts";

/**
 * Reads CSV with a head: commas, semicolons or tabs, whichever the head has most of; quoted fields may hold separators,
 * line ends and doubled quotes. Empty lines are skipped, empty fields are left out of their row, and a list written as
 * JSON (`["left","right"]`) is read as one.
 */
export function parseCsv(text: string): ParsedRows {
  const head = text.slice(0, /\r?\n|$/.exec(text)?.index);
  const count = (separator: string) => head.split(separator).length;
  const separator = [",", ";", "\t"].reduce((best, next) => (count(next) > count(best) ? next : best));
  const { records, open_line } = splitRecords(text, separator);
  const names = records[0]?.fields.map((name) => name.trim()) ?? [];
  const parsed: ParsedRows = { rows: [], bad_lines: [] };
  if (names.length < 2)
    return {
      rows: [],
      bad_lines: [{ line: 1, reason: "neither JSON nor CSV: the first line is no head of columns" }],
    };
  for (const { line, fields } of records.slice(1)) {
    if (line === open_line) parsed.bad_lines.push({ line, reason: "a quote is never closed" });
    else if (fields.length !== names.length)
      parsed.bad_lines.push({ line, reason: `${fields.length} fields instead of ${names.length}` });
    else
      parsed.rows.push(
        Object.fromEntries(names.flatMap((name, at) => (fields[at] ? [[name, readField(fields[at])]] : []))),
      );
  }
  return parsed;
}

function readField(field: string): unknown {
  if (!/^\s*\[[\s\S]*\]\s*$/.test(field)) return field;
  try {
    return JSON.parse(field);
  } catch {
    // A text in brackets, not a list.
    return field;
  }
}

type CsvRecord = { line: number; fields: string[] };

/** @returns Records with the line on which each begins; `open_line`: the one whose quote is never closed, or null. */
export function splitRecords(
  text: string,
  separator: string,
): { records: CsvRecord[]; open_line: number | null } {
  const records: CsvRecord[] = [];
  let fields: string[] = [];
  let field = "";
  let isQuoted = false;
  let line = 1;
  let start = 1;
  const endRecord = () => {
    fields.push(field);
    if (fields.some((one) => one.trim() !== "")) records.push({ line: start, fields });
    fields = [];
    field = "";
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "\n") line += 1;
    if (isQuoted) {
      if (char !== '"') field += char;
      else if (text.charAt(at + 1) === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (char === '"' && field.trim() === "") {
      field = "";
      isQuoted = true;
    } else if (char === separator) {
      fields.push(field);
      field = "";
    } else if (char === "\n") {
      endRecord();
      start = line;
    } else if (char !== "\r" || text.charAt(at + 1) !== "\n") field += char;
  }
  if (field !== "" || fields.length > 0) endRecord();
  return { records, open_line: isQuoted ? start : null };
}
