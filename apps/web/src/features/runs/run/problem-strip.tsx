import type { RunDetail, RunSummary } from "@sightline/core/runs";
import { StatusMark } from "@sightline/ui/status";
import { RUN_STATES } from "../run-state.ts";
import classes from "./problem-strip.module.css";

/** What is wrong with the run and what to do now, in the server's own sentence; nothing when all is well. */
export function ProblemStrip({ run, detail }: { run: RunSummary; detail: RunDetail | null }) {
  const words = RUN_STATES[run.state];
  const isOff = words.tone === "wrong" || words.tone === "part" || run.state === "unreachable";
  const sentence = run.problem ?? (isOff ? words.meaning : null);
  if (sentence === null) return <div />;
  return (
    <div className={classes.strip} role="status">
      <StatusMark tone={words.tone === "quiet" ? "part" : words.tone} />
      <span>{sentence}</span>
      {detail?.resume_hint && !sentence.includes(detail.resume_hint) && isOff && (
        <span className={classes.hint}>{detail.resume_hint}</span>
      )}
    </div>
  );
}
