import { splitInlineOptions } from "./inline-options.ts";
import { baseName, findOption, readNumeric, readText, readTexts, stripLetters } from "./read-row.ts";
import type { Question, Row } from "./types.ts";

/** What became of one row; `doubt` is why a person should look before it counts. */
export type RowResult =
  | { question: Question; remark: string | null; doubt: string | null }
  | { problem: string };

/** A data set's shape: how to know it by a row, and how to read one. */
export type BenchmarkFormat = {
  name: string;
  matches(row: Row): boolean;
  /** @param row_number  1-based; makes an id where the data has none. */
  read(row: Row, row_number: number): RowResult;
};

const LETTERS = "ABCDEFGH";
const wholeClip = { from_secs: null, to_secs: null } as const;

function checkGold(question: Question, remark: string | null = null, doubt: string | null = null): RowResult {
  const { gold, options } = question;
  if (question.kind === "choice" && options.length === 0) return { problem: "no options found" };
  if (question.kind === "choice" && gold !== null && LETTERS.indexOf(gold) >= options.length)
    return { problem: `gold ${gold} is not among the ${options.length} options` };
  return { question, remark, doubt };
}

/**
 * What a split keeps together, by a clip's name: `EmbodiedCity_18_0` → `EmbodiedCity_18`. AerialVLN gives the same
 * trajectory several numbers, so its id counts; RealWorld cuts `RealWorld_RN_12_3` out of `RealWorld_12`.
 */
function toUrbanScene(clip: string): string {
  const stem = clip.replace(/\.[a-z0-9]+$/i, "");
  const trajectory = /^AerialVLN_\d+_([0-9A-Z]{12,})(?:_\d+)?$/.exec(stem)?.[1];
  if (trajectory) return `AerialVLN_${trajectory}`;
  const street = /^RealWorld_(?:[A-Z]+_)?(\d+)(?:_\d+)?$/.exec(stem)?.[1];
  if (street) return `RealWorld_${street}`;
  return stem.replace(/^([^_]+_.+)_\d{1,2}$/, "$1");
}

/** The released files put the video in words before the question; the question begins at the last "Question:". */
function dropDescription(stem: string): string {
  const parts = stem.split(/(?:^|\n)[ \t]*\**question\**[ \t]*[:：][ \t]*\**/i);
  return (parts.at(-1) ?? stem).trim();
}

/** UrbanVideo-Bench's MCQ.parquet and the released `*_data.json`: options inside the question. */
const urbanVideo: BenchmarkFormat = {
  name: "UrbanVideo-Bench",
  matches: (row) => "Question_id" in row && "question" in row && "video_id" in row,
  read(row, row_number) {
    const question_id = readText(row, "Question_id") ?? `row ${row_number}`;
    const text = readText(row, "question");
    const clip = readText(row, "video_id");
    if (text === null) return { problem: "no question text" };
    const split = splitInlineOptions(text);
    if (!split) return { problem: "no options found" };
    const gold = readText(row, "answer")?.toUpperCase() ?? null;
    if (gold === null || !/^[A-H]$/.test(gold)) return { problem: `gold "${gold ?? ""}" is not a letter` };
    const doubles = new Set(split.options.map((option) => option.toLowerCase())).size < split.options.length;
    return checkGold(
      {
        question_id,
        dataset: "UrbanVideo-Bench",
        clip_name: clip === null ? null : baseName(clip),
        ...wholeClip,
        scene: readText(row, "scene_name") ?? (clip === null ? null : toUrbanScene(clip)),
        task: readText(row, "question_category") ?? "unknown",
        text: dropDescription(split.stem),
        options: split.options,
        gold,
        kind: "choice",
      },
      doubles ? "two options have the same text" : null,
      split.header === null ? "no plain header before the options: look whether they were read right" : null,
    );
  },
};

