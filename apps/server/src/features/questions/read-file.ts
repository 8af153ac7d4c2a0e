import { readFile } from "node:fs/promises";
import { type ImportReport, importRows, parseRows } from "@sightline/core/benchmarks";
import { parquetReadObjects } from "hyparquet";

/** What a file of questions holds, and the lines of it that are no JSON. */
export type QuestionFileReport = ImportReport & { bad_lines: { line: number; reason: string }[] };

/** The first and last bytes of a Parquet file. */
const PARQUET_MAGIC = "PAR1";

/**
 * Reads questions from a Parquet, JSON or JSONL file; told apart by the bytes, not by the name.
 *
 * @param answers  Gold answers by question id where a data set gives them apart; 0-based indices.
 * @throws Error when the file can't be opened or its Parquet is broken.
 */
export async function readQuestions(
  file: string,
  answers: Record<string, number> = {},
): Promise<QuestionFileReport> {
  const bytes = await readFile(file);
  if (bytes.subarray(0, 4).toString("latin1") === PARQUET_MAGIC) {
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const rows = await parquetReadObjects({ file: buffer });
    return { ...importRows(rows, answers), bad_lines: [] };
  }
  const { rows, bad_lines } = parseRows(bytes.toString("utf8"));
  return { ...importRows(rows, answers), bad_lines };
}
