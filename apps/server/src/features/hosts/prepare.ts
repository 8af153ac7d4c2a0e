import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Job } from "@sightline/core/clips";
import type { HostEnvironment } from "@sightline/core/hosts";
import { z } from "zod";
import { UnreachableError } from "../../executors/executor.ts";
import { TRAINER_DIR } from "../../executors/local.ts";
import type { SlctlExecutor } from "../../executors/slctl/index.ts";
import type { Jobs } from "../jobs/tray.ts";
import type { HostRecord, HostStore, PrepareOrder } from "./store.ts";

const LOOK_MS = 1000;
const ANSWER_MS = 30_000;

/** What slctl says of an environment on its host. */
const State = z.object({
  state: z.enum(["absent", "preparing", "ready", "failed"]),
  done: z.number(),
  total: z.number(),
  python: z.string().nullable(),
  versions: z.record(z.string(), z.union([z.string(), z.boolean()])).nullable(),
  problem: z.string().nullable(),
});

/** Preparations of attached hosts. The work is done on the host, by itself; a job here watches and can cancel it. */
export type Preparations = {
  start(host: HostRecord, order: PrepareOrder, is_repair: boolean): string;
  /** How a host stands, from what is written down here. */
  environment(host_id: string): HostEnvironment;
  /** Waits for what watches; the preparations go on. */
  forget(host_id: string): void;
};

export function createPreparations(parts: {
  store: HostStore;
  jobs: Jobs;
  executor(host_id: string): SlctlExecutor;
}): Preparations {
  const { store, jobs } = parts;
  const running = new Map<string, Job>();
  const problems = new Map<string, string>();

  const pins = () => ({
    requirements: readFileSync(join(TRAINER_DIR, "requirements.txt"), "utf8"),
    constraints: readFileSync(join(TRAINER_DIR, "constraints.txt"), "utf8"),
  });

  /** Asks until there is an answer: the host may be away for a while, and what is done there goes on. */
  const ask = async (host_id: string, op: string, fields: Record<string, unknown>, signal: AbortSignal) => {
    for (;;) {
      signal.throwIfAborted();
      try {
        const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
        const { environment } = await parts.executor(host_id).ask(op, fields, within);
        return State.parse(environment);
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        await setTimeout(LOOK_MS, undefined, { signal });
      }
    }
  };

  return {
    start({ host_id, name }, order, is_repair) {
      const known = running.get(host_id);
      if (known) return known.job_id;
      problems.delete(host_id);
      store.change(host_id, { preparing: JSON.stringify(order) });
      const about = { kind: "prepare", title: `Preparing ${name}`, clip_id: null } as const;
      const fields = { ...order, ...pins() };
      const { job, ended } = jobs.start(about, async ({ begin, progress, signal }) => {
        begin();
        let at = await ask(host_id, "prepare", { ...fields, is_repair }, signal);
        try {
          while (at.state === "preparing") {
            progress(at.done, at.total);
            await setTimeout(LOOK_MS, undefined, { signal });
            at = await ask(host_id, "environment", fields, signal);
          }
        } catch (error) {
          // A server that goes down leaves it going; a person who cancels ends it.
          if (signal.aborted && !jobs.isClosing)
            await parts
              .executor(host_id)
              .ask("cancel_prepare", fields, AbortSignal.timeout(ANSWER_MS))
              .catch(() => undefined);
          throw error;
        }
        if (at.state !== "ready" || at.python === null)
          throw new Error(at.problem ?? "The preparation ended without a word: prepare again.");
        const { python, versions } = at;
        store.change(host_id, {
          environment: JSON.stringify({ profile: order.profile, python, versions: versions ?? {} }),
        });
        progress(at.total, at.total);
      });
      running.set(host_id, job);
      void ended.then(({ state, problem }) => {
        running.delete(host_id);
        if (jobs.isClosing) return;
        if (problem !== null && state === "failed") problems.set(host_id, problem);
        store.change(host_id, { preparing: null });
      });
      return job.job_id;
    },

    environment(host_id) {
      const ready = store.environment(host_id);
      const job = running.get(host_id);
      return {
        state: job ? "preparing" : ready ? "ready" : "absent",
        profile: store.preparing(host_id)?.profile ?? ready?.profile ?? null,
        python: ready?.python ?? null,
        versions: ready?.versions ?? null,
        problem: problems.get(host_id) ?? null,
        job_id: job?.job_id ?? null,
      };
    },

    forget(host_id) {
      const job = running.get(host_id);
      if (job) jobs.cancel(job.job_id);
    },
  };
}
