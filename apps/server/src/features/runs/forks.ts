import type { Logger } from "pino";
import { UnreachableError } from "../../executors/executor.ts";
import type { Hosts } from "../hosts/service.ts";
import type { ForkPlan, ForkStore } from "./fork-store.ts";
import type { RunStore } from "./store.ts";

/**
 * Deletes what a fork took over on its host when the server died before the run was written. A host that is away is
 * asked again at the next start.
 *
 * @param parts.plans  Those of an earlier life of the server: none of them is being launched now.
 */
export async function clearForks(parts: {
  plans: readonly ForkPlan[];
  forks: ForkStore;
  store: RunStore;
  hosts: Hosts;
  log: Logger;
  signal: AbortSignal;
}): Promise<void> {
  const { plans, forks, store, hosts, log, signal } = parts;
  for (const { run_id, host_id } of plans) {
    try {
      if (!store.get(run_id)) await hosts.executor(host_id).discard(run_id, signal);
      if (signal.aborted) return;
      forks.remove(run_id);
    } catch (error) {
      if (!(error instanceof UnreachableError) && !signal.aborted)
        log.error({ err: error, run_id, host_id }, "deleting what an unwritten fork left failed");
    }
  }
}
