import { isUtf8 } from "node:buffer";

/** One line of a chunk, without its newline. */
export type RawLine = {
  /** Of its first byte, from the chunk's start. */
  at: number;
  /** With its newline where it has one. */
  bytes: number;
  /** Null when the bytes are not UTF-8. */
  text: string | null;
};

/**
 * Cuts bytes at their newlines. What stands behind the last one is left for the next time, unless it is `final`.
 *
 * @returns The lines in order, empty ones left out, and how many bytes are done with.
 */
export function splitLines(bytes: Buffer, final: boolean): { lines: RawLine[]; consumed: number } {
  const lines: RawLine[] = [];
  const allUtf8 = isUtf8(bytes);
  let at = 0;
  while (at < bytes.length) {
    const newline = bytes.indexOf(10, at);
    if (newline < 0 && !final) break;
    const end = newline < 0 ? bytes.length : newline;
    const next = newline < 0 ? end : newline + 1;
    if (end > at) {
      const isText = allUtf8 || isUtf8(bytes.subarray(at, end));
      lines.push({ at, bytes: next - at, text: isText ? bytes.toString("utf8", at, end) : null });
    }
    at = next;
  }
  return { lines, consumed: at };
}
