import { emptySeries, makeXMap, type RunSpec, type RunSummary, type XMap } from "@sightline/core/runs";
import { totalEpochs } from "@sightline/core/schedules";
import { createCursor, createViewport, type Extent } from "@sightline/ui/curve";
import { StageBand } from "@sightline/ui/stage-band";
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { useAlertsOf } from "../../../app/alerts.ts";
import { trpc, whyNot } from "../../../app/clients.ts";
import { holdTyping } from "../../../app/hold-typing.ts";
import { useKeys } from "../../../app/keys.ts";
import { usePageTitle } from "../../../app/page-title.ts";
import { type FollowedRun, getSummary, useFollowedRun } from "../follow-run.ts";
import { NotShown } from "../not-shown.tsx";
import { AlertStrip } from "./alert-strip.tsx";
import { ChartControls } from "./chart-controls.tsx";
import { ChartGrid } from "./chart-grid.tsx";
import { addAlertMarks, getBandStages, getMarks, getPlannedStages } from "./curves.ts";
import { DrawerTabs } from "./drawer-tabs.tsx";
import { ChartsAndDrawer } from "./lazy-drawer.ts";
import { ProblemStrip } from "./problem-strip.tsx";
import { RunHeader } from "./run-header.tsx";
import classes from "./run-page.module.css";
import { type RunView, useRunView } from "./use-run-view.ts";

/** How long after the page the code of the drawer is fetched, so that opening it later waits for nothing. */
const DRAWER_AFTER_MS = 1500;

/** One run: how it stands, its curves, and under them the groups of a step, the log, the attempts. */
export function RunPage() {
  const view = useRunView();
  const followed = useFollowedRun(view.run_id);
  const detail = useQuery(trpc.runs.get.queryOptions({ run_id: view.run_id }));
  const run = (followed && getSummary(followed)) ?? detail.data?.run ?? null;
  usePageTitle("Runs", run?.name ?? null);

  const problem = whyNot(detail);
  if (run === null && problem) return <NotShown what="run" problem={problem} />;
  if (run === null) return <div className={classes.waiting}>Opening the run …</div>;
  return (
    <div className={classes.page} data-run-state={run.state}>
      <RunHeader run={run} detail={detail.data ?? null} phase={followed?.series?.phase ?? null} />
      <div>
        <ProblemStrip run={run} detail={detail.data ?? null} />
        <AlertStrip run_id={view.run_id} />
      </div>
      <RunBody view={view} followed={followed} spec={detail.data?.spec ?? null} />
    </div>
  );
}

