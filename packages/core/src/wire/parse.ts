import { UnknownLine, WireLine, type WireNumber } from "./events.ts";

/** Longest line that a reader accepts, in bytes, newline included. */
export const MAX_LINE_BYTES = 1_048_576;

export type ParsedLine =
  | { kind: "known"; line: WireLine }
  | { kind: "unknown"; line: UnknownLine }
  | { kind: "bad"; reason: string };

const KNOWN_TYPES = new Set<string>(WireLine.options.map((option) => option.shape.type.value));

/**
 * Parses one line of a run's stream, without its newline.
 *
 * Never throws: a line that is not legal JSON, or a known type with a wrong field, comes back as `bad` with a reason
 * that names the field; a legal envelope of another type comes back as `unknown` with all its fields.
 */
export function parseLine(text: string): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { kind: "bad", reason: `not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  const schema = typeof type === "string" && KNOWN_TYPES.has(type) ? WireLine : UnknownLine;
  const result = schema.safeParse(value);
  if (!result.success) {
    const issue = result.error.issues[0];
    return {
      kind: "bad",
      reason: issue ? `${issue.path.join(".") || "line"}: ${issue.message}` : "not a wire line",
    };
  }
  return schema === WireLine
    ? { kind: "known", line: result.data as WireLine }
    : { kind: "unknown", line: result.data as UnknownLine };
}

/** Turns a wire number into a JavaScript one; the three strings become NaN, Infinity and -Infinity. */
export function toNumber(value: WireNumber): number {
  return typeof value === "number" ? value : Number(value);
}

/** Turns a JavaScript number into a wire one. */
export function toWireNumber(value: number): WireNumber {
  if (Number.isFinite(value)) return value;
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}
