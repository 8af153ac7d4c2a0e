import type { Executor } from "../../executors/executor.ts";
import { createHostKeeper, type HostKeeper, type KeeperParts } from "./keeper.ts";
import type { QueueStore } from "./queue-store.ts";
import { retryRun } from "./retries.ts";

const PACE_SECS = 60;

/** The keepers of all hosts: each is made when its host first has something to look after. */
export type HostKeepers = ReturnType<typeof createHostKeepers>;

export function createHostKeepers(
  parts: Pick<KeeperParts, "store" | "lines" | "ingest" | "hub" | "log" | "inputs"> & {
    queue: QueueStore;
    executor(host_id: string): Executor;
  },
) {
  const { queue, executor, ...rest } = parts;
  const keepers = new Map<string, HostKeeper>();
  const paces = new Map<string, { step: number; time_secs: number }[]>();

  const of = (host_id: string): HostKeeper => {
    let keeper = keepers.get(host_id);
    if (!keeper) {
      keeper = createHostKeeper({
        ...rest,
        host_id,
        executor: () => executor(host_id),
        queue: {
          isEmpty: () => queue.waiting(host_id).length === 0,
          admit: () => admit(host_id),
        },
        onEnd: (run_id) => retryRun(parts, run_id),
        onProgress(run_id, progress) {
          const pace = (paces.get(run_id) ?? []).filter(
            ({ step, time_secs }) =>
              Math.abs(progress.time_secs - time_secs) < PACE_SECS && step < progress.step,
          );
          paces.set(run_id, [...pace, progress]);
        },
      });
      keepers.set(host_id, keeper);
    }
    return keeper;
  };

  const admit = (host_id: string) => {
    if (queue.admit(host_id).length > 0) parts.hub.changed("");
  };

  return {
    of,

    /** Starts what may start at once, and has the rest looked after. */
    wakeQueue(host_id: string): void {
      const keeper = of(host_id);
      if (keeper.silentSince() === null) admit(host_id);
      keeper.wake();
      parts.hub.changed("");
    },

    /** Since when a host has not answered, by `performance.now()`; null while it does. */
    silentSince: (host_id: string): number | null => keepers.get(host_id)?.silentSince() ?? null,

    /** Steps a second over the last minute; null until two steps were seen. */
    pace(run_id: string): number | null {
      const points = paces.get(run_id);
      const first = points?.[0];
      const last = points?.at(-1);
      if (!first || !last || last.step - first.step < 2 || last.time_secs <= first.time_secs) return null;
      return (last.step - first.step) / (last.time_secs - first.time_secs);
    },

    async close(): Promise<void> {
      await Promise.all([...keepers.values()].map((keeper) => keeper.close()));
    },
  };
}
