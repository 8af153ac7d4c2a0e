import { Button, Progress, SegmentedControl } from "@mantine/core";
import {
  canBeAskedAgain,
  type Evaluation,
  type EvaluationRow,
  type EvaluationTally,
  type HostModel,
  type Tally,
  tallyEvaluation,
} from "@sightline/core/evaluations";
import { formatNumberOf } from "@sightline/core/format";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { trpc } from "../../app/clients.ts";
import { useClips } from "../../app/clips.ts";
import { nameReasoner, useReasoners } from "../../app/reasoners/reasoners.ts";
import { Card } from "./card.tsx";
import classes from "./evaluate.module.css";
import { refreshEvaluations } from "./use-evaluations.ts";
import { stopHere, useWorkHere, workHere } from "./work-here.ts";

/** Which rows are listed. */
export type RowFilter = "all" | "right" | "wrong" | "left out";

const FILTERS: Record<RowFilter, string> = {
  all: "All",
  right: "Right",
  wrong: "Wrong",
  "left out": "Not counted",
};

const MOST_ROWS = 500;

/** One evaluation: accuracy per task with intervals, and every question with what came of it. */
export function EvaluationView({
  evaluation,
  task,
  filter,
  onTask,
  onFilter,
  other_id,
  onOther,
}: {
  evaluation: Evaluation & { rows: EvaluationRow[] };
  /** Null for all tasks. */
  task: string | null;
  filter: RowFilter;
  onTask(task: string | null): void;
  onFilter(filter: RowFilter): void;
  /** The evaluation that it is held against; null for none. */
  other_id: string | null;
  onOther(evaluation_id: string | null): void;
}) {
  const { rows } = evaluation;
  const clips = useClips({ trash: false }).data;
  const names = useMemo(() => new Map(clips?.map(({ clip_id, name }) => [clip_id, name])), [clips]);
  const tally = useMemo(() => tallyEvaluation(rows), [rows]);
  const of_task = rows.filter((row) => task === null || row.task === task);
  const counts = {
    all: of_task.length,
    right: of_task.filter((row) => isShown(row, "right")).length,
    wrong: of_task.filter((row) => isShown(row, "wrong")).length,
    "left out": of_task.filter((row) => isShown(row, "left out")).length,
  };
  const shown = of_task.filter((row) => isShown(row, filter));
  return (
    <div className={classes.view}>
      <Head evaluation={evaluation} />
      <table className={classes.tasks} aria-label="Accuracy by task">
        <thead>
          <tr>
            <th>Task</th>
            <th className={classes.number}>n</th>
            <th className={classes.number}>Accuracy</th>
            <th>95 % interval · ▲ label prior</th>
            <th className={classes.number}>Label prior</th>
            <th className={classes.number}>Format</th>
            <th className={classes.number}>Consistent</th>
            <th className={classes.number}>Tokens</th>
          </tr>
        </thead>
        <tbody>
          {tally.tasks.map((one) => (
            <tr key={one.task} data-picked={one.task === task}>
              <td>
                <button
                  type="button"
                  className={classes.link}
                  aria-pressed={one.task === task}
                  onClick={() => onTask(one.task === task ? null : one.task)}
                >
                  {one.task.replaceAll("_", " ")}
                </button>
              </td>
              <Numbers tally={one} />
            </tr>
          ))}
          <tr className={classes.total} data-testid="micro">
            <td>All questions (micro)</td>
            <Numbers tally={tally.micro} />
          </tr>
          <tr data-testid="macro">
            <td>Mean of tasks (macro)</td>
            <td />
            <td className={classes.number}>{formatShare(tally.macro)}</td>
            <td />
            <td className={classes.number}>{formatShare(tally.macro_prior)}</td>
            <td colSpan={3} />
          </tr>
        </tbody>
      </table>
      {tally.micro.n > 0 && (
        <p className={classes.hint}>
          Answers on one clip are taken together in the intervals ({formatNumberOf(tally.micro.clips, "clip")}
          ). The label prior answers with the letter that is right most often for a task and number of
          options, and sees neither video nor question.
        </p>
      )}
      <Letters letters={tally.letters} />
      <Card evaluation={evaluation} other_id={other_id} onOther={onOther} />
      <SegmentedControl
        size="xs"
        aria-label="Which rows"
        value={filter}
        onChange={(value) => onFilter(value as RowFilter)}
        data={(["all", "right", "wrong", "left out"] as const).map((one) => ({
          value: one,
          label: `${FILTERS[one]} ${counts[one]}`,
        }))}
      />
      <ul className={classes.rows} aria-label="Questions">
        {shown.slice(0, MOST_ROWS).map((row) => (
          <Row key={row.question_id} row={row} clip_name={names.get(row.clip_id ?? "") ?? ""} />
        ))}
      </ul>
      {shown.length > MOST_ROWS && (
        <p className={classes.hint}>
          The first {MOST_ROWS} of {shown.length} are listed; pick a task to see fewer.
        </p>
      )}
    </div>
  );
}

