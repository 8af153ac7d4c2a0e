import type { TraceSummary } from "@sightline/core/traces";
import { type Choice, nameReasoner } from "../../app/reasoners/reasoners.ts";
import classes from "./earlier-traces.module.css";

const STATES: Record<TraceSummary["state"], string> = {
  streaming: "being written",
  done: "",
  cancelled: "stopped",
  failed: "cut short",
};

/** The traces of one question on one clip, newest first. */
export function EarlierTraces({
  traces,
  shown_id,
  choices,
  onPick,
}: {
  traces: readonly TraceSummary[];
  shown_id: string | null;
  choices: readonly Choice[];
  onPick(trace: TraceSummary): void;
}) {
  if (traces.length === 0) return null;
  return (
    <div className={classes.root}>
      <h3 className={classes.title}>Traces of this question</h3>
      <ul className={classes.list}>
        {traces.map((trace) => (
          <li key={trace.trace_id}>
            <button
              type="button"
              className={classes.row}
              data-testid="earlier-trace"
              aria-current={trace.trace_id === shown_id ? "true" : undefined}
              onClick={() => onPick(trace)}
            >
              <span
                className={classes.letter}
                data-good={trace.accuracy === null ? undefined : trace.accuracy === 1}
              >
                {trace.reading?.letter ?? "–"}
                {trace.accuracy !== null && (trace.accuracy === 1 ? " ✓" : " ✗")}
              </span>
              <span className={classes.name}>{nameReasoner(trace.reasoner, choices)}</span>
              <span className={classes.faint}>
                {[
                  STATES[trace.state],
                  trace.struck.length > 0 ? `${trace.struck.length} struck out` : "",
                  new Date(trace.made_secs * 1000).toLocaleString([], {
                    month: "short",
                    day: "numeric",
                    hour: "2-digit",
                    minute: "2-digit",
                  }),
                ]
                  .filter((part) => part !== "")
                  .join(" · ")}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
