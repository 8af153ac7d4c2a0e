import { UnknownLine, WireLine } from "./events.ts";
import { readNumber, toWireNumber } from "./numbers.ts";

/** Longest line that a reader accepts, in bytes, newline included. */
export const MAX_LINE_BYTES = 1_048_576;

/** How a line departed from the contract and was read all the same. */
export type LineNote = "loose_json" | "text_numbers";

export type ParsedLine =
  | { kind: "known"; line: WireLine; notes: LineNote[] }
  | { kind: "unknown"; line: UnknownLine; notes: LineNote[] }
  | { kind: "bad"; reason: string };

const KNOWN_TYPES = new Set<string>(WireLine.options.map((option) => option.shape.type.value));

const STRING_OR_BARE_WORD = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g;

/**
 * Parses JSON, also with the bare NaN, Infinity and -Infinity that Python's json writes; they become wire strings.
 *
 * @throws SyntaxError when it is not JSON even so.
 */
export function readJson(text: string): { value: unknown; loose: boolean } {
  try {
    return { value: JSON.parse(text), loose: false };
  } catch (error) {
    const quoted = text.replace(STRING_OR_BARE_WORD, (token) =>
      token.startsWith('"') ? token : `"${token}"`,
    );
    if (quoted === text) throw error;
    return { value: JSON.parse(quoted), loose: true };
  }
}

/**
 * Parses one line of a run's stream, without its newline.
 *
 * Never throws: a line that is not legal JSON, or a known type with a wrong field, comes back as `bad` with a reason
 * that names the field; a legal envelope of another type comes back as `unknown` with all its fields. Bare non-finite
 * numbers, and metric values written as text, are read and noted.
 */
export function parseLine(text: string): ParsedLine {
  let value: unknown;
  const notes: LineNote[] = [];
  try {
    const read = readJson(text);
    value = read.value;
    if (read.loose) notes.push("loose_json");
  } catch (error) {
    return { kind: "bad", reason: `not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  const schema = typeof type === "string" && KNOWN_TYPES.has(type) ? WireLine : UnknownLine;
  let result = schema.safeParse(value);
  if (!result.success && type === "metrics") {
    const mended = schema.safeParse(mendMetrics(value));
    if (mended.success) {
      result = mended;
      notes.push("text_numbers");
    }
  }
  if (!result.success) {
    const issue = result.error.issues[0];
    return {
      kind: "bad",
      reason: issue ? `${issue.path.join(".") || "line"}: ${issue.message}` : "not a wire line",
    };
  }
  return schema === WireLine
    ? { kind: "known", line: result.data as WireLine, notes }
    : { kind: "unknown", line: result.data as UnknownLine, notes };
}

/**
 * Reads a line that `parseLine` accepted before, with all its fields, unknown ones too. Far cheaper than parsing anew.
 *
 * @throws SyntaxError when it is not JSON.
 */
export function readAcceptedLine(text: string): WireLine | UnknownLine {
  const line = readJson(text).value as WireLine | UnknownLine;
  return line.type === "metrics" && typeof line.step !== "number"
    ? (mendMetrics(line) as WireLine | UnknownLine)
    : line;
}

/** Metric values and step as numbers where they were written as text; a value that is no number becomes null. */
function mendMetrics(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const line = { ...value } as Record<string, unknown>;
  for (const field of ["step", "epoch", "max_steps"]) line[field] = readNumber(line[field]) ?? line[field];
  const { values } = line;
  if (typeof values !== "object" || values === null || Array.isArray(values)) return line;
  line.values = Object.fromEntries(
    Object.entries(values).map(([name, number]) => {
      const read = readNumber(number);
      return [name, read === null ? null : toWireNumber(read)];
    }),
  );
  return line;
}
