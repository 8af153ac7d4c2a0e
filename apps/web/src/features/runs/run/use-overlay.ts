import { type RunSummary, X_METRICS, type XMap } from "@sightline/core/runs";
import type { CurveSeries, Extent } from "@sightline/ui/curve";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { alone, trpc } from "../../../app/clients.ts";
import { isLive } from "../run-state.ts";
import { drawOverlay, MOST_NAMED } from "./overlay.ts";
import { getAskedWindow } from "./window.ts";

const POINTS = 80;
/** Of very many lines each has few pixels: as many points as are drawn. */
const QUIET_POINTS = 20;
const LIVE_MS = 5000;

/**
 * The same metrics of other runs, as lines over this run's axis. A run that did not log what the axis counts has none.
 *
 * @param runs  Which, in the order of their colours.
 * @param window  The zoomed stretch, in steps: lines come as fine as it needs.
 * @param isSeen  Nothing is asked for while the chart is out of sight.
 */
export function useOverlay(
  runs: readonly RunSummary[],
  names: readonly string[],
  kind: XMap["kind"],
  window: Extent | null,
  isSeen: boolean,
): CurveSeries[] {
  const clock = kind === "step" || kind === "stage" ? null : X_METRICS[kind];
  const asked = useQuery({
    ...trpc.runs.overlay.queryOptions(
      {
        run_ids: runs.map(({ run_id }) => run_id),
        names: clock === null ? [...names] : [...names, clock],
        points: runs.length > MOST_NAMED ? QUIET_POINTS : POINTS,
        ...(kind === "step" && window ? getAskedWindow(window) : { from_step: null, to_step: null }),
      },
      { trpc: alone },
    ),
    enabled: isSeen && runs.length > 0 && names.length > 0 && kind !== "stage",
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: runs.some(({ state }) => isLive(state)) ? LIVE_MS : false,
    structuralSharing: false,
    placeholderData: keepPreviousData,
  }).data;
  return useMemo(() => (asked ? drawOverlay(asked, runs, names, kind) : []), [asked, runs, names, kind]);
}