/** VSI-Bench, native rows: options a list with letters, or null for a numeric question. */
const vsiNative: BenchmarkFormat = {
  name: "VSI-Bench",
  matches: (row) => "question_type" in row && "ground_truth" in row,
  read(row, row_number) {
    const text = readText(row, "question");
    const scene = readText(row, "scene_name");
    const gold = readText(row, "ground_truth");
    if (text === null) return { problem: "no question text" };
    if (gold === null) return { problem: "no gold answer" };
    const options = stripLetters(readTexts(row, "options") ?? []);
    return checkVsi(row, readText(row, "id") ?? `row ${row_number}`, text, scene, options, gold);
  },
};

function checkVsi(
  row: Row,
  question_id: string,
  text: string,
  scene: string | null,
  options: string[],
  gold: string,
): RowResult {
  const kind = options.length > 0 ? "choice" : "number";
  if (kind === "number" && !Number.isFinite(Number(gold)))
    return { problem: `gold "${gold}" is not a number` };
  if (kind === "choice" && !/^[A-H]$/i.test(gold)) return { problem: `gold "${gold}" is not a letter` };
  return checkGold({
    question_id,
    dataset: "VSI-Bench",
    clip_name: scene === null ? null : `${scene}.mp4`,
    ...wholeClip,
    scene,
    task: readText(row, "question_type") ?? "unknown",
    text,
    options,
    gold: kind === "choice" ? gold.toUpperCase() : gold,
    kind,
  });
}

/** VSI-Bench as others reshape it: `mp4_path`, options in columns A to D. */
const vsiColumns: BenchmarkFormat = {
  name: "VSI-Bench, options in columns",
  matches: (row) => "mp4_path" in row && "question_type" in row,
  read(row, row_number) {
    const text = readText(row, "question");
    const path = readText(row, "mp4_path");
    const gold = readText(row, "answer");
    if (text === null) return { problem: "no question text" };
    if (gold === null) return { problem: "no gold answer" };
    const options = stripLetters([...LETTERS].flatMap((letter) => readText(row, letter) ?? []));
    const scene = path === null ? null : baseName(path).replace(/\.mp4$/i, "");
    return checkVsi(row, readText(row, "id") ?? `row ${row_number}`, text, scene, options, gold);
  },
};

/** EgoSchema: `option 0` to `option 4`, gold as an index or held back. */
const egoSchema: BenchmarkFormat = {
  name: "EgoSchema",
  matches: (row) => "q_uid" in row && "option 0" in row,
  read(row, row_number) {
    const question_id = readText(row, "q_uid") ?? `row ${row_number}`;
    const text = readText(row, "question");
    if (text === null) return { problem: "no question text" };
    const options = [0, 1, 2, 3, 4].flatMap((index) => readText(row, `option ${index}`) ?? []);
    if (options.length !== 5) return { problem: `${options.length} options instead of 5` };
    const answer = readNumeric(row, "CA");
    return checkGold({
      question_id,
      dataset: "EgoSchema",
      clip_name: `${question_id}.mp4`,
      ...wholeClip,
      scene: question_id,
      task: "egoschema",
      text,
      options,
      gold: answer === null ? null : LETTERS.charAt(answer),
      kind: "choice",
    });
  },
};

/** MVBench: a list of candidates, the answer as text. */
const mvBench: BenchmarkFormat = {
  name: "MVBench",
  matches: (row) => "candidates" in row && "video" in row,
  read(row, row_number) {
    const text = readText(row, "question");
    const answer = readText(row, "answer");
    const options = readTexts(row, "candidates");
    const clip = readText(row, "video");
    if (text === null) return { problem: "no question text" };
    if (options === null || options.length < 2) return { problem: "fewer than 2 candidates" };
    if (answer === null) return { problem: "no gold answer" };
    const found = findOption(options, answer);
    if (!found) return { problem: `gold "${answer}" is not among the candidates` };
    return checkGold(
      {
        question_id: readText(row, "id") ?? `row ${row_number}`,
        dataset: "MVBench",
        clip_name: clip === null ? null : baseName(clip),
        from_secs: readNumeric(row, "start"),
        to_secs: readNumeric(row, "end"),
        scene: clip,
        task: readText(row, "task_type") ?? "egocentric navigation",
        text,
        options,
        gold: found.letter,
        kind: "choice",
      },
      found.doubles > 1 ? `${found.doubles} candidates have the gold's text; the first counts` : null,
    );
  },
};

