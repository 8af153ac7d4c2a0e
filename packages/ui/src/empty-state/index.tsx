import type { ReactNode } from "react";
import classes from "./empty-state.module.css";

/** What belongs here, and the first step. */
export function EmptyState({
  icon,
  title,
  children,
  actions,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className={classes.root}>
      {icon !== undefined && <div className={classes.icon}>{icon}</div>}
      <h2 className={classes.title}>{title}</h2>
      {children !== undefined && <div className={classes.text}>{children}</div>}
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </div>
  );
}
