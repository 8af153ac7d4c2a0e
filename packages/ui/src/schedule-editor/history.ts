/** A value with what it was before, for undo and redo. */
export type History<T> = { past: readonly T[]; now: T; future: readonly T[] };

const DEEPEST = 200;

export function startHistory<T>(now: T): History<T> {
  return { past: [], now, future: [] };
}

/**
 * Notes a new value.
 *
 * @param isSameGesture  True while one drag goes on: it is undone in one step.
 */
export function note<T>(history: History<T>, value: T, isSameGesture = false): History<T> {
  if (isSameGesture) return { ...history, now: value, future: [] };
  return { past: [...history.past, history.now].slice(-DEEPEST), now: value, future: [] };
}

export function undo<T>(history: History<T>): History<T> {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  return { past: history.past.slice(0, -1), now: before, future: [history.now, ...history.future] };
}

export function redo<T>(history: History<T>): History<T> {
  const [after, ...rest] = history.future;
  if (after === undefined) return history;
  return { past: [...history.past, history.now], now: after, future: rest };
}
