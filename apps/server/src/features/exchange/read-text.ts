import { ExchangeProblem } from "@sightline/core/exchange";

const LINE_FEED = 10;

/**
 * Decodes a text file: UTF-8, or UTF-16 with its byte order mark. The mark itself is left out.
 *
 * @throws ExchangeProblem that names the first line that is no text.
 */
export function readText(bytes: Uint8Array): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : "utf-8";
  try {
    return checkText(new TextDecoder(encoding, { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof ExchangeProblem) throw error;
    throw new ExchangeProblem(
      encoding === "utf-8"
        ? `line ${findBadLine(bytes)}: this is no text in UTF-8. Save the file as UTF-8.`
        : "The file begins as UTF-16 and then is none. Save it as UTF-8.",
      { cause: error },
    );
  }
}

function checkText(text: string): string {
  const nul = text.indexOf("\0");
  if (nul < 0) return text;
  throw new ExchangeProblem(
    `line ${text.slice(0, nul).split("\n").length}: this is no text. Is it UTF-16 without its mark, or another kind of file?`,
  );
}

function findBadLine(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(LINE_FEED, start);
    const stop = end < 0 ? bytes.length : end;
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(start, stop));
    } catch {
      return line;
    }
    start = stop + 1;
  }
  return line;
}
