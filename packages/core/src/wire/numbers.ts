import type { WireNumber } from "./events.ts";

const WORDS: Record<string, number> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  "+inf": Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  "+infinity": Number.POSITIVE_INFINITY,
  "-infinity": Number.NEGATIVE_INFINITY,
  true: 1,
  false: 0,
};

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Reads a number as loggers write it: a number, its text ("0.7", "1e-3"), a word for a non-finite one, a truth value.
 *
 * @returns NaN, Infinity and -Infinity as such; null when it is no number at all ("1d 0h", "", null, an object).
 */
export function readNumber(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (DECIMAL.test(text)) return Number(text);
  return WORDS[text.toLowerCase()] ?? null;
}

/** Reads a step: a whole number, its text, or "10/120" (step of all steps). Null when it is none of these. */
export function readStep(value: unknown): { step: number; max_steps: number | null } | null {
  if (typeof value === "string") {
    const of = /^\s*(\d+)\s*\/\s*(\d+)\s*$/.exec(value);
    if (of) return { step: Number(of[1]), max_steps: Number(of[2]) };
  }
  const step = readNumber(value);
  return step !== null && Number.isInteger(step) ? { step, max_steps: null } : null;
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
