/** Width of one character in ems: a rough upper measure for a sans-serif face, since an SVG can't break lines itself. */
function getEms(character: string): number {
  if (/[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/.test(character)) return 1;
  if (/[ijl.,;:'|!ftrI()[\]{} ]/.test(character)) return 0.34;
  if (/[mwMW@%—]/.test(character)) return 0.9;
  if (/[A-Z&]/.test(character)) return 0.7;
  if (/[0-9]/.test(character)) return 0.62;
  return /[\x20-\x7e]/.test(character) ? 0.58 : 0.9;
}

export function measure(text: string, font_px: number): number {
  let ems = 0;
  for (const character of text) ems += getEms(character);
  return ems * font_px;
}

/** A line of a wrapped text: where it stands in the text, in UTF-16 offsets. */
export type Line = { from: number; to: number };

/**
 * Breaks a text into lines that fit a width: at line breaks, at spaces, and inside a word that is longer than a line.
 *
 * @returns At least one line; joined with what was broken at, they give the text again.
 */
export function wrap(text: string, width: number, font_px: number): Line[] {
  const lines: Line[] = [];
  let from = 0;
  let last_space = -1;
  let used = 0;
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (character === "\n") {
      lines.push({ from, to: at });
      at += 1;
      from = at;
      used = 0;
      last_space = -1;
      continue;
    }
    const size = getEms(character) * font_px;
    if (used + size > width && at > from) {
      const to = last_space > from ? last_space : at;
      lines.push({ from, to });
      from = last_space > from ? last_space + 1 : at;
      used = measure(text.slice(from, at), font_px);
      last_space = -1;
    }
    if (character === " ") last_space = at;
    used += size;
    at += character.length;
  }
  lines.push({ from, to: text.length });
  return lines;
}