function RunBody({
  view,
  followed,
  spec,
}: {
  view: RunView;
  followed: FollowedRun | null;
  spec: RunSpec | null;
}) {
  const [cursor] = useState(createCursor);
  // The band counts steps whatever the charts count.
  const [bandCursor] = useState(createCursor);
  const [viewport] = useState(createViewport);
  const beside = useBeside(view.beside);
  // On a low window, as at 200 %, charts and drawer leave each other no room.
  const [isTall, setTall] = useState(() => matchMedia("(max-height: 560px)").matches);
  const [isEntering, setEntering] = useState(false);
  const onEntered = useCallback(() => setEntering(false), []);
  useEffect(() => {
    const timer = setTimeout(() => void ChartsAndDrawer.preload?.(), DRAWER_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const series = followed?.series ?? null;
  const stages = useMemo(() => (series ? getBandStages(series, spec) : []), [series, spec]);
  const bandsKey = stages.map(({ id, from, to }) => `${id}:${from}:${to}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all that a chart takes of the stages
  const bands = useMemo(
    () => stages.map(({ id, name, from, to }) => ({ id, label: name, from, to })),
    [bandsKey],
  );
  const eventCount = series?.marks.length ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: marks are only ever added
  const events = useMemo(() => (series ? getMarks(series) : []), [view.run_id, eventCount]);
  const alerts = useAlertsOf(view.run_id);
  const marks = useMemo(() => addAlertMarks(events, alerts), [events, alerts]);
  const max = Math.max(series?.max_steps ?? 0, series?.step ?? 0, 1);
  const extent = useMemo<Extent>(() => [0, max], [max]);
  const map = useMemo(
    () => (series && makeXMap(series, view.x)) ?? makeXMap(emptySeries(view.run_id), "step"),
    [series, view.x, view.run_id],
  ) as XMap;

  useKeys("Run", [
    { key: "ArrowRight ArrowLeft", label: "Move the cursor of a chart (Shift: ten steps)" },
    { key: "Enter", label: "Open the groups of the step under the cursor" },
    { key: "+ -", label: "Zoom a chart around its cursor (Ctrl and the wheel)" },
    {
      key: "alt+PageUp alt+PageDown",
      label: "Move a zoomed chart (Shift and dragging, or the wheel sideways)",
    },
    {
      key: "g",
      label: "Into the groups of the step: Tab goes through them",
      run: () => {
        view.openTab("groups");
        setEntering(true);
      },
    },
    { key: "]", label: "Next step's groups", run: () => view.pick((view.step ?? 0) + 1) },
    { key: "[", label: "Previous step's groups", run: () => view.pick(Math.max(1, (view.step ?? 2) - 1)) },
    {
      key: "/",
      label: "Find completions",
      run() {
        if (view.tab !== "find") holdTyping();
        view.openTab("find");
      },
    },
    { key: "l", label: "Log", run: () => view.openTab(view.tab === "log" ? null : "log") },
    { key: "a", label: "Attempts", run: () => view.openTab(view.tab === "attempts" ? null : "attempts") },
    { key: "f", label: "Drawer over the whole page, or not", run: () => setTall(!isTall) },
    { key: "z", label: "Show all steps", run: () => view.zoom(null) },
    { key: "Escape", label: "Shut the drawer", run: () => view.openTab(null) },
  ]);

  if (series === null) return <div className={classes.waiting}>Reading what the run has written …</div>;
  // How many steps an epoch has is known once the run has begun.
  const band: Pick<ComponentProps<typeof StageBand>, "stages" | "unit" | "extent"> = spec !== null &&
  series.max_steps === null &&
  series.step === null
    ? { stages: getPlannedStages(spec), unit: "epochs", extent: [0, totalEpochs(spec.stages)] }
    : { stages, extent };
  const charts = (
    <div className={classes.charts}>
      <div className={classes.bandRow}>
        <StageBand
          {...band}
          at={series.step}
          window={view.window}
          cursor={map.kind === "step" ? cursor : bandCursor}
          selected={view.step}
          onWindow={view.zoom}
        />
        <ChartControls view={view} series={series} />
      </div>
      <ChartGrid
        series={series}
        cursor={cursor}
        viewport={viewport}
        map={map}
        beside={beside}
        bands={bands}
        marks={marks}
        extent={extent}
        window={view.window}
        selected={view.step}
        smoothing={view.smoothing}
        onPick={view.pick}
        onWindow={view.zoom}
      />
    </div>
  );
  return (
    <div className={classes.body} data-steps={series.step ?? 0}>
      {view.tab === null ? (
        charts
      ) : (
        <Suspense fallback={charts}>
          <ChartsAndDrawer
            charts={charts}
            isTall={isTall}
            view={view}
            series={series}
            beside={beside}
            isEntering={isEntering}
            onEntered={onEntered}
          />
        </Suspense>
      )}
      <DrawerTabs view={view} series={series} isTall={isTall} onTall={setTall} />
    </div>
  );
}

const NO_RUNS: RunSummary[] = [];

/** The runs that are drawn beside this one, in the order in which they were picked; those that are gone are left out. */
function useBeside(run_ids: readonly string[]): readonly RunSummary[] {
  const runs =
    useQuery({ ...trpc.runs.list.queryOptions({ trash: false }), enabled: run_ids.length > 0 }).data ??
    NO_RUNS;
  return useMemo(() => {
    const byId = new Map(runs.map((run) => [run.run_id, run]));
    return run_ids.flatMap((run_id) => byId.get(run_id) ?? []);
  }, [runs, run_ids]);
}
