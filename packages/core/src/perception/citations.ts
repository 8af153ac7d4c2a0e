/** A frame that a reasoning names. */
export type Citation = { from: number; to: number; index: number };

/**
 * The key-frames that a text cites: "Frame 7", "frames 3 and 4", "Frame 2-4", "第3帧". `index` counts key-frames from 0,
 * as the text that the reasoner was given does.
 *
 * @param count  Number of key-frames; a number beyond is no citation.
 */
export function findCitations(text: string, count: number): Citation[] {
  const citations: Citation[] = [];
  const add = (from: number, digits: string) => {
    const index = Number(digits);
    if (index < count) citations.push({ from, to: from + digits.length, index });
  };
  for (const match of text.matchAll(
    /\bframes?\s+#?(\d+(?:\s*(?:,|and|&|to|[-–—])\s*(?:frames?\s+)?#?\d+)*)/gi,
  )) {
    const at = match.index + match[0].indexOf(match[1] ?? "");
    for (const number of (match[1] ?? "").matchAll(/\d+/g)) add(at + number.index, number[0]);
  }
  for (const match of text.matchAll(/第\s*(\d+)\s*帧/g))
    add(match.index + match[0].indexOf(match[1] ?? ""), match[1] ?? "");
  return citations.sort((a, b) => a.from - b.from);
}
