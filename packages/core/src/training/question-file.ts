import { formatQuestion, formatVideoText } from "../perception/index.ts";
import { createRandom, TASKS, type TrainingRow } from "../worlds/index.ts";
import { type GrpoRow, isGrpoRow, type KnownQuestion, readGrpoRow } from "./grpo-rows.ts";

/** Most options of a question. */
export const MAX_OPTIONS = 8;

/** What is wrong with one line. `line` is 1-based. */
export type LineProblem = { line: number; reason: string };

export type QuestionFile = {
  rows: TrainingRow[];
  problems: LineProblem[];
};

/** UTF-8 to text; throws on bytes that are no UTF-8. */
export type Decode = (bytes: Uint8Array) => string;

const LETTERS = "ABCDEFGH";

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/** The video's text: given whole as `video_text`, or laid out from `triples`; the question alone where it has frames. */
function readVideo(
  value: Record<string, unknown>,
  question: string,
): { prompt: string } | { problem: string } {
  if (isText(value.prompt)) return { prompt: value.prompt };
  if (isText(value.video_text)) return { prompt: `${value.video_text}\nQuestion: ${question}` };
  if (value.triples === undefined && value.frames !== undefined) return { prompt: question };
  if (!Array.isArray(value.triples)) return { problem: "no triples: give triples, video_text or prompt" };
  const triples = value.triples.map((triple: unknown) => {
    const fields = typeof triple === "object" && triple !== null ? (triple as Record<string, unknown>) : {};
    const say = (name: string) => (isText(fields[name]) ? fields[name] : "");
    return {
      action: (say("action") || null) as null,
      change: say("change"),
      relevant: say("relevant"),
      raw: "",
      problems: [],
    };
  });
  if (triples.length === 0) return { problem: "triples is an empty list" };
  return { prompt: formatVideoText(triples, question) };
}

function readGoldLetter(gold: unknown, options: readonly string[]): string | null {
  if (!isText(gold)) return null;
  const letter = gold.trim().toUpperCase();
  if (/^[A-H]$/.test(letter) && LETTERS.indexOf(letter) < options.length) return letter;
  const index = options.findIndex((option) => option.trim().toLowerCase() === gold.trim().toLowerCase());
  return index < 0 ? null : LETTERS.charAt(index);
}

type Known = ReadonlyMap<string, KnownQuestion>;

/** Options and right answer; a number is asked without options. */
function readAnswer(
  fields: Record<string, unknown>,
): { options: string[]; gold: string } | { problem: string } {
  const isNumber = fields.kind === "number";
  const options = isNumber ? (fields.options ?? []) : fields.options;
  if (!Array.isArray(options) || !options.every(isText))
    return { problem: "options must be a list of texts" };
  if (isNumber && options.length > 0)
    return { problem: `${options.length} options; a question of kind number has none` };
  if (!isNumber && options.length < 2) return { problem: `${options.length} options; at least 2` };
  if (options.length > MAX_OPTIONS) return { problem: `${options.length} options; at most ${MAX_OPTIONS}` };
  if (fields.gold === undefined || fields.gold === null || fields.gold === "")
    return { problem: "gold is missing" };
  const said = JSON.stringify(fields.gold);
  if (isNumber) {
    const gold = String(fields.gold).trim();
    return gold !== "" && Number.isFinite(Number(gold))
      ? { options, gold }
      : { problem: `gold ${said} is no number` };
  }
  const gold = readGoldLetter(fields.gold, options);
  return gold === null
    ? { problem: `gold ${said} is none of the ${options.length} options` }
    : { options, gold };
}

