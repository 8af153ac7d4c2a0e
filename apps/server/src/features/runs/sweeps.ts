import type { HostPace, RunSpec, SweepDetail } from "@sightline/core/runs";
import type { RunRecord } from "./schema.ts";
import type { SweepRequest } from "./service.ts";
import type { RunStore } from "./store.ts";

/** One run of a sweep: which schedule, which seed, where. */
export type SweepCell = { schedule: SweepRequest["schedules"][number]; seed: number; host_id: string };

/** Every schedule with every seed; on every host, or each once on the hosts in turn. */
export function listCells({ schedules, seeds, host_ids, is_spread }: SweepRequest): SweepCell[] {
  const pairs = schedules.flatMap((schedule) => seeds.map((seed) => ({ schedule, seed })));
  if (!is_spread) return pairs.flatMap((pair) => host_ids.map((host_id) => ({ ...pair, host_id })));
  return pairs.map((pair, index) => ({ ...pair, host_id: host_ids[index % host_ids.length] ?? "" }));
}

/** The grid of a sweep from its runs, which stand in the order in which they were written. */
export function describeSweep(
  sweep: { sweep_id: string; name: string; created_secs: number },
  runs: readonly RunRecord[],
): SweepDetail {
  return {
    sweep_id: sweep.sweep_id,
    name: sweep.name,
    created_secs: sweep.created_secs,
    schedules: [...new Set(runs.map((run) => run.sweep_schedule ?? ""))],
    seeds: [...new Set(runs.map((run) => run.seed))].sort((a, b) => a - b),
    host_ids: [...new Set(runs.map((run) => run.host_id))],
    run_ids: runs.map((run) => run.run_id),
  };
}

/** How long a step of the preset has taken on a host, from its last attempts there. */
export function findPace(store: RunStore, preset: string, host_id: string): HostPace {
  const known = store.paces(preset, host_id).map(({ secs, steps, spec }) => {
    const { settings } = JSON.parse(spec) as RunSpec;
    const samples = Number(settings.prompts_per_step ?? 0) * Number(settings.group_size ?? 0);
    return { secs: secs / steps, samples };
  });
  const samples = known[0]?.samples ?? 0;
  const alike = known.filter((one) => one.samples === samples).map(({ secs }) => secs);
  alike.sort((a, b) => a - b);
  return {
    host_id,
    secs_per_step: alike[Math.floor(alike.length / 2)] ?? null,
    samples_per_step: samples,
    attempts: alike.length,
  };
}
