/** A stretch of a text: as it stands, or one character that cannot be seen, with its name. */
export type SeenPiece = { text: string; name: string | null };

const NAMES: Record<string, string> = {
  "\u00AD": "soft hyphen",
  "\u034F": "grapheme joiner",
  "\u061C": "Arabic letter mark",
  "\u115F": "Hangul filler",
  "\u180E": "Mongolian vowel separator",
  "\u200B": "zero-width space",
  "\u200C": "zero-width non-joiner",
  "\u200D": "zero-width joiner",
  "\u200E": "left-to-right mark",
  "\u200F": "right-to-left mark",
  "\u202A": "left-to-right embedding",
  "\u202B": "right-to-left embedding",
  "\u202C": "end of direction",
  "\u202D": "left-to-right override",
  "\u202E": "right-to-left override",
  "\u2028": "line separator",
  "\u2029": "paragraph separator",
  "\u2060": "word joiner",
  "\u2066": "left-to-right isolate",
  "\u2067": "right-to-left isolate",
  "\u2068": "isolate",
  "\u2069": "end of isolate",
  "\u3164": "Hangul filler",
  "\uFEFF": "byte order mark",
  "\t": "tab",
  "\r": "carriage return",
  "\n": "line end",
};

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]|\u034F|[\uD800-\uDFFF]/gu;

/**
 * Takes a text apart so that what cannot be seen can be shown: zero-width characters, marks that turn the direction of
 * writing, controls, halves of characters. Joined, the pieces give the text again.
 */
export function showHidden(text: string): SeenPiece[] {
  const pieces: SeenPiece[] = [];
  let at = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match.index > at) pieces.push({ text: text.slice(at, match.index), name: null });
    const code = (match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    pieces.push({ text: match[0], name: NAMES[match[0]] ?? `U+${code}` });
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), name: null });
  return pieces;
}

/** How many characters of a text cannot be seen, line ends and tabs aside. */
export function countHidden(text: string): number {
  return [...text.matchAll(UNSEEN)].filter(([one]) => one !== "\n" && one !== "\t" && one !== "\r").length;
}