function isShown({ state, accuracy, gold }: EvaluationRow, filter: RowFilter): boolean {
  const counts = gold !== null && (state === "answered" || state === "failed");
  if (filter === "right") return counts && accuracy === 1;
  if (filter === "wrong") return counts && accuracy !== 1;
  if (filter === "left out") return state === "left_out" || state === "waiting" || gold === null;
  return true;
}

const formatShare = (share: number | null) => (share === null ? "–" : share.toFixed(3));

/** How often each letter was answered, beside how often it is right. */
function Letters({ letters }: { letters: EvaluationTally["letters"] }) {
  const most = Math.max(1, ...letters.flatMap(({ answered, gold }) => [answered, gold]));
  if (letters.length === 0) return null;
  return (
    <figure className={classes.letters} aria-label="Letters answered, and right answers">
      {letters.map(({ letter, answered, gold }) => (
        <div key={letter} title={`${letter}: answered ${answered} times, right ${gold} times`}>
          <svg width={26} height={40} viewBox="0 0 26 40" aria-hidden>
            <rect className={classes.range} x={2} width={10} y={40 - (40 * answered) / most} height={40} />
            <rect className={classes.wanted} x={14} width={10} y={40 - (40 * gold) / most} height={40} />
          </svg>
          <span>{letter}</span>
          <span className={classes.hint}>
            {answered} / {gold}
          </span>
        </div>
      ))}
      <figcaption className={classes.hint}>
        <span className={classes.keyAnswered} /> answered / <span className={classes.keyGold} /> right
      </figcaption>
    </figure>
  );
}

function Numbers({ tally }: { tally: Tally }) {
  const { n, accuracy, interval, prior, format, judged, consistent, tokens } = tally;
  return (
    <>
      <td className={classes.number}>{n}</td>
      <td className={classes.number}>{formatShare(accuracy)}</td>
      <td>
        {interval && accuracy !== null && (
          <span className={classes.interval}>
            <svg className={classes.scale} width={120} height={12} viewBox="0 0 120 12" aria-hidden>
              <rect className={classes.track} x={0} y={5} width={120} height={2} />
              <rect
                className={classes.range}
                x={interval[0] * 120}
                y={3}
                width={Math.max(1, (interval[1] - interval[0]) * 120)}
                height={6}
                rx={2}
              />
              <rect className={classes.point} x={Math.min(118, accuracy * 120)} y={1} width={2} height={10} />
              {prior !== null && <path className={classes.prior} d={`M${prior * 120} 7l3.5 5h-7z`} />}
            </svg>
            {interval[0].toFixed(2)}–{interval[1].toFixed(2)}
          </span>
        )}
      </td>
      <td className={classes.number}>{formatShare(prior)}</td>
      <td className={classes.number}>{formatShare(format)}</td>
      <td className={classes.number}>{judged === 0 ? "–" : `${consistent} of ${judged}`}</td>
      <td className={classes.number}>{tokens === null ? "–" : Math.round(tokens)}</td>
    </>
  );
}

