import { Button } from "@mantine/core";
import type { AlertRuleEntry } from "@sightline/core/alerts";
import { formatAgo } from "@sightline/core/format";
import { useQuery } from "@tanstack/react-query";
import { client, trpc } from "../../app/clients.ts";
import { notifyFailure } from "../../app/notify.tsx";
import classes from "./alerts.module.css";
import { describeParams, refreshRules } from "./rules.tsx";

/**
 * What a rule said before; any of it can come back.
 *
 * @param onRestored  Called before what came back is read.
 */
export function RuleHistory({ rule_id, onRestored }: { rule_id: string; onRestored: () => void }) {
  const history = useQuery(trpc.alerts.history.queryOptions({ rule_id }));
  const restore = async ({ entry_id }: AlertRuleEntry) => {
    try {
      await client.alerts.restore.mutate({ rule_id, entry_id });
      onRestored();
      await refreshRules();
    } catch (error) {
      notifyFailure("The rule stays as it is", error);
    }
  };
  if (history.isError) return <p className={classes.problem}>{history.error.message}</p>;
  return (
    <section aria-label="History">
      <h2 className={classes.heading}>History</h2>
      <ul className={classes.rows}>
        {history.data?.map((entry, k) => (
          <li key={entry.entry_id} className={classes.row}>
            <div className={classes.what}>
              <span>{entry.rule?.name ?? "Removed"}</span>
              <span className={classes.quiet}>
                {entry.rule && `${describeParams(entry.rule)} · `}
                {entry.author}, {formatAgo(entry.made_secs, Date.now() / 1000)}
              </span>
            </div>
            {k > 0 && entry.rule !== null && (
              <Button size="compact-xs" variant="default" onClick={() => void restore(entry)}>
                Bring back
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
