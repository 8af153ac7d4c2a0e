import { readFile } from "node:fs/promises";
import {
  type BadLine,
  type ImportReport,
  importBySteps,
  parseRows,
  readAnswers,
} from "@sightline/core/benchmarks";
import { parquetReadObjects } from "hyparquet";
import { createBreath } from "../../media/breath.ts";

/**
 * What a file of questions holds, and the lines of it that could not be read. `answers`: gold answers by id where the
 * file holds these and no questions, else null.
 */
export type QuestionFileReport = ImportReport & {
  bad_lines: BadLine[];
  answers: Record<string, number> | null;
};

/** The first and last bytes of a Parquet file. */
const PARQUET_MAGIC = "PAR1";

/** Who waits for a file to be read. */
export type Watcher = {
  /** Throws when the work was cancelled. */
  progress(rows: number, total: number): void;
  /** Gold answers by question id where a data set gives them apart; 0-based indices. */
  answers?: Record<string, number>;
};

/**
 * Reads questions from a Parquet, JSON, JSONL or CSV file; told apart by the bytes, not by the name.
 *
 * @throws Error with a sentence for a person when the file is no text or its Parquet is broken.
 */
export async function readQuestionBytes(bytes: Uint8Array, watcher: Watcher): Promise<QuestionFileReport> {
  const { rows, bad_lines } = isParquet(bytes)
    ? { rows: await readParquet(bytes), bad_lines: [] }
    : parseRows(decodeText(bytes));
  const steps = importBySteps(rows, watcher.answers);
  const breathe = createBreath();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return { ...step.value, bad_lines, answers: readAnswers(rows) };
    watcher.progress(step.value, rows.length);
    await breathe();
  }
}

/** As `readQuestionBytes`, of a file on this machine. */
export async function readQuestions(
  file: string,
  answers: Record<string, number> = {},
): Promise<QuestionFileReport> {
  return readQuestionBytes(await readFile(file), { progress: () => {}, answers });
}

function isParquet(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 4)).toString("latin1") === PARQUET_MAGIC;
}

async function readParquet(bytes: Uint8Array): Promise<unknown[]> {
  try {
    return await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The Parquet file is broken or cut short (${reason}). Fetch it again.`, { cause: error });
  }
}

const LINE_FEED = 10;

/** @throws Error that names the first line that is no UTF-8. */
function decodeText(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  const decoder = new TextDecoder(isUtf16 ? "utf-16le" : "utf-8", { fatal: true });
  try {
    return decoder.decode(bytes);
  } catch (error) {
    let line = 1;
    for (let start = 0; start < bytes.length; line += 1) {
      const end = bytes.indexOf(LINE_FEED, start);
      const stop = end < 0 ? bytes.length : end;
      try {
        decoder.decode(bytes.subarray(start, stop));
      } catch {
        break;
      }
      start = stop + 1;
    }
    throw new Error(
      `Line ${line} is no text in UTF-8. Give a Parquet, JSON, JSONL or CSV file, saved as UTF-8.`,
      { cause: error },
    );
  }
}