function Head({ evaluation }: { evaluation: Evaluation & { rows: EvaluationRow[] } }) {
  const { evaluation_id, name, reasoner, state, problem, questions, waiting, rows } = evaluation;
  const { choices } = useReasoners();
  const here = useWorkHere();
  const is_here = here.evaluation_id === evaluation_id;
  const resume = useMutation(trpc.evaluations.resume.mutationOptions());
  const cancel = useMutation(
    trpc.evaluations.cancel.mutationOptions({ onSuccess: () => refreshEvaluations() }),
  );
  const policy = choices.find(
    (choice) =>
      choice.kind === "policy" &&
      reasoner.kind === "onnx" &&
      JSON.stringify(choice.reasoner.source) === JSON.stringify(reasoner.source),
  );
  const goOn = async () => {
    const resumed = await resume.mutateAsync({ evaluation_id });
    if (policy?.kind === "policy") workHere(resumed, policy);
  };
  const again = reasoner.kind === "openai" ? rows.filter(canBeAskedAgain).length : 0;
  const is_idle = reasoner.kind === "onnx" && state === "working" && !is_here;
  return (
    <header className={classes.head}>
      <h2>{name}</h2>
      <p className={classes.hint}>
        {reasoner.kind === "host" ? nameHostModel(reasoner) : nameReasoner(reasoner, choices)} ·{" "}
        {formatNumberOf(questions, "question")}
        {waiting > 0 && ` · ${waiting} still to be asked`}
        {(state === "cancelling" || state === "cancelled") && ` · ${state}`}
        {reasoner.kind === "host" && (
          <>
            {" · "}
            <Link to="/runs/$runId" params={{ runId: reasoner.run_id }} className={classes.link}>
              its run
            </Link>
          </>
        )}
      </p>
      {reasoner.kind === "host" && reasoner.set_aside !== null && (
        <p className={classes.hint}>Set aside when it began: {reasoner.set_aside}.</p>
      )}
      {(state === "working" || state === "cancelling") && (
        <div className={classes.work}>
          <Progress
            className={classes.grow}
            size="sm"
            value={(100 * (questions - waiting)) / Math.max(1, questions)}
            animated={!is_idle}
            aria-label="Questions asked"
          />
          {is_here && <span className={classes.hint}>This browser works; leave this tab open.</span>}
          {is_idle && (
            <span className={classes.hint}>A policy works in a browser, and no tab works on this now.</span>
          )}
          {state === "cancelling" ? (
            <span className={classes.hint} role="status">
              It ends in a moment; answers that are whole are kept.
            </span>
          ) : (
            <Button
              size="compact-xs"
              variant="default"
              loading={cancel.isPending}
              onClick={() => {
                if (is_here) stopHere();
                cancel.mutate({ evaluation_id });
              }}
            >
              Cancel
            </Button>
          )}
        </div>
      )}
      {(is_idle || (state !== "working" && state !== "cancelling" && waiting + again > 0)) && (
        <Button
          size="compact-xs"
          variant="light"
          disabled={reasoner.kind === "onnx" && policy === undefined}
          onClick={() => void goOn()}
        >
          {is_idle
            ? "Work on it here"
            : waiting > 0
              ? "Go on with the rest"
              : `Ask again ${formatNumberOf(again, "question")} that failed`}
        </Button>
      )}
      {[problem, here.problem, resume.error?.message, cancel.error?.message].map(
        (text) =>
          text != null && (
            <p key={text} className={classes.problem} role="alert">
              {text}
            </p>
          ),
      )}
    </header>
  );
}

function nameHostModel({ model, checkpoint }: HostModel): string {
  return checkpoint === null ? `${model}, before any training` : `${model}, checkpoint ${checkpoint}`;
}

/** @param clip_name  Empty where there is no clip. */
function Row({ row, clip_name }: { row: EvaluationRow; clip_name: string }) {
  const { question_id, clip_id, trace_id, text, task, gold, letter, accuracy, agrees, state, problem } = row;
  const mark = accuracy === null ? "" : accuracy === 1 ? "✓" : "✗";
  const inside = (
    <>
      <span className={classes.letter} data-good={accuracy === null ? undefined : accuracy === 1}>
        {letter ?? (state === "waiting" ? "…" : "–")} {mark}
      </span>
      <span className={classes.text}>
        {text}
        {problem !== null && <span className={classes.reason}>{problem}</span>}
      </span>
      <span className={classes.hint}>
        {[
          gold === null ? "answer not known" : `right ${gold}`,
          agrees === null ? "" : agrees ? "consistent" : "not consistent",
          task.replaceAll("_", " "),
          clip_name,
        ]
          .filter((part) => part !== "")
          .join(" · ")}
      </span>
    </>
  );
  return (
    <li data-testid="evaluation-row" data-state={state}>
      {clip_id === null || clip_name === "" ? (
        <div className={classes.row}>{inside}</div>
      ) : (
        <Link
          className={classes.row}
          to="/clips/$clipId"
          params={{ clipId: clip_id }}
          search={{ tab: "ask", question: question_id, ...(trace_id !== null && { trace: trace_id }) }}
        >
          {inside}
        </Link>
      )}
    </li>
  );
}
