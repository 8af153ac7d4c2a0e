import { partMean, type XKind } from "@sightline/core/runs";
import { REWARD_PARTS } from "@sightline/core/wire";
import { followAlertsSoon } from "../../../app/alerts.ts";
import { queryClient, trpc } from "../../../app/clients.ts";
import { followJobsSoon } from "../../../app/jobs.ts";
import { followRunSoon } from "../follow-run.ts";
import { ChartsAndDrawer } from "./lazy-drawer.ts";
import { getOverlayOptions } from "./overlay-query.ts";

/** What the first chart of a run's page draws of other runs. */
const FIRST: readonly string[] = REWARD_PARTS.map(partMean);

/** What the page's address says of it; `with`: the runs beside it; `tab`: what is open under the charts. */
type Shown = { with?: string[]; x?: XKind; from?: number; to?: number; tab?: string };

/** Asks for what the page of a run shows first, while its code is still being loaded. */
export function openRun(run_id: string, { with: beside = [], x = "step", from, to, tab }: Shown): void {
  followRunSoon(run_id);
  followJobsSoon();
  followAlertsSoon();
  void queryClient.prefetchQuery(trpc.runs.get.queryOptions({ run_id }));
  if (tab !== undefined) void ChartsAndDrawer.preload?.();
  if (beside.length === 0 || x === "stage") return;
  void queryClient.prefetchQuery(trpc.runs.list.queryOptions({ trash: false }));
  const window = from !== undefined && to !== undefined && from < to ? ([from, to] as const) : null;
  void queryClient.prefetchQuery(getOverlayOptions(beside, FIRST, x, window));
}