/** What GRPO trains on, as released: the whole prompt in `messages`, the gold in `solution`; it names no clip. */
const released: BenchmarkFormat = {
  name: "GRPO, as released",
  matches: (row) => "messages" in row && "solution" in row,
  read(row, row_number) {
    const messages = Array.isArray(row.messages) ? (row.messages as unknown[]) : [];
    const user = messages.filter(isRow).findLast((message) => message.role === "user");
    const content = user && readText(user, "content");
    const solution = readText(row, "solution");
    if (!content) return { problem: "no message of the user" };
    if (solution === null) return { problem: "no solution" };
    const split = splitInlineOptions(content);
    if (!split) return { problem: "no options found" };
    const answer = (/<answer>([\s\S]*?)<\/answer>/i.exec(solution)?.[1] ?? solution).trim();
    const letter = toLetter(split.options, answer);
    if (letter === null) return { problem: `solution "${answer}" is neither a letter nor an option` };
    return checkGold({
      question_id: readText(row, "Question_id", "id") ?? `row ${row_number}`,
      dataset: "GRPO, as released",
      clip_name: readName(row, "video_id", "video"),
      ...wholeClip,
      scene: readText(row, "scene_name"),
      task: readText(row, "question_category") ?? "unknown",
      text: dropDescription(split.stem),
      options: split.options,
      gold: letter,
      kind: "choice",
    });
  },
};

/** Our own rows, from JSONL, JSON or CSV: `question`, `options`, `gold`. */
const own: BenchmarkFormat = {
  name: "Sightline",
  matches: (row) =>
    ("question" in row || "text" in row) && ("options" in row || "option_a" in row || "gold" in row),
  read(row, row_number) {
    const text = readText(row, "question", "text");
    if (text === null) return { problem: "no question text" };
    const columns = [..."abcdefgh"].flatMap((letter) => readText(row, `option_${letter}`) ?? []);
    const options = stripLetters(readTexts(row, "options") ?? columns);
    if (options.length === 1 || options.length > LETTERS.length)
      return {
        problem: `${options.length === 1 ? "1 option" : `${options.length} options`}; 2 to 8 are needed`,
      };
    const gold = readText(row, "gold", "answer");
    const kind = options.length > 0 ? "choice" : "number";
    const letter = gold === null ? null : toLetter(options, gold);
    if (kind === "choice" && gold !== null && letter === null)
      return { problem: `gold "${gold}" is neither a letter nor an option` };
    if (kind === "number" && row.kind !== "number" && gold === null) return { problem: "no options found" };
    if (kind === "number" && gold !== null && !Number.isFinite(Number(gold)))
      return { problem: `no options, and gold "${gold}" is not a number` };
    return checkGold({
      question_id: readText(row, "question_id", "id") ?? `row ${row_number}`,
      dataset: readText(row, "dataset") ?? "own",
      clip_name: readName(row, "clip_name", "video", "video_id"),
      from_secs: readNumeric(row, "from_secs"),
      to_secs: readNumeric(row, "to_secs"),
      scene: readText(row, "scene"),
      task: readText(row, "task") ?? "unknown",
      text,
      options,
      gold: kind === "choice" ? letter : gold,
      kind,
    });
  },
};

const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function readName(row: Row, ...keys: readonly string[]): string | null {
  const name = readText(row, ...keys);
  return name === null ? null : baseName(name);
}

/** A gold as a letter, given as one or as the text of an option; null when it is neither. */
function toLetter(options: readonly string[], gold: string): string | null {
  if (/^[A-H]$/i.test(gold)) return gold.toUpperCase();
  return findOption(options, gold)?.letter ?? null;
}

/** In the order in which a row is tried. */
export const FORMATS: readonly BenchmarkFormat[] = [
  urbanVideo,
  vsiNative,
  vsiColumns,
  egoSchema,
  mvBench,
  released,
  own,
];
