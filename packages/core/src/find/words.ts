import type { Snippet } from "./types.ts";

/** One thing that a text must hold, or must not. */
export type Term = {
  /** One word, or several that must follow each other. */
  words: string[];
  /** The last word may go on. */
  is_prefix: boolean;
  is_excluded: boolean;
};

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Takes a query apart: `words`, `"a phrase"`, `start*`, `-without`. What holds no letter or digit is left out. */
export function parseWords(query: string): Term[] {
  const terms: Term[] = [];
  for (const [, minus = "", phrase, bare = ""] of query.matchAll(/(-?)(?:"([^"]*)"?|(\S+))/g)) {
    const text = phrase ?? bare;
    const words = text.match(WORD) ?? [];
    if (words.length > 0)
      terms.push({
        words,
        is_prefix: phrase === undefined && text.endsWith("*"),
        is_excluded: minus === "-",
      });
  }
  return terms;
}

const escapeWord = (word: string) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Where the terms stand in a text, in order; excluded ones stand nowhere. */
export function findHits(text: string, terms: readonly Term[]): [number, number][] {
  const wanted = terms.filter(({ is_excluded }) => !is_excluded);
  if (wanted.length === 0) return [];
  const sources = wanted.map(({ words, is_prefix }) => {
    const joined = words.map(escapeWord).join("[^\\p{L}\\p{N}\\p{M}]+");
    return is_prefix ? `${joined}[\\p{L}\\p{N}\\p{M}]*` : joined;
  });
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}\\p{M}])(?:${sources.join("|")})(?![\\p{L}\\p{N}\\p{M}])`,
    "giu",
  );
  return [...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length]);
}

/** The stretch of a text that shows its first hit, or its beginning; at most `length` units, cut between characters. */
export function cutSnippet(text: string, terms: readonly Term[], length = 180): Snippet {
  const hits = findHits(text.slice(0, 200_000), terms);
  const first = hits[0]?.[0] ?? 0;
  let from = Math.max(0, Math.min(first - Math.floor(length / 3), text.length - length));
  let to = Math.min(text.length, from + length);
  const isLow = (at: number) => /[\uDC00-\uDFFF]/.test(text[at] ?? "");
  if (isLow(from)) from += 1;
  if (isLow(to)) to -= 1;
  return {
    text: text.slice(from, to),
    hits: hits
      .filter(([start, end]) => start >= from && end <= to)
      .map(([start, end]): [number, number] => [start - from, end - from]),
    cut_before: from > 0,
    cut_after: to < text.length,
  };
}
