/** A stretch of a text; `differs` where the other text has something else. */
export type DiffPiece = { text: string; differs: boolean };

/** Beyond this many pairs of words only the common beginning and end are looked for. */
const MOST_PAIRS = 4_000_000;

const cut = (text: string) => text.match(/\s+|[\p{L}\p{N}_'’-]+|[^\s\p{L}\p{N}_'’-]/gu) ?? [];

function toPieces(words: readonly string[], isSame: readonly boolean[]): DiffPiece[] {
  const pieces: DiffPiece[] = [];
  words.forEach((text, at) => {
    const differs = !isSame[at];
    const last = pieces.at(-1);
    if (last && last.differs === differs) last.text += text;
    else pieces.push({ text, differs });
  });
  return pieces;
}

/**
 * Compares two texts word by word.
 *
 * @returns Both texts cut into pieces; joined, each gives its text again.
 */
export function differ(before: string, after: string): { before: DiffPiece[]; after: DiffPiece[] } {
  const a = cut(before);
  const b = cut(after);
  const sameA = new Array<boolean>(a.length).fill(false);
  const sameB = new Array<boolean>(b.length).fill(false);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) {
    sameA[head] = true;
    sameB[head] = true;
    head += 1;
  }
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) {
    sameA[a.length - 1 - tail] = true;
    sameB[b.length - 1 - tail] = true;
    tail += 1;
  }
  const rows = a.length - head - tail;
  const columns = b.length - head - tail;
  if (rows > 0 && columns > 0 && rows * columns <= MOST_PAIRS) {
    // Longest common subsequence of what lies between; lengths[i][j] is that of the rests from i and j on.
    const width = columns + 1;
    const lengths = new Uint32Array((rows + 1) * width);
    for (let i = rows - 1; i >= 0; i -= 1)
      for (let j = columns - 1; j >= 0; j -= 1)
        lengths[i * width + j] =
          a[head + i] === b[head + j]
            ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
            : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
    let i = 0;
    let j = 0;
    while (i < rows && j < columns) {
      if (a[head + i] === b[head + j]) {
        sameA[head + i] = true;
        sameB[head + j] = true;
        i += 1;
        j += 1;
      } else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i += 1;
      else j += 1;
    }
  }
  return { before: toPieces(a, sameA), after: toPieces(b, sameB) };
}
