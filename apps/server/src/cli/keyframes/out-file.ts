import {
  closeSync,
  createReadStream,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import Database from "better-sqlite3";
import type { z } from "zod";
import { KnownLine, type Line } from "./line.ts";
import { CommandProblem, nameFile } from "./options.ts";

/** The file that lines are added to, and what it held before. */
export type OutFile = {
  /** Whether it holds this video under these settings. */
  holds(path: string, clip_id: string): boolean;
  /** The path of the first video with these bytes; null when there is none. */
  findSame(clip_id: string): string | null;
  /** @throws CommandProblem when it can't be written; the file then ends with the last whole line. */
  add(line: Line): void;
  close(): void;
};

/**
 * Opens a file to be gone on with, for this process alone. A last line that was torn off is dropped; failures under
 * these settings are taken out, because their videos are tried again. Lines of other settings stay.
 *
 * @throws CommandProblem when the file holds something else, can't be written, or another process writes it.
 */
export async function openOutFile(given: string, settings_hash: string): Promise<OutFile> {
  const found = attempt(given, () => statSync(given, { throwIfNoEntry: false }));
  if (found?.isDirectory()) throw new CommandProblem(`${given} is a folder; --out takes a file.`);
  if (found && !found.isFile()) return openLines(given, settings_hash, () => {});
  // A link stays a link when the file behind it is written anew.
  const out = found ? realpathSync(given) : given;
  const release = lock(out);
  try {
    return await openLines(out, settings_hash, release);
  } catch (error) {
    release();
    throw error;
  }
}

async function openLines(out: string, settings_hash: string, release: () => void): Promise<OutFile> {
  const known = await readKnown(out, settings_hash);
  const descriptor = attempt(out, () => openSync(out, "a", 0o644));
  let whole = fstatSync(descriptor).size;
  const isFile = fstatSync(descriptor).isFile();
  return {
    holds: (path, clip_id) => known.lines.has(`${clip_id} ${path}`),
    findSame: (clip_id) => known.first.get(clip_id) ?? null,
    add(line) {
      const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
      attempt(out, () => {
        try {
          for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
        } catch (error) {
          if (isFile) ftruncateSync(descriptor, whole);
          throw error;
        }
      });
      whole += bytes.length;
      if (!("failure" in line)) note(known, line);
    },
    close() {
      try {
        if (isFile) attempt(out, () => fsyncSync(descriptor));
      } finally {
        closeSync(descriptor);
        release();
      }
    },
  };
}

/**
 * Keeps a second command from the same file. The lock is the kernel's, as that of a data folder (data-folder/lock.ts),
 * so it ends with its holder even by SIGKILL; the empty file that is left behind then bars nobody.
 */
function lock(out: string): () => void {
  const file = `${out}.lock`;
  return attempt(out, () => {
    // The slash asks for a folder: SQLite would not say what is amiss.
    statSync(`${dirname(out)}/`);
    const held = new Database(file, { timeout: 0 });
    try {
      held.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      held.close();
      throw error;
    }
    return () => {
      rmSync(file, { force: true });
      held.close();
    };
  });
}

type Known = { lines: Set<string>; first: Map<string, string> };

function note({ lines, first }: Known, line: z.infer<typeof KnownLine>) {
  const { path, clip_id, same_as } = line;
  if (clip_id === null) return;
  lines.add(`${clip_id} ${path}`);
  if (same_as === undefined) first.set(clip_id, path);
}

async function readKnown(out: string, settings_hash: string): Promise<Known> {
  const known: Known = { lines: new Set(), first: new Map() };
  const found = attempt(out, () => statSync(out, { throwIfNoEntry: false }));
  if (!found?.isFile()) return known;
  const failed = new Set<number>();
  let number = 0;
  let end = 0;
  for await (const text of readLines(out)) {
    number += 1;
    const after = end + Buffer.byteLength(text) + 1;
    if (after > found.size) {
      const descriptor = attempt(out, () => openSync(out, "r+"));
      ftruncateSync(descriptor, end);
      closeSync(descriptor);
      break;
    }
    end = after;
    const line = readLine(text);
    if (line === null) {
      throw new CommandProblem(
        `${out} was not written by this command: line ${number} is something else. Name another file.`,
      );
    }
    if (line.settings_hash !== settings_hash) continue;
    if (line.failure !== undefined) failed.add(number);
    else note(known, line);
  }
  if (failed.size > 0) await leaveOut(out, failed);
  return known;
}

async function* readLines(file: string) {
  const input = createReadStream(file, { encoding: "utf8" });
  try {
    yield* createInterface({ input, crlfDelay: 0 });
  } catch (error) {
    throw explain(file, error);
  } finally {
    input.destroy();
  }
}

function readLine(text: string) {
  try {
    return KnownLine.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Writes the file anew without some lines, whole or not at all. */
async function leaveOut(out: string, lines: ReadonlySet<number>): Promise<void> {
  const draft = `${out}.part`;
  const descriptor = attempt(out, () => openSync(draft, "w", 0o644));
  try {
    let number = 0;
    for await (const text of readLines(out)) {
      number += 1;
      if (!lines.has(number)) attempt(out, () => writeSync(descriptor, `${text}\n`));
    }
    fsyncSync(descriptor);
    renameSync(draft, out);
  } finally {
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}

function attempt<T>(out: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw explain(out, error);
  }
}

function explain(out: string, error: unknown): CommandProblem {
  if (error instanceof CommandProblem) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return new CommandProblem(
        `There is no room left on the disk for ${nameFile(out)}. What it holds is whole: free some room, then run the same command to go on.`,
      );
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new CommandProblem(`${out} can't be written: it, or its folder, is read-only for this user.`);
    case "SQLITE_BUSY":
      return new CommandProblem(
        `Another pnpm keyframes is writing ${nameFile(out)}. Wait for its end, then run the same command; or name another file.`,
      );
    case "SQLITE_CANTOPEN":
      return new CommandProblem(`${out} can't be written: no file can be made in its folder.`);
    case "ENOENT":
    case "ENOTDIR":
      return new CommandProblem(`${out} can't be made: its folder is not there.`);
    default:
      return new CommandProblem(`${out} can't be used: ${message}`);
  }
}
