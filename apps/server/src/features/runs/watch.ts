import { setTimeout as sleep } from "node:timers/promises";
import { isEndState, type RunSpec } from "@sightline/core/runs";
import { TRPCError } from "@trpc/server";
import type { Logger } from "pino";
import { HostRefusedError, UnreachableError } from "../../executors/executor.ts";
import type { Hosts } from "../hosts/service.ts";
import { Spec } from "./adopt.ts";
import type { RunStore } from "./store.ts";
import type { WatchStore } from "./watch-store.ts";

const LOOK_MS = 10_000;

type Parts = {
  hosts: Hosts;
  store: RunStore;
  watches: WatchStore;
  /** Has the host's attempts looked at and read. */
  wake(host_id: string): void;
};

/**
 * Takes in a run directory that somebody else made, wherever it lies on the host: its lines are read like those of any
 * run, and nothing is ever written to it.
 *
 * @throws TRPCError with what is in the way: no run there, an id that is taken, a host that is away.
 */
export async function watchRun(
  { hosts, store, watches, wake }: Parts,
  { host_id, directory }: { host_id: string; directory: string },
  signal: AbortSignal,
): Promise<{ run_id: string }> {
  const executor = hosts.executor(host_id);
  const found = await answered(() => executor.inspect(directory, signal));
  const read = Spec.safeParse(found.spec);
  if (!read.success || read.data.run_id !== found.run_id)
    throw new TRPCError({
      code: "BAD_REQUEST",
      message: `${found.directory} holds a run that this Sightline can't read: its spec.json is of another kind.`,
    });
  const { run_id } = found;
  const run = store.get(run_id);
  const watched = watches.get(run_id);
  if (watched?.host_id === host_id && watched.directory === found.directory && run) return { run_id };
  if (run)
    throw new TRPCError({
      code: "CONFLICT",
      message: `The run there is known already, as ${run.name}. Open it in the list of runs.`,
    });
  if (!watched) watches.add({ run_id, host_id, directory: found.directory });
  store.adopt(read.data as RunSpec, host_id);
  takeIn(store, run_id, found.attempts);
  hosts.note(host_id, "watching", `${read.data.name} is watched, in ${found.directory}.`);
  wake(host_id);
  return { run_id };
}

/** Notices attempts that whoever started a watched run has added, for as long as `signal` lasts. */
export async function followWatched(
  { hosts, store, watches, wake, log }: Parts & { log: Logger },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined);
    for (const { run_id, host_id, directory } of watches.list()) {
      const run = store.get(run_id);
      // One that goes on is looked at by its host's keeper; one that is done gets no further attempt.
      if (
        signal.aborted ||
        !run ||
        run.trashed_secs !== null ||
        !isEndState(run.state) ||
        run.state === "done"
      )
        continue;
      try {
        const { attempts } = await hosts.executor(host_id).inspect(directory, signal);
        if (takeIn(store, run_id, attempts)) wake(host_id);
      } catch (error) {
        const isExpected = error instanceof UnreachableError || error instanceof HostRefusedError;
        if (!isExpected && !signal.aborted)
          log.error({ err: error, run_id }, "looking at a watched run failed");
      }
    }
  }
}

/** @returns True when an attempt was new. */
function takeIn(store: RunStore, run_id: string, attempts: readonly { attempt: number }[]): boolean {
  const known = new Map(store.attempts(run_id).map((row) => [row.attempt, row]));
  let isNew = false;
  for (const { attempt } of attempts) {
    if (known.has(attempt) && known.get(attempt)?.phase !== "launching") continue;
    store.addAttempt(run_id, attempt);
    store.changeAttempt({ run_id, attempt }, { phase: "live" });
    isNew = true;
  }
  return isNew;
}

/** What a host said, with its refusal and its silence as answers for a person. */
export async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof HostRefusedError)
      throw new TRPCError({ code: "BAD_REQUEST", message: error.message });
    if (!(error instanceof UnreachableError)) throw error;
    throw new TRPCError({
      code: "PRECONDITION_FAILED",
      message: `The host does not answer: ${error.message} Try again when it is back.`,
    });
  }
}
