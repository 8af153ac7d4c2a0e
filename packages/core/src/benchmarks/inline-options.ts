import { shortenRuns } from "../text/shorten-runs.ts";

/** A question whose options stand in its text; `header` is the word before them, null where none stands there plainly. */
export type SplitQuestion = { stem: string; options: string[]; header: string | null };

const MARKER = /(^|\n|[:：])[ \t*"'`>]*\(?([A-H])[.)、．:：]\s*(?=\S)/g;
const HEADER = /[\s*_]*(?:please\s+)?\b(choose|choices?|options?|answers?)\b[\s*_]*[:：]?[\s*_]*$/i;

const trimFences = (text: string) =>
  text
    .replace(/^\s*(?:```[a-z]*|"|“)\s*/i, "")
    .replace(/\s*(?:```|"|”)\s*$/i, "")
    .trim();

/**
 * Splits a text such as UrbanVideo-Bench's into question and options.
 *
 * The options are the last run of markers that starts with A and goes on letter by letter, each at the start of a line
 * or behind the header's colon. Header words vary (choose, Choice, Choices, Options, Answer), stand in bold, or are
 * missing; "choose" inside an option is no header.
 *
 * @returns Null when there is no run of at least two.
 */
export function splitInlineOptions(text: string): SplitQuestion | null {
  const clean = trimFences(shortenRuns(text.replace(/\r\n?/g, "\n")));
  const markers = [...clean.matchAll(MARKER)].map((match) => ({
    letter: match[2] ?? "",
    start: match.index + (match[1] ?? "").length,
    end: match.index + match[0].length,
  }));
  const first = markers.findLastIndex(
    (marker, index) => marker.letter === "A" && markers[index + 1]?.letter === "B",
  );
  const start = markers[first];
  if (!start) return null;
  const run = [start];
  for (const marker of markers.slice(first + 1))
    if (marker.letter === String.fromCharCode(65 + run.length)) run.push(marker);
  const options = run.map((marker, index) =>
    trimFences(clean.slice(marker.end, run[index + 1]?.start).trim()),
  );
  const before = clean.slice(0, start.start);
  const header = HEADER.exec(before);
  const stem = (header ? before.slice(0, header.index) : before)
    .replace(/^\s*\**\s*question\s*\**\s*[:：]\s*\**\s*/i, "")
    .trim();
  const isPlain = header !== null && !/[*_]/.test(header[0]);
  return { stem, options, header: isPlain ? (header[1] ?? null) : null };
}
