import { X_METRICS, type XMap } from "@sightline/core/runs";
import type { Extent } from "@sightline/ui/curve";
import { alone, trpc } from "../../../app/clients.ts";
import { MOST_NAMED } from "./most-named.ts";
import { getAskedWindow } from "./window.ts";

const POINTS = 80;
/** Of very many lines each has few pixels: as many points as are drawn. */
const QUIET_POINTS = 20;

/** How the metrics of other runs are asked for. */
export function getOverlayOptions(
  run_ids: readonly string[],
  names: readonly string[],
  kind: XMap["kind"],
  window: Extent | null,
) {
  const clock = kind === "step" || kind === "stage" ? null : X_METRICS[kind];
  return trpc.runs.overlay.queryOptions(
    {
      run_ids: [...run_ids],
      names: clock === null ? [...names] : [...names, clock],
      points: run_ids.length > MOST_NAMED ? QUIET_POINTS : POINTS,
      has_means: run_ids.length <= MOST_NAMED,
      ...(kind === "step" && window ? getAskedWindow(window) : { from_step: null, to_step: null }),
    },
    { trpc: alone, staleTime: Number.POSITIVE_INFINITY },
  );
}
