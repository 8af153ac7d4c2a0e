import type { Piece } from "./pieces.ts";

/** A text of more characters than this is laid out block by block. */
export const LONG_TEXT = 50_000;
const BLOCK = 8_000;

/**
 * Pieces of a long text put into blocks, cut behind line ends where there are any, else behind a space, never within
 * a character. `size` is 2 at least. Joined, the blocks give the text again. A browser lays out only the blocks that are in sight.
 */
export function cutBlocks(pieces: readonly Piece[], size = BLOCK): Piece[][] {
  const blocks: Piece[][] = [];
  let block: Piece[] = [];
  let length = 0;
  const end = () => {
    if (block.length > 0) blocks.push(block);
    block = [];
    length = 0;
  };
  for (const piece of pieces) {
    let rest = piece;
    while (length + rest.text.length > size) {
      const cut = findCut(rest.text, size - length);
      if (cut > 0) block.push({ ...rest, text: rest.text.slice(0, cut) });
      rest = { ...rest, text: rest.text.slice(cut), from: rest.from + cut };
      end();
    }
    if (rest.text !== "") block.push(rest);
    length += rest.text.length;
  }
  end();
  return blocks;
}

/** Where to cut a text at `at` or before it: behind the last line end before it, else the last space, else just there. */
function findCut(text: string, at: number): number {
  if (at <= 0) return 0;
  const line = text.lastIndexOf("\n", at - 1) + 1;
  if (line > at / 2) return line;
  const space = text.lastIndexOf(" ", at - 1) + 1;
  if (space > at / 2) return space;
  const isLow = /[\uDC00-\uDFFF]/.test(text[at] ?? "");
  return isLow ? at - 1 : at;
}
