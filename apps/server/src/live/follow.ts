import { setTimeout as sleep } from "node:timers/promises";

/** A wake-up call: `ring` wakes everyone who waits; a ring that nobody waited for is not kept. */
export type Bell = { ring(): void; wait(signal: AbortSignal): Promise<void> };

export function createBell(): Bell {
  const waiting = new Set<() => void>();
  return {
    ring() {
      for (const wake of [...waiting]) wake();
    },
    wait(signal) {
      return new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener("abort", wake, { once: true });
        if (signal.aborted) wake();
      });
    },
  };
}

const COALESCE_MS = 200;

/**
 * Yields what `read` returns, at once and again after every ring, at most five times a second.
 *
 * @param read  Undefined means that there is nothing new to say.
 */
export async function* follow<T>(
  bell: Pick<Bell, "wait">,
  signal: AbortSignal,
  read: () => T | undefined,
): AsyncGenerator<T> {
  while (!signal.aborted) {
    // Listening starts before reading, so that a change in between is not missed.
    const rung = bell.wait(signal);
    const value = read();
    if (value !== undefined) yield value;
    await rung;
    await sleep(COALESCE_MS, undefined, { signal }).catch(() => undefined);
  }
}
