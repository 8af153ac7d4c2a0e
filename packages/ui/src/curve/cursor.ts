/** Where the pointer is on the x axis; one for all charts of a page. Hover only: nothing is kept here. */
export type Cursor = {
  /** The x under the pointer, or null. */
  get(): number | null;
  set(x: number | null): void;
  subscribe(listener: () => void): () => void;
};

/** Makes a cursor for charts to share. */
export function createCursor(): Cursor {
  let x: number | null = null;
  const listeners = new Set<() => void>();
  return {
    get: () => x,
    set(next) {
      if (next === x) return;
      x = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
