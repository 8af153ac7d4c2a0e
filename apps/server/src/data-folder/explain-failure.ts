/** True when something could not be written because the disk has no room left. */
export function isDiskFull(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (/^(ENOSPC|EDQUOT|SQLITE_FULL)/.test((at as NodeJS.ErrnoException).code ?? "")) return true;
  }
  return false;
}

/**
 * What went wrong, in words for the person who asked for it: a disk without room is named with a way out, whoever hit
 * it first; any other error speaks for itself.
 */
export function explainFailure(error: unknown): string {
  if (isDiskFull(error)) {
    return "There is no room left on the disk, so this was not saved. Free some, then do it again.";
  }
  return error instanceof Error ? error.message : String(error);
}
