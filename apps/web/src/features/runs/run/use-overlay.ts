import type { RunSummary, XMap } from "@sightline/core/runs";
import type { CurveSeries, Extent } from "@sightline/ui/curve";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { isLive } from "../run-state.ts";
import { drawOverlay } from "./overlay.ts";
import { getOverlayOptions } from "./overlay-query.ts";

const LIVE_MS = 5000;

/** True once the lines were read well after the last of their runs had ended: nothing will come to them. */
function isWhole(runs: readonly RunSummary[], read_ms: number): boolean {
  return runs.every(
    ({ state, ended_secs }) => !isLive(state) && (ended_secs ?? 0) * 1000 + LIVE_MS < read_ms,
  );
}

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
  const run_ids = runs.map(({ run_id }) => run_id);
  const asked = useQuery({
    ...getOverlayOptions(run_ids, names, kind, window),
    enabled: isSeen && runs.length > 0 && names.length > 0 && kind !== "stage",
    staleTime: ({ state }) => (isWhole(runs, state.dataUpdatedAt) ? Number.POSITIVE_INFINITY : LIVE_MS),
    refetchInterval: ({ state }) => (isWhole(runs, state.dataUpdatedAt) ? false : LIVE_MS),
    structuralSharing: false,
    placeholderData: keepPreviousData,
  }).data;
  return useMemo(() => (asked ? drawOverlay(asked, runs, names, kind) : []), [asked, runs, names, kind]);
}
