import { open, readFile, stat } from "node:fs/promises";
import {
  ExchangeProblem,
  isReleasedRows,
  parseJson,
  type ReadKeyFrames,
  readCsv,
  readFiftyOne,
  readJson,
} from "@sightline/core/exchange";
import { readText } from "./read-text.ts";
import { readXml } from "./read-xml.ts";
import { unpackZip } from "./zip.ts";

/** A file that was handed in: what it is called, with the folders that it came in, and where it lies. */
export type HandedFile = { path: string; file: string };

/** What handed files hold. */
export type ReadFiles = {
  read: { source: string; keyframes: ReadKeyFrames }[];
  /** Files that can't be read, and why. */
  faults: { source: string; problem: string }[];
  /** Key-frame videos without a word on which frames their pictures were. */
  videos: HandedFile[];
  /** What was found and holds nothing to import. */
  remarks: string[];
};

/** A file of text may have so many bytes; an archive's files together, too, but for its videos. */
const MOST_TEXT_BYTES = 64 * 2 ** 20;
const MOST_ARCHIVE_BYTES = 2 ** 30;

const fileName = (path: string) => path.split("/").at(-1) ?? path;
const folderOf = (path: string) => path.slice(0, path.length - fileName(path).length);

/**
 * Reads files of key-frames, of any of the formats, told apart by what is in them.
 *
 * @param scratch  A folder for what archives hold.
 */
export async function readFiles(handed: readonly HandedFile[], scratch: string): Promise<ReadFiles> {
  const found: ReadFiles = { read: [], faults: [], videos: [], remarks: [] };
  const files: HandedFile[] = [];
  for (const [at, one] of handed.entries()) {
    if (!(await begins(one.file, "PK"))) files.push(one);
    else
      await guard(found, one.path, async () => {
        const inside = await unpackZip(one.file, `${scratch}/zip-${at}`, MOST_ARCHIVE_BYTES);
        const prefix = `${one.path}/`;
        files.push(...inside.map(({ path, file }) => ({ path: prefix + path, file })));
      });
  }
  const taken = new Set<HandedFile>();
  for (const samples of files.filter(({ path }) => fileName(path) === "samples.json")) {
    const folder = folderOf(samples.path);
    const frames = files.find(({ path }) => path === `${folder}frames.json`);
    if (frames === undefined) continue;
    for (const one of files)
      if (folderOf(one.path) === folder && FIFTYONE_FILES.has(fileName(one.path))) taken.add(one);
    await guard(found, samples.path, async () => {
      const texts = {
        "samples.json": await readTextFile(samples),
        "frames.json": await readTextFile(frames),
      };
      found.read.push({ source: folder.slice(0, -1) || "FiftyOne dataset", keyframes: readFiftyOne(texts) });
    });
  }
  const videos: HandedFile[] = [];
  for (const one of files.filter((file) => !taken.has(file))) {
    if (await isVideo(one.file)) videos.push(one);
    else await guard(found, one.path, () => readOne(found, one));
  }
  for (const video of videos) {
    const beside = found.read.find(({ source }) => source === `${video.path}.json`);
    if (beside === undefined) found.videos.push(video);
  }
  return found;
}

const FIFTYONE_FILES = new Set(["samples.json", "frames.json", "metadata.json"]);

async function readOne(found: ReadFiles, one: HandedFile): Promise<void> {
  const text = await readTextFile(one);
  const start = text.trimStart().charAt(0);
  if (start === "") throw new ExchangeProblem("The file is empty.");
  const keyframes =
    start === "<"
      ? await readXml(text)
      : start === "[" || start === "{"
        ? readJsonText(found, one, text)
        : readCsv(text);
  if (keyframes === null) return;
  if (keyframes.clips.every(({ frames }) => frames.length === 0))
    throw new ExchangeProblem("The file was read and holds no key-frame.");
  found.read.push({ source: one.path, keyframes });
}

/** @returns Null for what holds nothing to take, which becomes a remark. */
function readJsonText(found: ReadFiles, { path }: HandedFile, text: string): ReadKeyFrames | null {
  const value = parseJson(text);
  if (!isReleasedRows(value)) return readJson(value);
  found.remarks.push(
    `${path}: the released code's questions with what was seen at each key-frame. It does not say which frames these are, so nothing is taken from it here.`,
  );
  return null;
}

async function guard(found: ReadFiles, source: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ExchangeProblem)) throw error;
    found.faults.push({ source, problem: error.message });
  }
}

async function readTextFile({ file }: HandedFile): Promise<string> {
  const { size } = await stat(file);
  if (size > MOST_TEXT_BYTES)
    throw new ExchangeProblem(
      `The file has ${Math.ceil(size / 2 ** 20)} MB; ${MOST_TEXT_BYTES / 2 ** 20} MB can be read. Split it.`,
    );
  return readText(await readFile(file));
}

async function begins(file: string, mark: string): Promise<boolean> {
  return (await readStart(file)).startsWith(mark);
}

const VIDEO_MARKS = ["\x1aE\xdf\xa3", "RIFF"];

/** MP4 and its kin, Matroska, AVI. */
async function isVideo(file: string): Promise<boolean> {
  const start = await readStart(file);
  return (
    /^(ftyp|moov|mdat|free|wide|skip)/.test(start.slice(4)) ||
    VIDEO_MARKS.some((mark) => start.startsWith(mark))
  );
}

async function readStart(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(12), 0, 12, 0);
    return buffer.subarray(0, bytesRead).toString("latin1");
  } finally {
    await handle.close();
  }
}
