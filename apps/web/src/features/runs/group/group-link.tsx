import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "./group-page.module.css";

/** The way to a group's own page, or to one of its completions in the inspector. */
export function GroupLink({
  run_id,
  group: { attempt, step, group_id },
  k,
  children,
}: {
  run_id: string;
  group: { attempt: number; step: number; group_id: string };
  /** Null: all of them side by side. */
  k?: number | null;
  children: ReactNode;
}) {
  return (
    <Link
      to="/runs/$runId/groups/$attempt/$step/$groupId"
      params={{ runId: run_id, attempt: String(attempt), step: String(step), groupId: group_id }}
      search={k === undefined || k === null ? {} : { k }}
      className={classes.action}
    >
      {children}
    </Link>
  );
}
