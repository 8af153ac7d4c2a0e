import { isEndState } from "@sightline/core/runs";
import { TRPCError } from "@trpc/server";
import { UnreachableError } from "../../executors/executor.ts";
import type { Hosts } from "../hosts/service.ts";
import { getKnownRun, getKnownSweep, refuseWatched, resumeHint } from "./guards.ts";
import type { RunHub } from "./hub.ts";
import type { HostKeepers } from "./keepers.ts";
import type { QueueStore } from "./queue-store.ts";
import type { RunStore } from "./store.ts";
import type { WatchStore } from "./watch-store.ts";

const ASK_MS = 15_000;

/** Stopping, saving and resuming: of one run, and of all runs of a sweep. */
export function createControls(parts: {
  hosts: Hosts;
  store: RunStore;
  queue: QueueStore;
  watches: WatchStore;
  hub: RunHub;
  keepers: HostKeepers;
}) {
  const { hosts, store, queue, watches, hub, keepers } = parts;

  const found = (run_id: string, what: string) => {
    const run = getKnownRun(store, run_id);
    refuseWatched(watches, run, what);
    return run;
  };

  /** Asks a run that has a process to end; what waits or has ended stays as it is. */
  const stopRunning = (run_id: string) => {
    const run = getKnownRun(store, run_id);
    if (isEndState(run.state) || run.queue_place !== null) return;
    store.ask(run_id, { stop_requested_secs: Date.now() / 1000, state: "stopping" });
    hub.changed(run_id);
    keepers.of(run.host_id).wake();
  };

  return {
    async stop(run_id: string): Promise<void> {
      const run = found(run_id, "stopped");
      if (isEndState(run.state)) return;
      if (queue.cancel(run_id)) keepers.wakeQueue(run.host_id);
      else stopRunning(run_id);
    },

    async checkpoint(run_id: string): Promise<void> {
      const run = found(run_id, "asked for a checkpoint");
      const newest = store.newestAttempt(run_id);
      if (newest?.phase !== "live")
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: `${run.name} is not training, so there is nothing to save.`,
        });
      try {
        const wait = AbortSignal.timeout(ASK_MS);
        await hosts.executor(run.host_id).control(newest, "checkpoint", wait);
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: `${run.name} can't be asked for a checkpoint now: ${error.message} Ask again when the host answers.`,
        });
      }
    },

    async resume(run_id: string): Promise<{ attempt: number }> {
      const run = found(run_id, "resumed");
      const newest = store.newestAttempt(run_id);
      if (newest && newest.phase !== "ended" && newest.attempt > 1) return { attempt: newest.attempt };
      if (run.queue_place !== null) return { attempt: (newest?.attempt ?? 0) + 1 };
      const hint = resumeHint(watches, run);
      if (hint !== null)
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: `${run.name} can't be resumed: ${hint}`,
        });
      await hosts.ensureUsable(run.host_id);
      // Asked once more: while the host was looked at, another tab may have resumed it.
      if (isEndState(getKnownRun(store, run_id).state)) queue.enqueue(run);
      keepers.wakeQueue(run.host_id);
      return { attempt: (newest?.attempt ?? 0) + 1 };
    },

    async stopSweep(sweep_id: string): Promise<void> {
      getKnownSweep(store, sweep_id);
      const runs = store.ofSweep(sweep_id).filter((run) => !isEndState(run.state));
      // Those that wait first, so that none takes the place of one that is stopped.
      for (const run of runs) queue.cancel(run.run_id);
      for (const run of runs) stopRunning(run.run_id);
      for (const host_id of new Set(runs.map((run) => run.host_id))) keepers.wakeQueue(host_id);
    },

    async resumeSweep(sweep_id: string): Promise<{ resumed: number }> {
      getKnownSweep(store, sweep_id);
      const runs = store.ofSweep(sweep_id).filter((run) => resumeHint(watches, run) === null);
      for (const run of runs) queue.enqueue(run);
      for (const host_id of new Set(runs.map((run) => run.host_id))) keepers.wakeQueue(host_id);
      return { resumed: runs.length };
    },
  };
}