function readLine(
  value: unknown,
  line: number,
  known: Known,
  tasks: ReadonlySet<string>,
): TrainingRow | { problem: string } {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { problem: "not an object" };
  const given = value as Record<string, unknown>;
  const isGrpo = isGrpoRow(given);
  const fields = isGrpo ? readGrpoRow(given, known) : given;
  if (!isText(fields.question)) return { problem: "question is missing" };
  const answer = readAnswer(fields);
  if ("problem" in answer) return answer;
  const { options, gold } = answer;
  if (!isText(fields.task)) return { problem: "task is missing" };
  // A row of the released layout has its task from where it was exported, whose sets name theirs as they like.
  if (!isGrpo && !tasks.has(fields.task))
    return { problem: `unknown task ${JSON.stringify(fields.task)}; known: ${[...tasks].join(", ")}` };
  const { frames } = fields;
  if (frames !== undefined && !(Array.isArray(frames) && frames.length > 0 && frames.every(isText)))
    return { problem: "frames must be a list of files" };
  const question = formatQuestion(fields.question.trim(), options);
  const video = readVideo(fields, question);
  if ("problem" in video) return video;
  return {
    question_id: isText(fields.question_id) ? fields.question_id : `line-${line}`,
    clip_id: isText(fields.clip_id) ? fields.clip_id : null,
    task: fields.task,
    prompt: video.prompt,
    question,
    options,
    gold,
    kind: fields.kind === "number" ? "number" : "choice",
    chain: isText(fields.chain) ? fields.chain : null,
    ...(frames === undefined ? {} : { frames }),
  };
}

/** True for a row that {@link readQuestionFile} takes; others, such as one of nine options, need not be written. */
export function isReadable(row: GrpoRow): boolean {
  return !("problem" in readLine(row, 1, new Map(), new Set(TASKS)));
}

/** Decodes a file line by line, so that a byte that is no UTF-8 is named by its line. */
function decodeLines(bytes: Uint8Array, decode: Decode): { text: string | null; line: number }[] {
  const lines: { text: string | null; line: number }[] = [];
  let start = 0;
  for (let at = 0; at <= bytes.length; at += 1) {
    if (at < bytes.length && bytes[at] !== 10) continue;
    let text: string | null = null;
    try {
      text = decode(bytes.subarray(start, at));
    } catch {
      text = null;
    }
    lines.push({ text, line: lines.length + 1 });
    start = at + 1;
  }
  return lines;
}

/**
 * Reads a JSONL file of questions with triples for training: `question`, `options`, `gold`, `task`, and `triples` (or
 * `video_text`, the whole `prompt`, or `frames`); `question_id`, `clip_id` and `chain` where there are some. With
 * `kind` "number" there are no options, and `gold` is a number. A task is one of the worlds', or of the library's.
 *
 * Every line is checked; nothing should be launched while there is a problem.
 *
 * The released GRPO layout (`messages`, `solution`) is read as well; what it does not hold is found by its question.
 *
 * @param known  The library's questions by {@link hashQuestion}, for released rows without ids and tasks.
 * @param decode  Turns UTF-8 into text and throws on bytes that are none; the platform has one.
 */
export function readQuestionFile(bytes: Uint8Array, decode: Decode, known: Known = new Map()): QuestionFile {
  const file: QuestionFile = { rows: [], problems: [] };
  const firstLine = new Map<string, number>();
  const tasks = new Set<string>([...TASKS, ...[...known.values()].map(({ task }) => task)]);
  for (const { text, line } of decodeLines(bytes, decode)) {
    if (text === null) {
      file.problems.push({ line, reason: "not UTF-8" });
      continue;
    }
    if (text.trim() === "") continue;
    const row = parseLine(text, line, known, tasks);
    if ("problem" in row) {
      file.problems.push({ line, reason: row.problem });
      continue;
    }
    const first = firstLine.get(row.question_id);
    if (first !== undefined)
      file.problems.push({ line, reason: `question_id ${row.question_id} stands on line ${first} already` });
    else firstLine.set(row.question_id, line);
    file.rows.push(row);
  }
  if (file.rows.length === 0 && file.problems.length === 0)
    file.problems.push({ line: 1, reason: "the file holds no question" });
  return file;
}

function parseLine(
  text: string,
  line: number,
  known: Known,
  tasks: ReadonlySet<string>,
): TrainingRow | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `not a whole JSON object: ${error instanceof Error ? error.message : String(error)}` };
  }
  return readLine(value, line, known, tasks);
}

/** Holds a share of the questions out of training, at least one of either kind; the same seed gives the same split. */
export function holdOut(
  rows: readonly TrainingRow[],
  seed: number,
  share = 0.2,
): { train: TrainingRow[]; eval: TrainingRow[] } {
  const shuffled = createRandom(`hold-out-${seed}`).shuffle(
    [...rows].sort((a, b) => (a.question_id < b.question_id ? -1 : 1)),
  );
  const count = Math.min(rows.length - 1, Math.max(1, Math.round(rows.length * share)));
  return { train: shuffled.slice(count), eval: shuffled.slice(0, count) };
}
