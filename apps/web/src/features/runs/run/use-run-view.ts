import type { FindFilter } from "@sightline/core/find";
import type { XKind } from "@sightline/core/runs";
import type { Extent } from "@sightline/ui/curve";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

const route = getRouteApi("/runs/$runId");

export const TABS = [
  "groups",
  "find",
  "links",
  "log",
  "attempts",
  "checkpoints",
  "problems",
  "settings",
] as const;
/** What the drawer under the charts shows. */
export type Tab = (typeof TABS)[number];

/** What is looked at of a run; the URL holds it. */
export type RunView = {
  run_id: string;
  /** The step whose groups are open. */
  step: number | null;
  group: string | null;
  /** Null: the drawer is shut. */
  tab: Tab | null;
  window: Extent | null;
  /** Weight of the past in the moving average. */
  smoothing: number;
  /** What the x axis counts. */
  x: XKind;
  /** Runs that are drawn beside this one, by id. */
  beside: string[];
  /** What the tab Find asks for. */
  filter: FindFilter;
  /** The completion that is open there, by id. */
  trace: number | null;
  pick(step: number | null): void;
  openGroup(group: string | null): void;
  openGroupAt(step: number, group: string): void;
  openTab(tab: Tab | null): void;
  find(filter: FindFilter): void;
  /** Opens the tab Find with what is asked, none of it open yet. */
  findIn(filter: FindFilter): void;
  openTrace(completion_id: number | null): void;
  zoom(window: Extent | null): void;
  setSmoothing(smoothing: number): void;
  setX(x: XKind): void;
  setBeside(run_ids: string[]): void;
};

const NO_FILTER: FindFilter = {};
const NO_RUNS: string[] = [];

/** Drawn over the values at first: one step of a small run is noise. */
export const FIRST_SMOOTHING = 0.8;

export function useRunView(): RunView {
  const { runId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/runs/$runId" });
  const { step, group, tab, from, to, smooth, x, with: beside, find, trace } = search;

  const go = useCallback(
    (change: Partial<typeof search>, replace = false) =>
      void navigate({ to: ".", search: (before) => ({ ...before, ...change }), replace }),
    [navigate],
  );
  const actions = useMemo(
    () => ({
      pick: (next: number | null) =>
        go(
          next === null
            ? { step: undefined, group: undefined }
            : { step: next, group: undefined, tab: "groups" },
        ),
      openGroup: (next: string | null) => go({ group: next ?? undefined }),
      openGroupAt: (next: number, group: string) => go({ step: next, group, tab: "groups" }),
      openTab: (next: Tab | null) => go({ tab: next ?? undefined }),
      find: (filter: FindFilter) => go({ find: Object.keys(filter).length === 0 ? undefined : filter }, true),
      findIn: (filter: FindFilter) => go({ find: filter, tab: "find", trace: undefined }),
      openTrace: (completion_id: number | null) => go({ trace: completion_id ?? undefined }, true),
      zoom: (window: Extent | null) => go({ from: tidy(window?.[0]), to: tidy(window?.[1]) }),
      setX: (next: XKind) => go({ x: next === "step" ? undefined : next }),
      setBeside: (run_ids: string[]) => go({ with: run_ids.length === 0 ? undefined : run_ids }),
      setSmoothing: (next: number) => go({ smooth: next === FIRST_SMOOTHING ? undefined : next }, true),
    }),
    [go],
  );
  const window = useMemo<Extent | null>(
    () => (from !== undefined && to !== undefined && from < to ? [from, to] : null),
    [from, to],
  );
  return {
    run_id: runId,
    step: step ?? null,
    group: group ?? null,
    tab: TABS.find((one) => one === tab) ?? null,
    window,
    smoothing: smooth ?? FIRST_SMOOTHING,
    x: x ?? "step",
    beside: beside ?? NO_RUNS,
    filter: find ?? NO_FILTER,
    trace: trace ?? null,
    ...actions,
  };
}

/** A place of the x axis as the URL shows it. */
function tidy(x: number | undefined): number | undefined {
  return x === undefined ? undefined : Math.round(x * 100) / 100;
}
