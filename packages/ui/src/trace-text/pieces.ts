/** Half-open range of UTF-16 offsets. */
export type Span = readonly [from: number, to: number];

/** What a stretch of a trace is. */
export type PieceKind = "think" | "answer" | "letter" | "tag" | "citation" | "hit" | "outside";
export type Piece = { kind: PieceKind; text: string; from: number };

/**
 * Cuts a trace into stretches, in order; joined they give the text again, character for character.
 *
 * @param spans  Inside of the reasoning, inside of the answer, and the letter that was read; null where not found.
 * @param citations  Where it names key-frames.
 * @param hits  Where words stand that somebody looks for.
 */
export function cutTrace(
  text: string,
  spans: { think: Span | null; answer: Span | null; letter: Span | null },
  citations: readonly Span[] = [],
  hits: readonly Span[] = [],
): Piece[] {
  const kinds: [PieceKind, Span][] = [];
  if (spans.think) kinds.push(["think", spans.think]);
  if (spans.answer) kinds.push(["answer", spans.answer]);
  if (spans.letter) kinds.push(["letter", spans.letter]);
  for (const span of citations) kinds.push(["citation", span]);
  for (const span of hits) kinds.push(["hit", span]);
  for (const match of text.matchAll(/<\/?(?:think|answer)>/gi)) {
    const span: Span = [match.index, match.index + match[0].length];
    const isInside = [spans.think, spans.answer].some(
      (inner) => inner && span[0] >= inner[0] && span[1] <= inner[1],
    );
    if (!isInside) kinds.push(["tag", span]);
  }
  const borders = new Set([0, text.length]);
  for (const [, [from, to]] of kinds)
    for (const at of [from, to]) borders.add(Math.min(Math.max(0, at), text.length));
  const ordered = [...borders].sort((a, b) => a - b);
  const pieces: Piece[] = [];
  ordered.slice(0, -1).forEach((from, index) => {
    const to = ordered[index + 1] ?? text.length;
    const kind = kinds.findLast(([, span]) => span[0] <= from && to <= span[1])?.[0] ?? "outside";
    pieces.push({ kind, text: text.slice(from, to), from });
  });
  return pieces;
}
