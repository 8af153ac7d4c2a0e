import type { HostPace, HostSummary, StageSpec } from "@sightline/core/runs";
import { fitToEpochs, SCHEDULE_PRESETS, totalEpochs } from "@sightline/core/schedules";
import { type Check, type Draft, getPlan } from "./preflight.ts";

/** What is asked for several times over. */
export type SweepWish = {
  /** As a person types it: "1, 2, 5-8". */
  seeds: string;
  /** Names of schedule presets; DRAWN for the one in the editor. */
  schedules: string[];
  host_ids: string[];
  /** Each once, on the hosts in turn; otherwise on every host. */
  is_spread: boolean;
};

/** The schedule that the editor shows. */
export const DRAWN = "drawn";
export const MOST_RUNS = 200;
const MOST_SEEDS = 50;
const MOST_SEED = 2 ** 31 - 1;

export const NEW_SWEEP: SweepWish = { seeds: "1-3", schedules: [DRAWN], host_ids: [], is_spread: true };

/** Reads seeds and ranges of seeds; null where a word is none. Doubles count once. */
export function parseSeeds(text: string): number[] | null {
  const seeds = new Set<number>();
  for (const word of text.split(/[,\s]+/).filter((one) => one !== "")) {
    const match = /^(\d{1,10})(?:[-–](\d{1,10}))?$/.exec(word);
    if (!match) return null;
    const first = Number(match[1]);
    const last = Number(match[2] ?? first);
    if (last < first || last > MOST_SEED || last - first >= MOST_SEEDS) return null;
    for (let seed = first; seed <= last; seed++) seeds.add(seed);
  }
  return [...seeds];
}

/** The schedules of a sweep by name, all as long as the one in the editor, so that they can be compared. */
export function listSchedules(draft: Draft, sweep: SweepWish): { name: string; stages: StageSpec[] }[] {
  const epochs = totalEpochs(draft.stages);
  return sweep.schedules.flatMap((wanted) => {
    if (wanted === DRAWN) return [{ name: "as drawn", stages: [...draft.stages] }];
    const preset = SCHEDULE_PRESETS.find(({ schedule }) => schedule === wanted);
    return preset && epochs > 0
      ? [{ name: nameSchedule(preset.title), stages: fitToEpochs(preset.stages, epochs) }]
      : [];
  });
}

/** A preset's title as a row of the grid has it. */
export function nameSchedule(title: string): string {
  return title.replace(/^Control: /, "").replace(/,? as in the /, ", ");
}

/** Runs that the sweep comes to. */
export function countRuns({ seeds, schedules, host_ids, is_spread }: SweepWish): number {
  return schedules.length * (parseSeeds(seeds)?.length ?? 0) * (is_spread ? 1 : host_ids.length);
}

/** What the sweep costs, by the pace of past runs; hours in which a run holds a GPU, or the whole of a host without. */
export type Estimate = {
  gpu_hours: number;
  cpu_hours: number;
  /** Hosts by name of which nobody can say. */
  unknown: string[];
};

/** Counts hours over the hosts. A simulation's pace is in its settings, and it takes no GPU. */
export function estimate(
  draft: Draft,
  sweep: SweepWish,
  around: { hosts: readonly HostSummary[]; paces: readonly HostPace[]; questions: number | null },
): Estimate {
  const total: Estimate = { gpu_hours: 0, cpu_hours: 0, unknown: [] };
  const runs = parseSeeds(sweep.seeds)?.length ?? 0;
  const plans = listSchedules(draft, sweep).map(({ stages }) =>
    getPlan({ ...draft, stages }, around.questions),
  );
  const share = sweep.is_spread && sweep.host_ids.length > 0 ? 1 / sweep.host_ids.length : 1;
  for (const host_id of sweep.host_ids) {
    const host = around.hosts.find((one) => one.host_id === host_id);
    const pace = around.paces.find((one) => one.host_id === host_id);
    const secs = plans.map(({ steps, samples_per_step, secs: known }) => {
      if (draft.engine === "simulator") return known;
      if (!pace?.secs_per_step) return null;
      const scale = pace.samples_per_step > 0 ? samples_per_step / pace.samples_per_step : 1;
      return steps * pace.secs_per_step * scale;
    });
    if (secs.includes(null)) {
      total.unknown.push(host?.name ?? host_id);
      continue;
    }
    const hours = (secs.reduce<number>((sum, one) => sum + (one ?? 0), 0) * runs * share) / 3600;
    const gpus = draft.engine === "simulator" ? 0 : (host?.facts?.gpus.length ?? 0);
    if (gpus > 0) total.gpu_hours += hours * gpus;
    else total.cpu_hours += hours;
  }
  return total;
}

/** The estimate in words: hours that are known, and of what nobody can say. */
export function describeEstimate({ gpu_hours, cpu_hours, unknown }: Estimate): string {
  const parts = [
    gpu_hours > 0 ? `${formatHours(gpu_hours)} GPU-hours` : null,
    cpu_hours > 0 ? `${formatHours(cpu_hours)} CPU-hours` : null,
    unknown.length > 0 ? `unknown on ${unknown.join(", ")}: no past run of this preset there` : null,
  ].filter((part) => part !== null);
  return parts.join(", ") || "unknown";
}

function formatHours(hours: number): string {
  return hours >= 10 ? hours.toFixed(0) : hours >= 0.095 ? hours.toFixed(1) : hours.toFixed(2);
}

/** What stands in the way of a sweep, and what to look at: pure, as the checks of one run. */
export function checkSweep(draft: Draft, sweep: SweepWish, costs: Estimate): Check[] {
  const checks: Check[] = [];
  const say = (verdict: Check["verdict"], words: string) => checks.push({ id: "sweep", verdict, words });
  const seeds = parseSeeds(sweep.seeds);
  if (seeds === null) say("wrong", "The seeds are numbers and ranges of at most 50, for instance 1, 2, 5-8.");
  else if (seeds.length === 0) say("wrong", "The sweep has no seed.");
  if (sweep.schedules.length === 0) say("wrong", "The sweep has no schedule.");
  if (sweep.host_ids.length === 0) say("wrong", "The sweep has no host.");
  const runs = countRuns(sweep);
  if (runs > MOST_RUNS) say("wrong", `${runs} runs are too many for one sweep; take at most ${MOST_RUNS}.`);
  else if (runs > 0)
    say(
      runs > 1 ? "odd" : "fine",
      `${runs} ${runs === 1 ? "run" : "runs"} in all: ${describeEstimate(costs)}. They wait for their turn on each host.`,
    );
  if (draft.name.trim() === "") say("wrong", "The sweep has no name.");
  return checks;
}
