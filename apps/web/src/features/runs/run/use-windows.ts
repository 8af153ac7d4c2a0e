import type { RunSeries } from "@sightline/core/runs";
import type { Extent } from "@sightline/ui/curve";
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { trpc } from "../../../app/clients.ts";
import { getAskedWindow, getCoarse, withWindows } from "./window.ts";

const POINTS = 400;

/**
 * The run with a zoomed window as fine as the server has it, for these metrics. While the answer is under way, and
 * where rows came one by one anyway, the run as it is.
 */
export function useWindows(
  series: RunSeries,
  names: readonly string[],
  window: Extent | null,
  past: "whole" | "window",
): RunSeries {
  const coarse = window === null ? [] : getCoarse(series, names, window);
  const asked = window === null ? null : getAskedWindow(window);
  const windows = useQueries({
    queries: coarse.map((name) => ({
      ...trpc.runs.window.queryOptions({
        run_id: series.run_id,
        name,
        from_step: asked?.from_step ?? 0,
        to_step: asked?.to_step ?? 0,
        points: POINTS,
      }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: (results) => results.flatMap((result) => result.data ?? []),
  });
  return useMemo(() => withWindows(series, windows, past), [series, windows, past]);
}
