import { Button } from "@mantine/core";
import type { Evaluation } from "@sightline/core/evaluations";
import { formatAgo } from "@sightline/core/format";
import { EmptyState } from "@sightline/ui/empty-state";
import { Pane, PaneGroup } from "@sightline/ui/pane";
import { Status, type Tone } from "@sightline/ui/status";
import { IconPlugConnectedX, IconTargetArrow } from "@tabler/icons-react";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { usePageTitle } from "../../app/page-title.ts";
import classes from "./evaluate.module.css";
import { EvaluationView, type RowFilter } from "./evaluation-view.tsx";
import { Outputs } from "./outputs.tsx";
import { StartForm } from "./start-form.tsx";
import { useEvaluation, useEvaluations } from "./use-evaluations.ts";

const route = getRouteApi("/evaluate");

const TONES: Record<Evaluation["state"], Tone> = {
  working: "busy",
  cancelling: "busy",
  done: "done",
  cancelled: "part",
  failed: "wrong",
};

/** Answers of reasoners to question sets, and outputs that others' models wrote. */
export function EvaluatePage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/evaluate" });
  const evaluations = useEvaluations();
  const evaluation_id = search.evaluation ?? evaluations.data?.[0]?.evaluation_id ?? null;
  const opened = useEvaluation(evaluation_id);
  usePageTitle("Evaluate", opened.data?.name ?? null);
  const go = (change: {
    evaluation?: string;
    with?: string | undefined;
    task?: string | undefined;
    rows?: RowFilter;
  }) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true });

  if (evaluations.isError)
    return (
      <EmptyState
        icon={<IconPlugConnectedX size={30} stroke={1.4} />}
        title="The evaluations could not be read"
        actions={<Button onClick={() => void evaluations.refetch()}>Try again</Button>}
      >
        {evaluations.error.message}
      </EmptyState>
    );
  return (
    <div className={classes.page}>
      <div className={classes.bar}>
        <StartForm onStarted={(started) => go({ evaluation: started, task: undefined, rows: "all" })} />
        <Link to="/runs/launch" search={{ preset: "tiny-untrained" }} className={classes.hostLink}>
          Held-out questions of worlds…
        </Link>
        <Outputs />
      </div>
      <div className={classes.body}>
        {evaluations.data?.length === 0 && evaluation_id === null ? (
          <EmptyState icon={<IconTargetArrow size={30} stroke={1.4} />} title="No evaluation yet">
            Pick a set of questions and a reasoner above. Each question is asked over the triples of its clip;
            where there are none, they are made from the pictures.
          </EmptyState>
        ) : (
          <PaneGroup id="evaluate" direction="horizontal">
            <Pane id="list" size={26} min={200}>
              <ul className={classes.list} aria-label="Evaluations">
                {(evaluations.data ?? []).map((one) => (
                  <li key={one.evaluation_id}>
                    <button
                      type="button"
                      className={classes.item}
                      aria-current={one.evaluation_id === evaluation_id ? "true" : undefined}
                      onClick={() => go({ evaluation: one.evaluation_id, task: undefined })}
                    >
                      <span className={classes.name}>{one.name}</span>
                      <span className={classes.hint}>
                        <Status tone={TONES[one.state]} label={one.state} /> {one.questions - one.waiting} of{" "}
                        {one.questions} · {formatAgo(one.made_secs, Date.now() / 1000)}
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
            </Pane>
            <Pane id="evaluation" size={74} min={320}>
              <section
                className={classes.scroll}
                // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
                tabIndex={0}
                aria-label="Evaluation"
              >
                {opened.data !== undefined && (
                  <EvaluationView
                    evaluation={opened.data}
                    task={search.task ?? null}
                    filter={search.rows ?? "all"}
                    onTask={(task) => go({ task: task ?? undefined })}
                    onFilter={(rows) => go({ rows })}
                    other_id={search.with ?? null}
                    onOther={(other) => go({ with: other ?? undefined })}
                  />
                )}
                {opened.isError && <p className={classes.problem}>{opened.error.message}</p>}
              </section>
            </Pane>
          </PaneGroup>
        )}
      </div>
    </div>
  );
}
