import type { HostQueue, QueuePlace } from "@sightline/core/runs";
import { hasRoom, isResting, type QueueStore } from "./queue-store.ts";
import type { RunRecord } from "./schema.ts";

/** What the queue of a host is held up by, besides its own order. */
export type QueueView = {
  queue: QueueStore;
  /** Since when a host has not answered, by `performance.now()`; null while it does. */
  silentSince(host_id: string): number | null;
};

/** Where each of the waiting runs stands, and why it waits. */
export function describeQueues(view: QueueView, host_ids: Iterable<string>): Map<string, QueuePlace> {
  const places = new Map<string, QueuePlace>();
  for (const host_id of new Set(host_ids)) {
    const taken = view.queue.running(host_id);
    const limit = view.queue.limit(host_id);
    const silent_since = view.silentSince(host_id);
    view.queue.waiting(host_id).forEach((run, index) => {
      places.set(run.run_id, {
        position: index + 1,
        why: explain(run, { index, taken, limit, silent_since }),
        not_before_secs: run.queue_not_before_secs,
      });
    });
  }
  return places;
}

function explain(
  run: RunRecord,
  around: {
    index: number;
    taken: readonly Pick<RunRecord, "name" | "engine">[];
    limit: number | null;
    silent_since: number | null;
  },
): string {
  const { index, taken, limit, silent_since } = around;
  if (silent_since !== null)
    return "The host does not answer. The queue is kept, and goes on when the host is back.";
  if (isResting(run)) return "It failed and goes on by itself after a short wait.";
  if (!hasRoom(run.engine, taken, limit)) {
    const holders = limit === null ? taken.filter(({ engine }) => engine !== "simulator") : taken;
    const [first] = holders;
    const most = limit ?? 1;
    const others = holders.length > 1 ? ` and ${holders.length - 1} more` : "";
    const who = index === 0 ? ` It is next, after ${first?.name ?? "the run that goes on"}${others}.` : "";
    return `The host takes ${most === 1 ? "one run" : `${most} runs`} at a time.${who}`;
  }
  return "It starts in a moment.";
}

/** The queues of some hosts, as they are shown and moved. */
export function listQueues(queue: QueueStore, host_ids: readonly string[]): HostQueue[] {
  return host_ids.map((host_id) => ({
    host_id,
    runs_at_once: queue.limit(host_id),
    running: queue.running(host_id).map(({ run_id }) => run_id),
    waiting: queue.waiting(host_id).map(({ run_id }) => run_id),
  }));
}
