import { useState } from "react";

/** What runs ahead, and what the URL said and is to say while it does. Keys stand for values in the URL. */
type Ahead<T> = { value: T; key: Key; asked: Key; written: readonly Key[] };

type Key = string | number;

/**
 * A value that has its home in the URL and runs ahead of it for a moment: browsers limit how often the URL is written,
 * and what was written takes its time. It runs ahead until the URL has caught up, or says what was not written here:
 * going back always wins.
 *
 * @param asked  The key of what the URL says now.
 */
export function useAhead<T>(asked: Key) {
  const [last, setAhead] = useState<Ahead<T> | null>(null);
  const ahead = last === null || last.asked === asked ? last : follow(last, asked);
  if (ahead !== last) setAhead(ahead);
  return {
    /** Null while the URL alone counts. */
    ahead: ahead?.key === asked ? null : ahead,
    run: (value: T, key: Key) => setAhead((now) => ({ value, key, asked, written: now?.written ?? [] })),
    /** Says that the URL is about to say this. */
    write: (key: Key) => setAhead((now) => now && { ...now, written: [...now.written, key] }),
  };
}

function follow<T>(ahead: Ahead<T>, asked: Key): Ahead<T> | null {
  const at = ahead.written.lastIndexOf(asked);
  if (at < 0 || ahead.key === asked) return null;
  return { ...ahead, asked, written: ahead.written.slice(at + 1) };
}
