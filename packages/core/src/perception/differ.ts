/** A stretch of a text; `is_shared` when the other text has it, too, in the same order. */
export type DiffPiece = { text: string; is_shared: boolean };

const WORD = /[\p{L}\p{N}]+|\s+|[^\p{L}\p{N}\s]/gu;
/** Beyond this many pieces a side a comparison word by word would take too long; the whole is then one piece. */
export const LONGEST_DIFFERED = 3000;

/**
 * Two texts side by side, with the words that only one of them has.
 *
 * @returns The pieces of either text; joined they give the text again.
 */
export function differ(left: string, right: string): { left: DiffPiece[]; right: DiffPiece[] } {
  const a = left.match(WORD) ?? [];
  const b = right.match(WORD) ?? [];
  if (a.length > LONGEST_DIFFERED || b.length > LONGEST_DIFFERED) {
    const is_shared = left === right;
    return { left: [{ text: left, is_shared }], right: [{ text: right, is_shared }] };
  }
  const width = b.length + 1;
  // common[i * width + j]: length of the longest common subsequence of a from i on and b from j on.
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        a[i] === b[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
  const pieces: { left: DiffPiece[]; right: DiffPiece[] } = { left: [], right: [] };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add(pieces.left, a[i] as string, true);
      add(pieces.right, b[j] as string, true);
      i += 1;
      j += 1;
    } else if (
      j >= b.length ||
      (i < a.length && (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    ) {
      add(pieces.left, a[i] as string, false);
      i += 1;
    } else {
      add(pieces.right, b[j] as string, false);
      j += 1;
    }
  }
  return pieces;
}

function add(pieces: DiffPiece[], text: string, is_shared: boolean): void {
  const last = pieces.at(-1);
  if (last?.is_shared === is_shared) last.text += text;
  else pieces.push({ text, is_shared });
}
