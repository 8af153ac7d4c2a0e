import type { RunSummary } from "@sightline/core/runs";
import { isLive } from "../run-state.ts";

export const GROUPS = ["all", "live", "ended", "troubled"] as const;
/** Which runs a list shows. */
export type RunGroup = (typeof GROUPS)[number];

const TROUBLED = new Set(["failed", "lost", "interrupted", "stalled", "orphaned", "unreachable"]);

/** True when a run belongs to a group. */
export function isInGroup({ state }: RunSummary, group: RunGroup): boolean {
  if (group === "live") return isLive(state);
  if (group === "ended") return !isLive(state);
  return group === "all" || TROUBLED.has(state);
}

/** The runs of a group in whose name, preset, stage, host, state or seed every word is found. */
export function filterRuns(
  runs: readonly RunSummary[],
  group: RunGroup,
  query: string,
  nameHost: (host_id: string) => string,
): RunSummary[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return runs.filter((run) => {
    if (!isInGroup(run, group)) return false;
    const text = [
      run.name,
      run.preset,
      run.stage ?? "",
      nameHost(run.host_id),
      run.state,
      `seed ${run.seed}`,
      run.simulated ? "simulated" : "",
      run.recorded ? "recorded" : "",
    ]
      .join(" ")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
