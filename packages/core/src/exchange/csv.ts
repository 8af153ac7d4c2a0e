import { splitRecords } from "../benchmarks/csv.ts";
import { readBase, readNumber, readTextEvidence, readWhole } from "./fields.ts";
import { ExchangeProblem, type KeyFrameExport, type ReadClip, type ReadKeyFrames } from "./types.ts";

const COLUMNS = [
  "clip_name",
  "clip_id",
  "frame_base",
  "frame",
  "time_secs",
  "origin",
  "rule",
  "overlap",
  "matches",
  "inliers",
  "action",
  "action_by",
  "action_from",
  "version",
  "frame_count",
  "settings_hash",
  "extractor_version",
  "settings",
  "authors",
] as const;
type Column = (typeof COLUMNS)[number];

/** A file may have so many lines: more take longer to read than anybody waits, or a server may stand still. */
const MOST_LINES = 500_000;

/** What a spreadsheet would run as a formula. */
const FORMULA = /^'*[=+\-@\t\r]/;

/** A row a key-frame, of any number of clips; frames are 0-based, as the column `frame_base` says in each row. */
export function writeCsv(exports: readonly KeyFrameExport[]): string {
  const rows = exports.flatMap((held) =>
    held.frames.map((frame) => {
      const { settings, authors, ...rest } = held;
      const texts = { settings: JSON.stringify(settings), authors: authors.join("; ") };
      const row: Record<Column, string | number | null> = { ...rest, ...frame, ...texts, frame_base: 0 };
      return COLUMNS.map((column) => writeField(row[column])).join(",");
    }),
  );
  return `${[COLUMNS.join(","), ...rows].join("\n")}\n`;
}

function writeField(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",;\n\r]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Reads key-frames from CSV. Only `frame` must be there, and `clip_name` or `clip_id` where there are several clips.
 *
 * @throws ExchangeProblem that names the line.
 */
export function readCsv(text: string): ReadKeyFrames {
  if (countLines(text) > MOST_LINES)
    throw new ExchangeProblem(`The file has more than ${MOST_LINES} lines. Split it, then import the parts.`);
  const head = text.slice(0, /\r?\n|$/.exec(text)?.index);
  const separator = [",", ";", "\t"].find((one) => head.includes(one)) ?? ",";
  const { records, open_line } = splitRecords(text, separator);
  if (open_line !== null)
    throw new ExchangeProblem(
      `line ${open_line}: a quote is opened and never closed. Was the file cut short?`,
    );
  const names = records[0]?.fields.map((name) => name.trim()) ?? [];
  if (!names.includes("frame"))
    throw new ExchangeProblem("line 1: the head has no column “frame”. Is this a file of key-frames?");
  const clips = new Map<string, ReadClip>();
  for (const { line, fields } of records.slice(1)) {
    const where = `line ${line}`;
    if (fields.length !== names.length)
      throw new ExchangeProblem(
        `${where}: ${fields.length} fields instead of ${names.length}. Was the file cut short?`,
      );
    const get = (column: Column) => readText(fields[names.indexOf(column)]);
    const number = readWhole(get("frame"), "frame", where);
    if (number === null) throw new ExchangeProblem(`${where}: “frame” is empty.`);
    const clip_name = get("clip_name") || null;
    const clip_id = get("clip_id") || null;
    const key = JSON.stringify([clip_name, clip_id]);
    const base = readBase(get("frame_base"), where);
    const clip = clips.get(key) ?? {
      clip_name,
      clip_id,
      frame_count: readWhole(get("frame_count"), "frame_count", where),
      version: readWhole(get("version"), "version", where),
      settings_hash: get("settings_hash") || null,
      base,
      frames: [],
    };
    clips.set(key, clip);
    if (clip.base !== base)
      throw new ExchangeProblem(
        `${where}: frames of one clip count from 0 in some rows and from 1 in others.`,
      );
    clip.frames.push({
      number,
      time_secs: readNumber(get("time_secs"), "time_secs", where),
      where,
      ...readTextEvidence(get, where),
    });
  }
  return { format: "csv", clips: [...clips.values()] };
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

function readText(field: string | undefined): string | undefined {
  return field?.startsWith("'") && FORMULA.test(field) ? field.slice(1) : field;
}
