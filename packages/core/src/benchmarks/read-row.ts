import type { Row } from "./types.ts";

/** A value as text: strings trimmed, numbers and big integers written out, everything else null. */
export function readText(row: Row, ...keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = row[key];
    if (typeof value === "string" && value.trim() !== "") return value.trim();
    if (typeof value === "number" || typeof value === "bigint") return String(value);
  }
  return null;
}

/** A value as a finite number; null otherwise. */
export function readNumeric(row: Row, key: string): number | null {
  const text = readText(row, key);
  if (text === null) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** A value as a list of texts; null when it is no list or holds something else. */
export function readTexts(row: Row, key: string): string[] | null {
  const value = row[key];
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string" || typeof item === "number"))
    return null;
  return value.map((item) => String(item).trim());
}

/**
 * Options without the letters that stand before them: taken away only where every option carries its own, so that an
 * option that happens to begin with "A. " stays whole.
 */
export function stripLetters(options: readonly string[]): string[] {
  const carries = options.every((option, index) =>
    new RegExp(`^\\(?${"ABCDEFGH".charAt(index)}[.)、:：]\\s+`).test(option.trim()),
  );
  return options.map((option) => (carries ? stripLetter(option) : option.trim()));
}

/** The last part of a path with either kind of slash. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

/** An option without the letter that stands before it. */
export function stripLetter(option: string): string {
  return option.replace(/^\s*\(?[A-H][.)、:：]\s+/, "").trim();
}

/** The letter of the option that equals a text, case, white space and full stops apart; null unless it is one only. */
export function findOption(
  options: readonly string[],
  text: string,
): { letter: string; doubles: number } | null {
  const plain = (value: string) =>
    value
      .toLowerCase()
      .replace(/[\s.。]+/g, " ")
      .trim();
  const hits = options.flatMap((option, index) => (plain(option) === plain(text) ? [index] : []));
  const [first] = hits;
  return first === undefined ? null : { letter: String.fromCharCode(65 + first), doubles: hits.length };
}
