import { splitInlineOptions } from "../benchmarks/inline-options.ts";
import { type BadLine, parseRows } from "../benchmarks/parse-rows.ts";
import type { Options } from "../traces/letter.ts";

/** What a model wrote elsewhere, as a file has it. */
export type ReadOutput = {
  id: string;
  question: string;
  /** Texts are empty where the file does not say the options; any letter may then be one. */
  options: Options;
  /** Null where the file has none. */
  gold: string | null;
  kind: "choice" | "number";
  text: string;
};

export type ReadOutputs = {
  outputs: ReadOutput[];
  /** Rows without an output. */
  set_aside: { id: string; reason: string }[];
  bad_lines: BadLine[];
};

type Fields = Record<string, unknown>;

const TEXTS = [
  "content",
  "response",
  "model_output",
  "output",
  "completion",
  "raw_response",
  "response_snippet",
  "solution",
  "text",
];
const QUESTIONS = ["question", "problem", "original_question", "prompt", "query"];
const GOLDS = ["answer", "gold", "ground_truth", "original_answer", "gold_answer", "target"];
const IDS = ["Question_id", "question_id", "id", "index"];
/** A file that does not say its options may have up to so many. */
const UNKNOWN_OPTIONS = 8;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The first of the names whose value is a text or a number, as text. */
function find(fields: Fields, names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string" && value.trim() !== "") return value;
    if (typeof value === "number" && Number.isFinite(value)) return String(value);
  }
  return null;
}

/** Rows at any depth of a document: objects that hold an output, or the members of a list. */
function findRows(value: unknown): Fields[] {
  if (Array.isArray(value))
    return value.flatMap((one) => (isFields(one) ? (holdsOutput(one) ? [one] : findRows(one)) : []));
  if (!isFields(value)) return [];
  return holdsOutput(value) ? [value] : Object.values(value).flatMap(findRows);
}

const holdsOutput = (fields: Fields) => TEXTS.some((name) => name in fields);

function readRow(fields: Fields, id: string): ReadOutput | null {
  const text = find(fields, TEXTS);
  if (text === null) return null;
  const asked = isFields(fields.question) ? { ...fields, ...fields.question } : fields;
  const question = find(asked, QUESTIONS) ?? "";
  const gold = find(asked, GOLDS);
  const split = splitInlineOptions(question.slice(question.lastIndexOf("Question:") + 1));
  const texts = Array.isArray(fields.options) ? fields.options.map(String) : (split?.options ?? []);
  const is_number = texts.length === 0 && gold !== null && /^-?\d+(\.\d+)?$/.test(gold.trim());
  return {
    id,
    question,
    options: { count: texts.length === 0 ? UNKNOWN_OPTIONS : texts.length, texts },
    gold,
    kind: is_number ? "number" : "choice",
    text,
  };
}

/**
 * Reads outputs of others' models from JSON or JSON Lines, whatever the fields are called.
 *
 * @param text  The whole file.
 */
export function readOutputs(text: string): ReadOutputs {
  const whole = readJson(text);
  const { rows, bad_lines } = whole === null ? parseRows(text) : { rows: findRows(whole), bad_lines: [] };
  const outputs: ReadOutput[] = [];
  const set_aside: ReadOutputs["set_aside"] = [];
  rows.forEach((row, at) => {
    const fields = isFields(row) ? row : {};
    const id = find(fields, IDS) ?? String(at + 1);
    const read = readRow(fields, id);
    if (read) outputs.push(read);
    else set_aside.push({ id, reason: `no output among ${TEXTS.join(", ")}` });
  });
  return { outputs, set_aside, bad_lines };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
