import { planRetry, type RunSpec } from "@sightline/core/runs";
import type { Logger } from "pino";
import type { QueueStore } from "./queue-store.ts";
import { readOverrides } from "./schema.ts";
import type { RunStore } from "./store.ts";

/** Lets a run that has just failed go on by itself where its class of failure and its settings allow it. */
export function retryRun(
  { store, queue, log }: { store: RunStore; queue: QueueStore; log: Logger },
  run_id: string,
): void {
  const run = store.get(run_id);
  if (!run || run.stop_requested_secs !== null || run.recorded) return;
  const attempts = store
    .attempts(run_id)
    .map((attempt) => ({ ...attempt, overrides: readOverrides(attempt.overrides) }));
  const { settings } = JSON.parse(run.spec) as RunSpec;
  const plan = planRetry(attempts, settings, run.max_retries);
  if (plan === null) return;
  const { why, overrides, delay_secs } = plan;
  queue.enqueueRetry(run, { cause: "retry", why, overrides }, Date.now() / 1000 + delay_secs);
  log.info({ run_id, why }, "a run goes on by itself");
}
