/** Characters that stay of a long run, half of them at each end: more than any text needs to be read. */
const LONGEST_RUN = 40;

/**
 * Shortens long runs of blanks and of the marks `*`, `_`, `#`, such as a model writes that has lost its way.
 *
 * A pattern that tries every place of such a run takes time with the square of its length, or worse.
 */
export function shortenRuns(text: string): string {
  const half = LONGEST_RUN / 2;
  return text.replace(/[\s*_#]{41,}/g, (run) => run.slice(0, half) + run.slice(-half));
}
