import { mapBetween, type OverlayLine, type RunSummary, X_METRICS, type XMap } from "@sightline/core/runs";
import { toNumber } from "@sightline/core/wire";
import type { CurveSeries } from "@sightline/ui/curve";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { trpc } from "../../../app/clients.ts";
import { isLive } from "../run-state.ts";

/** So many other runs are told apart by colour and read out; further ones are drawn thin and grey. */
export const MOST_NAMED = 8;
const POINTS = 80;
const LIVE_MS = 5000;
const DASHES = ["solid", "dashed", "dotted"] as const;

/**
 * The same metrics of other runs, as lines over this run's axis. A run that did not log what the axis counts has none.
 *
 * @param runs  Which, in the order of their colours.
 * @param isSeen  Nothing is asked for while the chart is out of sight.
 */
export function useOverlay(
  runs: readonly RunSummary[],
  names: readonly string[],
  kind: XMap["kind"],
  isSeen: boolean,
): CurveSeries[] {
  const clock = kind === "step" || kind === "stage" ? null : X_METRICS[kind];
  const asked = useQuery({
    ...trpc.runs.overlay.queryOptions({
      run_ids: runs.map(({ run_id }) => run_id),
      names: clock === null ? [...names] : [...names, clock],
      points: POINTS,
    }),
    enabled: isSeen && runs.length > 0 && names.length > 0 && kind !== "stage",
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: runs.some(({ state }) => isLive(state)) ? LIVE_MS : false,
    structuralSharing: false,
  }).data;
  return useMemo(() => (asked ? drawOverlay(asked, runs, names, kind) : []), [asked, runs, names, kind]);
}

/** Lines as the server gave them, coloured by run and dashed by metric. Pure. */
export function drawOverlay(
  lines: readonly OverlayLine[],
  runs: readonly Pick<RunSummary, "run_id" | "name">[],
  names: readonly string[],
  kind: XMap["kind"],
): CurveSeries[] {
  const clock = kind === "step" || kind === "stage" ? null : X_METRICS[kind];
  return runs.flatMap(({ run_id, name: label }, k) => {
    const own = lines.filter((line) => line.run_id === run_id);
    const places = own.find((line) => line.name === clock);
    const map =
      clock === null || kind === "step" || kind === "stage"
        ? null
        : mapBetween(kind, places?.steps ?? [], places?.values.map(toNumber) ?? []);
    if (clock !== null && map === null) return [];
    return names.flatMap((name, n): CurveSeries[] => {
      const found = own.filter((line) => line.name === name);
      if (found.length === 0) return [];
      const steps = found.flatMap((line) => line.steps);
      return [
        {
          id: `${run_id} ${name}`,
          label: names.length > 1 ? `${label} · ${name.split("/").at(-2) ?? name}` : label,
          color: k < MOST_NAMED ? `series-${k}` : "ink-3",
          dash: DASHES[n % DASHES.length] ?? "solid",
          is_quiet: k >= MOST_NAMED,
          x: Float64Array.from(map ? steps.map(map.toX) : steps),
          values: Float64Array.from(found.flatMap((line) => line.values.map(toNumber))),
        },
      ];
    });
  });
}
