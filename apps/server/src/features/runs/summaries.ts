import { isEndState, type RunSummary } from "@sightline/core/runs";
import type { HostKeepers } from "./keepers.ts";
import { describeQueues } from "./queue.ts";
import type { QueueStore } from "./queue-store.ts";
import type { RunRecord } from "./schema.ts";
import type { RunStore } from "./store.ts";
import type { WatchStore } from "./watch-store.ts";

/** Runs as they stand in a list, in the order of their rows. */
export function summarise(
  parts: { store: RunStore; queue: QueueStore; watches: WatchStore; keepers: HostKeepers },
  records: readonly RunRecord[],
): RunSummary[] {
  const { store, queue, watches, keepers } = parts;
  const counts = store.attemptCounts();
  const sweepNames = store.sweepNames();
  const places = describeQueues(
    { queue, silentSince: keepers.silentSince },
    records.filter((run) => run.queue_place !== null).map((run) => run.host_id),
  );
  return records.map((run) => ({
    run_id: run.run_id,
    name: run.name,
    engine: run.engine,
    preset: run.preset,
    seed: run.seed,
    state: run.state,
    problem: run.problem,
    host_id: run.host_id,
    attempts: counts.get(run.run_id) ?? 0,
    step: run.step,
    max_steps: run.max_steps,
    stage: run.stage,
    steps_per_sec: isEndState(run.state) ? null : keepers.pace(run.run_id),
    created_secs: run.created_secs,
    ended_secs: run.ended_secs,
    trashed_secs: run.trashed_secs,
    simulated: run.simulated,
    recorded: run.recorded,
    watched: watches.get(run.run_id) !== null,
    queue: places.get(run.run_id) ?? null,
    max_retries: run.max_retries,
    sweep:
      run.sweep_id === null
        ? null
        : {
            sweep_id: run.sweep_id,
            name: sweepNames.get(run.sweep_id) ?? "",
            schedule: run.sweep_schedule ?? "",
          },
    forked_from:
      run.forked_from_run_id === null
        ? null
        : { run_id: run.forked_from_run_id, step: run.forked_from_step ?? 0 },
  }));
}
