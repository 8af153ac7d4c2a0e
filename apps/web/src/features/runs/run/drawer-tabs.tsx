import { ActionIcon, CloseButton } from "@mantine/core";
import type { RunDetail, RunSeries } from "@sightline/core/runs";
import { IconArrowsMaximize, IconArrowsMinimize } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../../app/clients.ts";
import { countProblems } from "./count-problems.ts";
import classes from "./drawer.module.css";
import type { RunView, Tab } from "./use-run-view.ts";

/** The drawer's tabs, always at the foot of the page. */
export function DrawerTabs({
  view,
  series,
  isTall,
  onTall,
}: {
  view: RunView;
  series: RunSeries;
  isTall: boolean;
  onTall: (isTall: boolean) => void;
}) {
  const detail = useQuery(trpc.runs.get.queryOptions({ run_id: view.run_id })).data ?? null;
  const problems = countProblems(detail, series);
  const tabs: [Tab, string, string | null][] = [
    ["groups", view.step === null ? "Groups" : `Groups at step ${view.step}`, null],
    ["find", "Find", null],
    ["links", "Links", null],
    ["log", "Log", null],
    ["attempts", "Attempts", getAttemptCount(detail, series)],
    ["checkpoints", "Checkpoints", null],
    ["problems", "Problems", problems === 0 ? null : String(problems)],
    ["settings", "Settings", null],
  ];
  return (
    <div className={classes.bar}>
      <div className={classes.tabs} role="tablist" aria-label="More of the run">
        {tabs.map(([tab, label, count]) => (
          <button
            key={tab}
            type="button"
            role="tab"
            className={classes.tab}
            aria-selected={view.tab === tab}
            aria-controls={view.tab === tab ? "run-drawer" : undefined}
            data-wrong={(tab === "problems" && count !== null) || undefined}
            onClick={() => view.openTab(view.tab === tab ? null : tab)}
          >
            {label}
            {count !== null && <span className={classes.count}>{count}</span>}
          </button>
        ))}
      </div>
      {view.tab !== null && (
        <ActionIcon
          size="sm"
          variant="subtle"
          color="gray"
          className={classes.close}
          aria-label={isTall ? "Show the charts again" : "Drawer over the whole page"}
          title={isTall ? "Show the charts again (F)" : "Over the whole page (F)"}
          onClick={() => onTall(!isTall)}
        >
          {isTall ? (
            <IconArrowsMinimize size={15} stroke={1.6} />
          ) : (
            <IconArrowsMaximize size={15} stroke={1.6} />
          )}
        </ActionIcon>
      )}
      {view.tab !== null && (
        <CloseButton size="sm" aria-label="Shut the drawer" onClick={() => view.openTab(null)} />
      )}
    </div>
  );
}

function getAttemptCount(detail: RunDetail | null, series: RunSeries): string | null {
  const count = Math.max(detail?.attempts.length ?? 0, series.attempts.length);
  return count > 1 ? String(count) : null;
}
