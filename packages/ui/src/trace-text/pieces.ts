/** Half-open range of UTF-16 offsets. */
export type Span = readonly [from: number, to: number];

/** What a stretch of a trace is. */
export type PieceKind = "think" | "answer" | "letter" | "tag" | "citation" | "hit" | "differs" | "outside";
export type Piece = { kind: PieceKind; text: string; from: number };

/**
 * Cuts a trace into stretches, in order; joined they give the text again, character for character.
 *
 * @param spans  Inside of the reasoning, inside of the answer, and the letter that was read; null where not found.
 * @param citations  Where it names key-frames.
 * @param hits  Where words stand that somebody looks for.
 * @param differs  Where it leaves what other texts say; a letter, a citation or a hit in there stays what it is.
 */
export function cutTrace(
  text: string,
  spans: { think: Span | null; answer: Span | null; letter: Span | null },
  citations: readonly Span[] = [],
  hits: readonly Span[] = [],
  differs: readonly Span[] = [],
): Piece[] {
  const kinds: [PieceKind, Span][] = [];
  if (spans.think) kinds.push(["think", spans.think]);
  if (spans.answer) kinds.push(["answer", spans.answer]);
  for (const span of differs) kinds.push(["differs", span]);
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
  const ordered = Float64Array.from(borders).sort();
  // Of the kinds that cover a stretch the last named one counts; few cover one at a time, however many there are.
  const byStart = Int32Array.from(kinds.keys()).sort((a, b) => spanOf(kinds, a)[0] - spanOf(kinds, b)[0]);
  const pieces: Piece[] = [];
  let open: number[] = [];
  let next = 0;
  for (let k = 0; k + 1 < ordered.length; k += 1) {
    const from = ordered[k] as number;
    for (; next < byStart.length && spanOf(kinds, byStart[next] as number)[0] <= from; next += 1)
      open.push(byStart[next] as number);
    open = open.filter((index) => spanOf(kinds, index)[1] > from);
    const kind = open.length === 0 ? "outside" : (kinds[Math.max(...open)]?.[0] ?? "outside");
    pieces.push({ kind, text: text.slice(from, ordered[k + 1]), from });
  }
  return pieces;
}

function spanOf(kinds: readonly [PieceKind, Span][], index: number): Span {
  return (kinds[index] as [PieceKind, Span])[1];
}
