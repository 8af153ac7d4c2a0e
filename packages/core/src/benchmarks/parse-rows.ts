import { parseCsv } from "./csv.ts";

/** A line that could not be read. `line` is 1-based. */
export type BadLine = { line: number; reason: string };

/** The rows of a file, as JSON gives them, and the lines that gave none. */
export type ParsedRows = { rows: unknown[]; bad_lines: BadLine[] };

/**
 * Splits a text file into rows, whatever its name says: a JSON array, an object whose only list of objects is taken,
 * one object a line, or CSV with a head.
 */
export function parseRows(text: string): ParsedRows {
  const plain = text.replace(/^\uFEFF/, "");
  const first = plain.trimStart().charAt(0);
  if (first === "") return { rows: [], bad_lines: [{ line: 1, reason: "the file is empty" }] };
  if (first !== "{" && first !== "[") return parseCsv(plain);
  try {
    const value: unknown = JSON.parse(plain);
    if (Array.isArray(value)) return { rows: value, bad_lines: [] };
    const lists = Object.values(value as object).filter((item): item is unknown[] => Array.isArray(item));
    const isOnlyList = lists.length === 1 && lists[0]?.some((item) => typeof item === "object");
    return { rows: isOnlyList && lists[0] ? lists[0] : [value], bad_lines: [] };
  } catch (error) {
    const lines = parseLines(plain);
    // A broken list is one fault, not one a line.
    if (first === "[" && lines.rows.length === 0)
      return { rows: [], bad_lines: [{ line: findFault(plain, error), reason: explain(error) }] };
    return lines;
  }
}

const explain = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The line at which a JSON text breaks; the last where the parser does not say. */
function findFault(text: string, error: unknown): number {
  const position = Number(/position (\d+)/.exec(explain(error))?.[1] ?? text.length);
  return text.slice(0, position).split("\n").length;
}

function parseLines(text: string): ParsedRows {
  const rows: unknown[] = [];
  const bad_lines: BadLine[] = [];
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === "") return;
    try {
      rows.push(JSON.parse(line));
    } catch (error) {
      bad_lines.push({ line: index + 1, reason: explain(error) });
    }
  });
  return { rows, bad_lines };
}
