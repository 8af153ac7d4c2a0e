import { ENGINES, type RunSpec } from "@sightline/core/runs";
import type { Logger } from "pino";
import { z } from "zod";
import { UnreachableError } from "../../executors/executor.ts";
import type { Hosts } from "../hosts/service.ts";
import type { RunStore } from "./store.ts";

/** A spec as a host holds it. */
export const Spec = z.object({
  run_id: z.string(),
  name: z.string().default("Unnamed"),
  engine: z.enum(ENGINES),
  preset: z.string().default(""),
  seed: z.number().default(0),
  stages: z.array(z.any()).default([]),
  settings: z.record(z.string(), z.any()).default({}),
  recorded: z.boolean().optional(),
  forked_from: z
    .object({
      run_id: z.string(),
      step: z.number(),
      keeps_optimiser: z.boolean(),
      root_seed: z.number(),
    })
    .optional(),
});

/**
 * Takes in run directories that a host holds and the database does not know: it was lost, or put back from a backup.
 * Their lines are then read from the first on.
 */
export async function adoptRuns(parts: {
  hosts: Hosts;
  store: RunStore;
  /** Has what is new on a host looked at and read, while the next one is asked. */
  wake(host_id: string): void;
  log: Logger;
  signal: AbortSignal;
}): Promise<void> {
  const { hosts, store, wake, log, signal } = parts;
  for (const host_id of hosts.ids()) {
    try {
      const runs = await hosts.executor(host_id).find(signal);
      if (signal.aborted) return;
      let isNew = false;
      for (const { run_id, spec, attempts } of runs) {
        const known = store.attempts(run_id).map(({ attempt }) => attempt);
        if (!store.get(run_id)) {
          const read = Spec.safeParse(spec);
          if (!read.success || read.data.run_id !== run_id || attempts.length === 0) continue;
          store.adopt(read.data as RunSpec, host_id);
          log.info({ run_id, host_id }, "found a run that the database did not know");
          isNew = true;
        }
        for (const { attempt } of attempts) {
          if (known.includes(attempt)) continue;
          store.addAttempt(run_id, attempt);
          store.changeAttempt({ run_id, attempt }, { phase: "live" });
          isNew = true;
        }
      }
      if (isNew) wake(host_id);
    } catch (error) {
      // A host that is away is asked again at the next start; what it runs goes on.
      if (!(error instanceof UnreachableError) && !signal.aborted)
        log.error({ err: error, host_id }, "looking for unknown runs failed");
    }
  }
}
