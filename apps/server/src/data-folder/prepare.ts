import { existsSync, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { StartError } from "./start-error.ts";

/** Less than this and the database could not even write its journal. */
const LEAST_FREE_BYTES = 64 * 1024 * 1024;

/**
 * Makes the data folder and proves that it can be written, before anything is opened in it.
 *
 * @throws StartError, or the file system's own error.
 */
export function prepareDataFolder(dataDir: string): void {
  makeFolder(dataDir);
  const probe = join(dataDir, `probe.${process.pid}`);
  try {
    writeFileSync(probe, "written to see that it can be\n", { flush: true });
  } finally {
    rmSync(probe, { force: true });
  }
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  if (free < LEAST_FREE_BYTES) {
    throw new StartError(
      `There is almost no room left on the disk of ${dataDir}: ${Math.floor(free / 1024 ** 2)} MB free, 64 MB are the least.\nFree some, or work in another folder: npm start -- --data DIR`,
    );
  }
  mkdirSync(join(dataDir, "logs"), { recursive: true });
}

/** Not `recursive`: Node's goes round for ever under a parent that says ENOENT though it exists, as /proc does. */
function makeFolder(folder: string) {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(folder);
  if (!existsSync(parent)) makeFolder(parent);
  mkdirSync(folder, { mode: 0o700 });
}
