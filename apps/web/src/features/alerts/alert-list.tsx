import { Button, SegmentedControl } from "@mantine/core";
import type { Alert, AlertsNow } from "@sightline/core/alerts";
import { formatAgo } from "@sightline/core/format";
import { EmptyState } from "@sightline/ui/empty-state";
import { Status } from "@sightline/ui/status";
import { IconBell } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { acknowledge, describeSteps } from "../../app/alerts.ts";
import { notifyFailure, notifyUndoable } from "../../app/notify.tsx";
import { useRuns } from "../../app/runs.ts";
import classes from "./alerts.module.css";

/** What was found, newest first; whoever has seen one says so. */
export function AlertList({ now }: { now: AlertsNow | undefined }) {
  const [shown, setShown] = useState<"new" | "all">("new");
  const runs = useRuns().data;
  const names = useMemo(() => new Map(runs?.map((run) => [run.run_id, run.name])), [runs]);
  if (now === undefined) return <p className={classes.quiet}>Reading the alerts …</p>;
  if (now.alerts.length === 0)
    return (
      <EmptyState icon={<IconBell size={28} stroke={1.4} />} title="No alert yet">
        A rule looks at runs as they go on, and what it finds stands here. Make a rule, and see at once on
        which past runs it would have fired.
      </EmptyState>
    );
  const unseen = now.alerts.filter(({ acknowledged }) => acknowledged === null);
  const listed = shown === "new" ? unseen : now.alerts;
  const see = (alerts: readonly Alert[]) =>
    void acknowledge(alerts)
      .then(() =>
        notifyUndoable(
          alerts.length === 1 ? "Seen." : `${alerts.length} alerts seen.`,
          () => void takeBack(alerts),
        ),
      )
      .catch((error: unknown) => notifyFailure("The alerts stay new", error));
  return (
    <>
      <div className={classes.tools}>
        <SegmentedControl
          size="xs"
          aria-label="Which alerts"
          value={shown}
          data={[
            { value: "new", label: `New ${unseen.length}` },
            { value: "all", label: `All ${now.alerts.length}` },
          ]}
          onChange={(value) => setShown(value === "all" ? "all" : "new")}
        />
        {unseen.length > 1 && (
          <Button size="compact-xs" variant="default" onClick={() => see(unseen)}>
            All are seen
          </Button>
        )}
      </div>
      {listed.length === 0 && <p className={classes.quiet}>Nothing new.</p>}
      <ul className={classes.rows} aria-label="Alerts">
        {listed.map((alert) => (
          <li key={alert.alert_id} className={classes.row}>
            <Status
              tone={alert.ended_secs === null ? "wrong" : "quiet"}
              label={alert.ended_secs === null ? "goes on" : "over"}
            />
            <div className={classes.what}>
              <span>
                <b>{alert.rule_name}</b>{" "}
                <Link
                  to="/runs/$runId"
                  params={{ runId: alert.run_id }}
                  search={{ step: alert.from_step, tab: "groups" }}
                >
                  {names.get(alert.run_id) ?? alert.run_id}, {describeSteps(alert)}
                </Link>
              </span>
              <span className={classes.quiet}>{alert.words}</span>
            </div>
            <span className={classes.quiet}>{formatAgo(alert.fired_secs, Date.now() / 1000)}</span>
            {alert.acknowledged === null ? (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`Seen: ${alert.rule_name}, ${names.get(alert.run_id) ?? alert.run_id}, step ${alert.from_step}`}
                onClick={() => see([alert])}
              >
                Seen
              </Button>
            ) : (
              <span className={classes.quiet}>seen by {alert.acknowledged.author}</span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

const takeBack = (alerts: readonly Alert[]) =>
  acknowledge(alerts, true).catch((error: unknown) => notifyFailure("The alerts stay seen", error));
