import { formatNumberOf } from "@sightline/core/format";
import { IconBell } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useAlertsOf } from "../../../app/alerts.ts";
import classes from "./runs-table.module.css";

/** How many alerts of a run nobody has seen yet; nothing when there is none. */
export function AlertBell({ run_id, name }: { run_id: string; name: string }) {
  const unseen = useAlertsOf(run_id).filter(({ acknowledged }) => acknowledged === null);
  if (unseen.length === 0) return null;
  return (
    <Link
      to="/runs/$runId"
      params={{ runId: run_id }}
      className={classes.alert}
      title={unseen.map(({ rule_name, words }) => `${rule_name}: ${words}`).join("\n")}
      aria-label={`${formatNumberOf(unseen.length, "new alert")} of ${name}`}
    >
      <IconBell size={13} stroke={1.8} aria-hidden />
      {unseen.length}
    </Link>
  );
}
