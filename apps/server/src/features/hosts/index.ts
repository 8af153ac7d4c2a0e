import { join } from "node:path";
import type { HostFacts, HostSummary } from "@sightline/core/runs";
import { TRPCError } from "@trpc/server";
import type { Db } from "../../db/open.ts";
import type { Executor } from "../../executors/executor.ts";
import { createLocalExecutor, NoPythonError } from "../../executors/local.ts";
import type { Hosts } from "./service.ts";
import { createHostStore, type HostRecord } from "./store.ts";

const FRESH_MS = 10_000;
const DOCTOR_MS = 15_000;

type Known = {
  state: HostSummary["state"];
  problem: string | null;
  since_secs: number;
  facts: HostFacts | null;
  looked: number;
};

/** Makes the hosts of an app: this machine; more are attached by later executors. */
export function createHosts(parts: {
  db: Db;
  dataDir: string;
  /** Replaces how this machine is reached, for tests. */
  local?: (root: string) => Executor;
}): Hosts {
  const root = join(parts.dataDir, "runs");
  const store = createHostStore(parts.db);
  store.saveLocal(root);
  const executors = new Map<string, Executor>();
  const known = new Map<string, Known>();
  const looking = new Map<string, Promise<Known>>();

  const executor = (host_id: string): Executor => {
    let way = executors.get(host_id);
    if (!way) {
      const host = store.list().find((at) => at.host_id === host_id);
      if (host?.executor !== "local")
        throw new TRPCError({ code: "NOT_FOUND", message: `There is no host ${host_id} that takes runs.` });
      way = parts.local ? parts.local(root) : createLocalExecutor({ root });
      executors.set(host_id, way);
    }
    return way;
  };

  const look = async (host_id: string): Promise<Known> => {
    const before = known.get(host_id);
    const { state, problem, facts } = await diagnose(executor(host_id), before?.facts ?? null);
    const now = {
      state,
      problem,
      facts,
      since_secs: before?.state === state ? before.since_secs : Date.now() / 1000,
      looked: Date.now(),
    };
    known.set(host_id, now);
    return now;
  };

  const lookOnce = (host_id: string): Promise<Known> => {
    const running =
      looking.get(host_id) ??
      look(host_id).finally(() => {
        looking.delete(host_id);
      });
    looking.set(host_id, running);
    return running;
  };

  return {
    ids: () => store.list().map(({ host_id }) => host_id),
    executor,

    list: () =>
      Promise.all(
        store.list().map(async ({ host_id, name, executor: kind }: HostRecord) => {
          const last = known.get(host_id);
          const isFresh = last !== undefined && Date.now() - last.looked < FRESH_MS;
          const { state, problem, since_secs, facts } = isFresh ? last : await lookOnce(host_id);
          return { host_id, name, executor: kind, state, problem, since_secs, facts };
        }),
      ),

    async ensureUsable(host_id) {
      executor(host_id);
      const last = known.get(host_id);
      if (last?.state === "ready") return;
      const { state, problem } = await lookOnce(host_id);
      if (state === "unusable")
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: `Nothing was started. ${problem ?? ""}`.trim(),
        });
    },

    async close() {
      await Promise.all([...executors.values()].map((way) => way.close()));
    },
  };
}

async function diagnose(
  executor: Executor,
  before: HostFacts | null,
): Promise<{ state: HostSummary["state"]; problem: string | null; facts: HostFacts | null }> {
  try {
    const facts = await executor.doctor(AbortSignal.timeout(DOCTOR_MS));
    return { state: "ready", problem: null, facts };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof NoPythonError) return { state: "unusable", problem: message, facts: before };
    return { state: "unreachable", problem: `It does not answer: ${message}`, facts: before };
  }
}
