import type { RunSeries, RunSummary } from "@sightline/core/runs";
import { Pane, PaneGroup } from "@sightline/ui/pane";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { trpc } from "../../../app/clients.ts";
import { AttemptsTab } from "./attempts-tab.tsx";
import { CheckpointsTab } from "./checkpoints-tab.tsx";
import classes from "./drawer.module.css";
import { FindTab } from "./find/find-tab.tsx";
import { GroupsTab } from "./groups-tab.tsx";
import { LinksTab } from "./links/links-tab.tsx";
import { LogTab } from "./log-tab.tsx";
import { ProblemsTab } from "./problems-tab.tsx";
import { SettingsTab } from "./settings-tab.tsx";
import type { RunView } from "./use-run-view.ts";

type DrawerProps = {
  view: RunView;
  series: RunSeries;
  beside: readonly RunSummary[];
  /** True when it is to take the focus. */
  isEntering: boolean;
  onEntered: () => void;
};

/** The charts with the drawer under them, or the drawer alone. */
export function ChartsAndDrawer({
  charts,
  isTall,
  ...drawer
}: DrawerProps & { charts: ReactNode; isTall: boolean }) {
  if (isTall) return <Drawer {...drawer} />;
  return (
    <PaneGroup id="run" direction="vertical">
      <Pane id="charts" size={48} min={120}>
        {charts}
      </Pane>
      <Pane id="drawer" size={52} min={120}>
        <Drawer {...drawer} />
      </Pane>
    </PaneGroup>
  );
}

function Drawer({ view, series, beside, isEntering, onEntered }: DrawerProps) {
  const detail = useQuery(trpc.runs.get.queryOptions({ run_id: view.run_id })).data ?? null;
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isEntering || view.tab !== "groups") return;
    section.current?.focus();
    onEntered();
  }, [isEntering, view.tab, onEntered]);
  return (
    <section
      ref={section}
      className={classes.drawer}
      aria-label={view.tab ?? undefined}
      id="run-drawer"
      tabIndex={-1}
    >
      {view.tab === "groups" && <GroupsTab view={view} series={series} />}
      {view.tab === "find" && <FindTab view={view} series={series} beside={beside} />}
      {view.tab === "links" && <LinksTab view={view} arrived={String(series.tallies.length)} />}
      {view.tab === "log" && <LogTab run_id={view.run_id} detail={detail} />}
      {view.tab === "attempts" && <AttemptsTab detail={detail} />}
      {view.tab === "checkpoints" && <CheckpointsTab run_id={view.run_id} detail={detail} />}
      {view.tab === "problems" && <ProblemsTab detail={detail} series={series} />}
      {view.tab === "settings" && <SettingsTab detail={detail} />}
    </section>
  );
}
