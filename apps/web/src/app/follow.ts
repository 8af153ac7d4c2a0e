import type { QueryKey } from "@tanstack/react-query";
import type { Unsubscribable } from "@trpc/server/observable";
import { useEffect } from "react";
import { queryClient } from "./clients.ts";

/** A stream that a component leaves stays open this long, so that going from page to page does not reopen it. */
const LINGER_MS = 3000;

type Followed = { stream: Unsubscribable; users: number; timer: ReturnType<typeof setTimeout> | undefined };

const followed = new Map<string, Followed>();

/** Opens a stream, where it is not open, for a component that is still on its way: its code is being loaded. */
export function followSoon(name: string, start: () => Unsubscribable): Followed {
  const known = followed.get(name);
  if (known !== undefined) return known;
  const entry: Followed = { stream: start(), users: 0, timer: undefined };
  followed.set(name, entry);
  linger(name, entry);
  return entry;
}

function linger(name: string, entry: Followed): void {
  entry.timer = setTimeout(() => {
    followed.delete(name);
    entry.stream.unsubscribe();
  }, LINGER_MS);
}

/**
 * Keeps one live stream open for as long as any component looks at it.
 *
 * @param name  Equal names share one stream, so `start` must do the same for equal names.
 */
export function useFollow(name: string, start: () => Unsubscribable): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name stands for the stream.
  useEffect(() => {
    const entry = followSoon(name, start);
    clearTimeout(entry.timer);
    entry.users += 1;
    return () => {
      entry.users -= 1;
      if (entry.users === 0) linger(name, entry);
    };
  }, [name]);
}

/** Puts what a stream told in the place of a query's answer. One that is still on its way may be older, and is dropped. */
export async function putTold<T>(queryKey: QueryKey, told: T): Promise<void> {
  await queryClient.cancelQueries({ queryKey, exact: true });
  queryClient.setQueryData<T>(queryKey, told);
}

/**
 * Gathers what arrives and hands it on at most five times a second, so that a burst draws once.
 *
 * @param flush  Called with everything since the last call, never with nothing.
 */
export function gather<T>(flush: (items: T[]) => void): (items: readonly T[]) => void {
  let waiting: T[] = [];
  let isSet = false;
  let last = 0;
  const run = () => {
    isSet = false;
    last = performance.now();
    const items = waiting;
    waiting = [];
    flush(items);
  };
  return (items) => {
    if (items.length === 0) return;
    waiting.push(...items);
    if (isSet) return;
    isSet = true;
    setTimeout(run, Math.max(0, 200 - (performance.now() - last)));
  };
}
