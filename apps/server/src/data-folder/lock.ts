import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { StartError } from "./start-error.ts";

/** Who works on a data folder. */
export type FolderHolder = {
  pid: number;
  /** UTC seconds. */
  since_secs: number;
  /** Where the holder listens; null until it does. */
  url: string | null;
};

export type FolderLock = {
  /** Tells those who come later where the holder listens. */
  announce(url: string): void;
  release(): void;
};

/** Another process works on the folder. */
export class FolderLockedError extends StartError {
  override name = "FolderLockedError";
  constructor(
    readonly dataDir: string,
    readonly holder: FolderHolder | null,
  ) {
    super(describe(dataDir, holder));
  }
}

/**
 * Takes a data folder for this process until `release()` or its death.
 *
 * The lock is the kernel's (SQLite's exclusive lock on the file `lock`), so it ends with its holder even by
 * SIGKILL, cannot be left behind, and is given to exactly one of two who ask at once. The file `holder.json`
 * beside it only tells who holds it.
 *
 * @throws FolderLockedError when another process holds it.
 */
export function lockDataFolder(dataDir: string): FolderLock {
  const holderFile = join(dataDir, "holder.json");
  // Two who ask at the same moment each see the other's attempt as busy; waiting lets one of them through.
  const lock = new Database(join(dataDir, "lock"), { timeout: 1000 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code === "SQLITE_BUSY") {
      throw new FolderLockedError(dataDir, readHolder(holderFile));
    }
    throw error;
  }
  const holder: FolderHolder = { pid: process.pid, since_secs: Date.now() / 1000, url: null };
  const write = () => writeFileSync(holderFile, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  write();
  return {
    announce(url) {
      holder.url = url;
      write();
    },
    release() {
      rmSync(holderFile, { force: true });
      lock.close();
    },
  };
}

function readHolder(file: string): FolderHolder | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as FolderHolder;
  } catch {
    // It is only read for a message: the holder may be writing it right now.
    return null;
  }
}

function describe(dataDir: string, holder: FolderHolder | null): string {
  const other = "or work in another folder: npm start -- --data DIR";
  if (holder === null) {
    return `Another Sightline is just starting on ${dataDir}.\nWait for it, ${other}`;
  }
  const since = new Date(holder.since_secs * 1000).toLocaleString();
  return [
    `A Sightline already works on ${dataDir} (process ${holder.pid}, since ${since}).`,
    holder.url === null ? null : `Open it: ${holder.url}`,
    `Stop it (kill ${holder.pid}), ${other}`,
  ]
    .filter((line) => line !== null)
    .join("\n");
}
