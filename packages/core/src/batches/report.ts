import type { BatchClip } from "./types.ts";

/** A clip that failed, as the report has it. */
export type Failure = {
  name: string;
  /** Null where the file never came into the library. */
  clip_id: string | null;
  problem: string;
  advice: string;
};

/** The clips of a batch that failed, in order. */
export function listFailures(clips: readonly BatchClip[]): Failure[] {
  return clips
    .filter(({ state }) => state === "failed")
    .map(({ name, clip_id, problem, advice }) => ({
      name,
      clip_id,
      problem: problem ?? "",
      advice: advice ?? "",
    }));
}

/** Failures as CSV with a heading, lines ended by CRLF (RFC 4180). */
export function writeFailuresCsv(failures: readonly Failure[]): string {
  const lines = [
    ["name", "clip_id", "problem", "advice"],
    ...failures.map(({ name, clip_id, problem, advice }) => [name, clip_id ?? "", problem, advice]),
  ];
  return lines.map((line) => `${line.map(quote).join(",")}\r\n`).join("");
}

/** A cell; one that a spreadsheet would take for a formula is led in by an apostrophe. */
function quote(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
