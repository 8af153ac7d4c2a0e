/** What one of several streams said: a value, its end, or what broke it. */
export type Said<T> =
  | { id: number; kind: "value"; value: T }
  | { id: number; kind: "end" }
  | { id: number; kind: "error"; error: unknown };

/**
 * Yields what several streams say, in the order in which they say it, until all have ended. Each stream is asked for
 * its next value only when its last one has been taken, so a slow reader slows the streams instead of filling memory.
 */
export async function* mergeStreams<T>(
  streams: ReadonlyMap<number, AsyncIterable<T>>,
): AsyncGenerator<Said<T>> {
  const said: Said<T>[] = [];
  let wake = () => {};
  const say = (one: Said<T>) => {
    said.push(one);
    wake();
  };
  const iterators = new Map(
    [...streams].map(([id, stream]) => [id, stream[Symbol.asyncIterator]()] as const),
  );
  const ask = (id: number, iterator: AsyncIterator<T>) => {
    iterator.next().then(
      (result) =>
        say(result.done === true ? { id, kind: "end" } : { id, kind: "value", value: result.value }),
      (error: unknown) => say({ id, kind: "error", error }),
    );
  };

  for (const [id, iterator] of iterators) ask(id, iterator);
  try {
    while (iterators.size > 0) {
      const one = said.shift();
      if (one === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      yield one;
      const iterator = iterators.get(one.id);
      if (one.kind !== "value") iterators.delete(one.id);
      else if (iterator !== undefined) ask(one.id, iterator);
    }
  } finally {
    // A generator that waits inside `next` hears of this only when it goes on; its abort signal wakes it.
    for (const iterator of iterators.values()) void iterator.return?.();
  }
}
