import { setTimeout as sleep } from "node:timers/promises";

/** Asks again and again until there is an answer; the test's own limit ends it. */
export async function waitFor<T>(ask: () => T | Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await ask();
    if (isDone(value)) return value;
    await sleep(50);
  }
}
