/** The server can't start. The message says why and gives a way out; nobody needs the stack. */
export class StartError extends Error {
  override name = "StartError";
}

const OTHER_FOLDER = "or work in another folder: npm start -- --data DIR";

/**
 * Puts a failure of starting into words for the person at the terminal.
 *
 * @returns null when it is none that we know: then it is a fault of ours and its stack belongs in the log.
 */
export function explainStartFailure(error: unknown, dataDir: string): StartError | null {
  if (error instanceof StartError) return error;
  const { code = "", path, syscall } = error as NodeJS.ErrnoException;
  const where = path ?? dataDir;
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL)/.test(code)) {
    return new StartError(`There is no room left on the disk of ${dataDir}.\nFree some, ${OTHER_FOLDER}`);
  }
  if (/^(EACCES|EPERM|EROFS|SQLITE_READONLY|SQLITE_CANTOPEN)/.test(code) && syscall !== "listen") {
    return new StartError(
      `Sightline may not write to ${where} (${code}).\nGive this user the right to, ${OTHER_FOLDER}`,
    );
  }
  if (/^(ENOTDIR|EEXIST|ENAMETOOLONG|ENOENT)$/.test(code)) {
    return new StartError(
      `${where} can't be a data folder (${code}).\nName a folder: npm start -- --data DIR`,
    );
  }
  if (/^(SQLITE_CORRUPT|SQLITE_NOTADB)/.test(code)) {
    return new StartError(
      `The database in ${dataDir} is damaged (${code}).\nPut a backup in its place (sightline.db.before-N beside it), ${OTHER_FOLDER}`,
    );
  }
  return null;
}
