import classes from "./case-panel.module.css";
import { type Case, drawCase } from "./draw.ts";

export { type Case, drawCase } from "./draw.ts";

/** The case as it will be in the file. */
export function CasePanel({ shown }: { shown: Case }) {
  return (
    <img
      className={classes.panel}
      src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawCase(shown))}`}
      alt={`Case: ${shown.question} Answered ${shown.answered ?? "nothing"}, right answer ${shown.gold ?? "not known"}.`}
    />
  );
}
