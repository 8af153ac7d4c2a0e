import { randomBytes } from "node:crypto";
import type { ForkOrigin, RunSpec } from "@sightline/core/runs";
import { TRPCError } from "@trpc/server";
import type { Hosts } from "../hosts/service.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { ForkStore } from "./fork-store.ts";
import { checkStages, getKnownRun, refuseWatched } from "./guards.ts";
import type { KeeperParts } from "./keeper.ts";
import type { HostKeepers } from "./keepers.ts";
import type { LaunchRequest, SweepRequest } from "./service.ts";
import type { RunStore } from "./store.ts";
import { listCells } from "./sweeps.ts";
import type { WatchStore } from "./watch-store.ts";

const MOST_RUNS = 200;

/** The way from what a person asked for to runs that wait for their turn. */
export function createLaunches(parts: {
  hosts: Hosts;
  store: RunStore;
  watches: WatchStore;
  forks: ForkStore;
  checkpoints: Checkpoints;
  keepers: HostKeepers;
  inputs: KeeperParts["inputs"];
}) {
  const { hosts, store, watches, forks, checkpoints, keepers, inputs } = parts;
  const launching = new Map<string, Promise<{ run_id: string }>>();

  const launch = async (request: LaunchRequest): Promise<{ run_id: string }> => {
    const known = store.byLaunchKey(request.launch_key);
    if (known) return { run_id: known.run_id };
    checkStages(request.stages);
    await hosts.ensureUsable(request.host_id);
    const { launch_key, host_id, max_retries = 0, fork = null, ...rest } = request;
    const spec: RunSpec = { run_id: newRunId(), ...rest };
    if (fork !== null) spec.forked_from = originOf(fork, host_id);
    await inputs(spec, host_id);
    // Before the row, so that nothing is written of a fork whose checkpoint is gone, and none can be pruned meanwhile.
    if (fork !== null) {
      forks.add({ run_id: spec.run_id, host_id });
      await checkpoints.pin(host_id, spec);
    }
    const run = store.create({ spec, host_id, launch_key, max_retries });
    if (fork !== null) forks.remove(run.run_id);
    keepers.wakeQueue(host_id);
    return { run_id: run.run_id };
  };

  const originOf = (fork: NonNullable<LaunchRequest["fork"]>, host_id: string): ForkOrigin => {
    const parent = getKnownRun(store, fork.run_id);
    refuseWatched(watches, parent, "forked");
    if (parent.host_id !== host_id)
      throw new TRPCError({
        code: "BAD_REQUEST",
        message: `The checkpoints of ${parent.name} lie on another host; fork it there.`,
      });
    const { forked_from } = JSON.parse(parent.spec) as RunSpec;
    return { ...fork, root_seed: forked_from?.root_seed ?? parent.seed };
  };

  return {
    /** One run a key, however often and at once it is asked for. */
    launch(request: LaunchRequest): Promise<{ run_id: string }> {
      const begun = launching.get(request.launch_key);
      if (begun) return begun;
      const launched = launch(request).finally(() => launching.delete(request.launch_key));
      launching.set(request.launch_key, launched);
      return launched;
    },

    async launchSweep(request: SweepRequest): Promise<{ sweep_id: string }> {
      const known = store.sweepByKey(request.launch_key);
      if (known) return { sweep_id: known.sweep_id };
      const { launch_key, name, max_retries = 0, engine, preset, settings } = request;
      const cells = listCells(request);
      if (cells.length > MOST_RUNS)
        throw new TRPCError({
          code: "BAD_REQUEST",
          message: `${cells.length} runs are too many for one sweep; take at most ${MOST_RUNS}.`,
        });
      for (const { stages } of request.schedules) checkStages(stages);
      for (const host_id of new Set(request.host_ids)) await hosts.ensureUsable(host_id);
      const orders = cells.map(({ schedule, seed, host_id }) => {
        const run_name = `${name} · ${schedule.name} · seed ${seed}`;
        const { stages } = schedule;
        const spec = { run_id: newRunId(), name: run_name, engine, preset, seed, stages, settings };
        return { spec, host_id, max_retries, schedule: schedule.name };
      });
      const [first] = orders;
      if (first) await inputs(first.spec, first.host_id);
      const sweep_id = store.createSweep({ sweep_id: newRunId(), launch_key, name }, orders);
      for (const host_id of new Set(request.host_ids)) keepers.wakeQueue(host_id);
      return { sweep_id };
    },
  };
}

/** Sortable by time, unguessable, and safe as a folder name and a job name. */
function newRunId(): string {
  const time = Math.floor(Date.now() / 1000).toString(36);
  return `r${time}${randomBytes(4).toString("hex")}`;
}
