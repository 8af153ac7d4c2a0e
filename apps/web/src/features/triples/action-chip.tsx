import type { Triple } from "@sightline/core/perception";
import classes from "./action-chip.module.css";

/** The action of a triple in a word. */
export function ActionChip({ action, differs = false }: { action: Triple["action"]; differs?: boolean }) {
  return (
    <span
      className={classes.chip}
      data-unknown={action === null || action === "unclear"}
      data-differs={differs}
      data-testid="action"
    >
      {action ?? "no action"}
    </span>
  );
}
