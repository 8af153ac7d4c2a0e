import { differ, LONGEST_DIFFERED } from "../perception/differ.ts";
import type { Span } from "./blocks.ts";

/** Word pairs that all comparisons of a group may take together; more would hold the page up. */
const MOST_PAIRS = 60_000_000;
const WORDS = /[\p{L}\p{N}]+|\s+|[^\p{L}\p{N}\s]/gu;

/**
 * Where each of several texts leaves what most of the others say: stretches that fewer than half of the others have,
 * word by word and in the same order.
 *
 * @param against  Index of the one text that all are held against; null: each against all others.
 * @returns For each text its stretches, in UTF-16 offsets; null where the texts are too long to be compared.
 */
export function findDifferences(texts: readonly string[], against: number | null = null): Span[][] | null {
  const words = texts.map((text) => text.match(WORDS)?.length ?? 0);
  const pairs = listPairs(texts.length, against);
  if (words.some((count) => count > LONGEST_DIFFERED)) return null;
  if (pairs.reduce((sum, [a, b]) => sum + (words[a] ?? 0) * (words[b] ?? 0), 0) > MOST_PAIRS) return null;
  const shared = texts.map((text) => new Uint16Array(text.length));
  const others = texts.map(() => 0);
  for (const [a, b] of pairs) {
    const { left, right } = differ(texts[a] ?? "", texts[b] ?? "");
    for (const [index, pieces] of [
      [a, left],
      [b, right],
    ] as const) {
      let at = 0;
      others[index] = (others[index] ?? 0) + 1;
      const counts = shared[index] as Uint16Array;
      for (const { text, is_shared } of pieces) {
        if (is_shared) for (let k = at; k < at + text.length; k += 1) counts[k] = (counts[k] ?? 0) + 1;
        at += text.length;
      }
    }
  }
  return texts.map((text, index) => listRare(text, shared[index] as Uint16Array, others[index] ?? 0));
}

function listPairs(count: number, against: number | null): [number, number][] {
  const pairs: [number, number][] = [];
  for (let a = 0; a < count; a += 1)
    for (let b = a + 1; b < count; b += 1)
      if (against === null || a === against || b === against) pairs.push([a, b]);
  return pairs;
}

/** Stretches of a text that fewer than half of `others` share, without the blanks at their ends. */
function listRare(text: string, shared: Uint16Array, others: number): Span[] {
  if (others === 0) return [];
  const spans: Span[] = [];
  let from: number | null = null;
  for (let at = 0; at <= text.length; at += 1) {
    const isRare = at < text.length && 2 * (shared[at] ?? 0) < others;
    if (isRare && from === null) from = at;
    if (isRare || from === null) continue;
    const stretch = text.slice(from, at);
    const start = from + stretch.length - stretch.trimStart().length;
    const end = from + stretch.trimEnd().length;
    if (start < end) spans.push([start, end]);
    from = null;
  }
  return spans;
}
