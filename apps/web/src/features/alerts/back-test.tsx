import { Button, Progress } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type AlertRule, type BackTest, findParamFaults, isInScope } from "@sightline/core/alerts";
import { formatNumberOf } from "@sightline/core/format";
import type { RunSummary } from "@sightline/core/runs";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useRuns } from "../../app/runs.ts";
import classes from "./alerts.module.css";
import { TestCurve } from "./test-curve.tsx";
import { useBackTest } from "./use-back-test.ts";

const TYPING_MS = 300;

/** On which past runs the rule would have fired, run by run, with the curve that it looks at. */
export function BackTestPanel({ rule }: { rule: AlertRule }) {
  const runs = useRuns().data;
  const scope = JSON.stringify(rule.scope);
  const looked = useMemo(
    () => (runs ?? []).filter((run) => isInScope(JSON.parse(scope), run)),
    [runs, scope],
  );
  const ids = useMemo(() => looked.map(({ run_id }) => run_id), [looked]);
  const [cause] = useDebouncedValue(JSON.stringify({ kind: rule.kind, params: rule.params }), TYPING_MS);
  const isSound = findParamFaults(rule.kind, rule.params).length === 0;
  const test = useBackTest(cause, ids, isSound);
  const fired = test.done.filter(({ episodes }) => episodes.length > 0);
  const times = fired.reduce((sum, { episodes }) => sum + episodes.length, 0);
  const byId = new Map(looked.map((run) => [run.run_id, run]));
  const ordered = [...test.done].sort((a, b) => b.episodes.length - a.episodes.length);
  return (
    <section className={classes.test} aria-label="Back-test">
      <h2 className={classes.heading}>What it would have done</h2>
      {!isSound && <p className={classes.quiet}>Mend the numbers first.</p>}
      {isSound && runs !== undefined && ids.length === 0 && (
        <p className={classes.quiet}>There is no run yet that it looks at.</p>
      )}
      {isSound && ids.length > 0 && (
        <p role="status" className={classes.sum} data-done={test.isDone || undefined}>
          {fired.length === 0
            ? `It would not have fired on any of ${formatNumberOf(test.done.length, "run")}.`
            : `It would have fired ${formatNumberOf(times, "time")}, on ${fired.length} of ${formatNumberOf(test.done.length, "run")}.`}
        </p>
      )}
      {isSound && !test.isDone && ids.length > 0 && test.problem === null && (
        <div className={classes.progress}>
          <Progress
            value={(100 * test.done.length) / ids.length}
            aria-label="Runs that were looked at"
            flex={1}
            size="sm"
          />
          <span className={classes.quiet}>
            {test.done.length} / {ids.length}
          </span>
          <Button size="compact-xs" variant="default" onClick={test.cancel}>
            Stop
          </Button>
        </div>
      )}
      {test.problem !== null && (
        <p className={classes.problem} role="alert">
          {test.problem}{" "}
          <Button size="compact-xs" variant="default" onClick={test.again}>
            Try again
          </Button>
        </p>
      )}
      <ul className={classes.tests} aria-label="Runs">
        {ordered.map((one) => (
          <TestRow key={one.run_id} test={one} run={byId.get(one.run_id)} />
        ))}
      </ul>
    </section>
  );
}

const MOST_NAMED = 4;

function TestRow({ test, run }: { test: BackTest; run: RunSummary | undefined }) {
  const { run_id, episodes, curve } = test;
  const name = run?.name ?? run_id;
  return (
    <li className={classes.testRow} data-fired={episodes.length > 0 || undefined}>
      <div className={classes.what}>
        <Link to="/runs/$runId" params={{ runId: run_id }} className={classes.name}>
          {name}
        </Link>
        <span className={classes.quiet}>
          {episodes.length === 0
            ? "quiet"
            : episodes
                .slice(0, MOST_NAMED)
                .map(({ from_step, until_step }) =>
                  until_step === null || until_step === from_step
                    ? `step ${from_step}`
                    : `steps ${from_step}–${until_step}`,
                )
                .join(", ")}
          {episodes.length > MOST_NAMED && ` and ${episodes.length - MOST_NAMED} more`}
        </span>
        {episodes[0] && <span className={classes.quiet}>{episodes[0].words}</span>}
      </div>
      <TestCurve curve={curve} episodes={episodes} name={name} />
    </li>
  );
}
