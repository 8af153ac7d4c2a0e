import type { RunSummary } from "@sightline/core/runs";
import type { ReactNode } from "react";
import { SimulatedBadge } from "../simulated-badge.tsx";
import classes from "./side-page.module.css";

/** A page beside a run's own: a head that says of which run it tells, and the page below it. */
export function SidePage({
  title,
  of,
  run,
  aside,
  children,
}: {
  title: string;
  /** Of which run, and what that means. */
  of: ReactNode;
  /** Null until it is known. */
  run: RunSummary | null;
  /** What is chosen for the whole page, at the head's end. */
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <h1 className={classes.title}>{title}</h1>
        <span className={classes.of}>{of}</span>
        {run && (run.simulated || run.recorded) && <SimulatedBadge run={run} />}
        {aside}
      </header>
      {children}
    </div>
  );
}
