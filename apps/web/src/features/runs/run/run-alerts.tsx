import { Link } from "@tanstack/react-router";
import { describeSteps, useAlertsOf } from "../../../app/alerts.ts";
import classes from "./table.module.css";

/** What rules found in a run, seen or not, and the way to a rule for this run. */
export function RunAlerts({ run_id }: { run_id: string }) {
  const alerts = useAlertsOf(run_id);
  return (
    <>
      {alerts.length > 0 && (
        <table className={classes.table} aria-label="Alerts">
          <thead>
            <tr>
              <th>Alert</th>
              <th>When</th>
              <th>What was found</th>
              <th>Seen by</th>
            </tr>
          </thead>
          <tbody>
            {alerts.map((alert) => (
              <tr key={alert.alert_id}>
                <td>{alert.rule_name}</td>
                <td className={classes.number}>{describeSteps(alert)}</td>
                <td className={classes.words}>{alert.words}</td>
                <td>{alert.acknowledged?.author ?? "nobody yet"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className={classes.hint}>
        <Link to="/alerts/rules/$ruleId" params={{ ruleId: "new" }} search={{ run: run_id }}>
          Make an alert rule for this run
        </Link>
      </p>
    </>
  );
}
