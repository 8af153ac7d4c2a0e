import { Button } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { acknowledge, describeSteps, useAlertsOf } from "../../../app/alerts.ts";
import { notifyFailure } from "../../../app/notify.tsx";
import classes from "./problem-strip.module.css";

const MOST = 3;

/** The alerts of a run that nobody has seen yet; nothing when there is none. */
export function AlertStrip({ run_id }: { run_id: string }) {
  const unseen = useAlertsOf(run_id).filter(({ acknowledged }) => acknowledged === null);
  if (unseen.length === 0) return null;
  const see = () =>
    void acknowledge(unseen).catch((error: unknown) => notifyFailure("The alerts stay new", error));
  return (
    <section className={classes.strip} aria-label="Alerts of this run">
      <IconBell size={15} stroke={1.7} aria-hidden />
      <span className={classes.alerts}>
        {unseen.slice(0, MOST).map((alert) => (
          <span key={alert.alert_id}>
            <b>{alert.rule_name}</b> {describeSteps(alert)}: {alert.words}
          </span>
        ))}
      </span>
      <Button size="compact-xs" variant="default" onClick={see}>
        {unseen.length === 1 ? "Seen" : `All ${unseen.length} are seen`}
      </Button>
      <Link to="/alerts" className={classes.more}>
        All alerts
      </Link>
    </section>
  );
}
