import { Button, Progress, SegmentedControl, Select } from "@mantine/core";
import type { FindFilter } from "@sightline/core/find";
import { formatCount, formatNumberOf } from "@sightline/core/format";
import { LINK_WORDS, LINKS, type Link, type LinkCounts } from "@sightline/core/links";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { queryClient, trpc } from "../../../../app/clients.ts";
import { notifyFailure } from "../../../../app/notify.tsx";
import type { RunView } from "../use-run-view.ts";
import { listColumns } from "./columns.ts";
import classes from "./links-tab.module.css";

const CHECKING_MS = 700;
const ROWS: readonly (Link | null)[] = [...LINKS, null];

/** How often each link broke first, over the run's wrong answers; each number leads to them in Find. */
export function LinksTab({ view, arrived }: { view: RunView; arrived: string }) {
  const { run_id } = view;
  const [by, setBy] = useState<"steps" | "tasks">("steps");
  const [task, setTask] = useState<string | null>(null);
  const counted = useQuery({
    ...trpc.links.count.queryOptions({ run_id }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.is_checking ? CHECKING_MS : false),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has arrived is to be counted
  useEffect(() => {
    void queryClient.invalidateQueries(trpc.links.count.queryFilter({ run_id }));
  }, [arrived, run_id]);

  if (counted.isError) return <p className={classes.hint}>{counted.error.message}</p>;
  if (!counted.data) return <p className={classes.hint}>Counting …</p>;
  const counts = counted.data;
  if (counts.wrong === 0)
    return (
      <p className={classes.hint}>
        No wrong answer was stored of this run yet. Which link broke is counted over wrong answers.
      </p>
    );
  const tasks = [...new Set(counts.cells.map((cell) => cell.task))].sort();
  const find = (filter: FindFilter) => view.findIn(filter);
  return (
    <div className={classes.tab}>
      <header className={classes.header}>
        <strong>Which link broke first</strong>
        <Standing run_id={run_id} counts={counts} />
        <span className={classes.controls}>
          {tasks.length > 1 && by === "steps" && (
            <Select
              size="xs"
              aria-label="Task"
              placeholder="All tasks"
              clearable
              clearButtonProps={{ "aria-label": "All tasks" }}
              data={tasks.map((value) => ({ value, label: value.replaceAll("_", " ") }))}
              value={task}
              onChange={setTask}
            />
          )}
          <SegmentedControl
            size="xs"
            aria-label="Columns"
            data={[
              { value: "steps", label: "By steps" },
              { value: "tasks", label: "By tasks" },
            ]}
            value={by}
            onChange={(value) => setBy(value as typeof by)}
          />
        </span>
      </header>
      <div className={classes.scroll}>
        <CountTable counts={counts} by={by} task={by === "steps" ? task : null} onFind={find} />
        <p className={classes.note}>
          Each wrong answer counts once, at the first link that fails. A number opens its completions. A dot
          says that of some of them an earlier link can’t be told, for want of a clip, say.
        </p>
      </div>
    </div>
  );
}

/** How many were looked at; while that goes on it can be stopped, and later gone on with. */
function Standing({
  run_id,
  counts: { wrong, checked, is_checking },
}: {
  run_id: string;
  counts: LinkCounts;
}) {
  const refresh = () => queryClient.invalidateQueries(trpc.links.count.queryFilter({ run_id }));
  const onError = (error: unknown) => notifyFailure("That did not work", error);
  const stop = useMutation(trpc.links.stop.mutationOptions({ onSuccess: refresh, onError }));
  const goOn = useMutation(trpc.links.goOn.mutationOptions({ onSuccess: refresh, onError }));
  if (checked < wrong)
    return (
      <span className={classes.standing} role="status">
        <Progress
          className={classes.progress}
          size="sm"
          value={(100 * checked) / wrong}
          aria-label="Wrong answers looked at"
        />
        {formatCount(checked)} of {formatNumberOf(wrong, "wrong answer")} looked at{" "}
        {is_checking ? (
          <Button size="compact-xs" variant="default" onClick={() => stop.mutate({ run_id })}>
            Stop
          </Button>
        ) : (
          <Button size="compact-xs" variant="default" onClick={() => goOn.mutate({ run_id })}>
            Go on
          </Button>
        )}
      </span>
    );
  return (
    <span className={classes.standing}>
      <span role="status">{formatNumberOf(wrong, "wrong answer")}</span>
      <Button
        size="compact-xs"
        variant="subtle"
        title="Look at all of them anew, with the clips and triples that there are by now"
        onClick={() => goOn.mutate({ run_id, again: true })}
      >
        Count again
      </Button>
    </span>
  );
}

/** Lets the two ends of a stretch stand under each other where many columns stand side by side. */
const breakRange = (label: string) => label.replace("–", "–\u200b");

function CountTable({
  counts,
  by,
  task,
  onFind,
}: {
  counts: LinkCounts;
  by: "steps" | "tasks";
  task: string | null;
  onFind: (filter: FindFilter) => void;
}) {
  const cells = task === null ? counts.cells : counts.cells.filter((cell) => cell.task === task);
  const columns = listColumns(cells, by, counts.width);
  const sum = (list: typeof cells) => list.reduce((all, { n }) => all + n, 0);
  const total = sum(cells);
  const most = Math.max(
    1,
    ...columns.flatMap(({ has }) =>
      ROWS.map((link) => sum(cells.filter((one) => one.broken === link && has(one)))),
    ),
  );
  const widest = Math.max(1, ...ROWS.map((link) => sum(cells.filter(({ broken }) => broken === link))));
  const whole: FindFilter = task === null ? {} : { task };
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">Link</th>
          <th scope="col" className={classes.all}>
            {by === "steps" ? "All steps" : "All tasks"}
          </th>
          {columns.map(({ key, label }) => (
            <th key={key} scope="col" className={classes.column}>
              {breakRange(label)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ROWS.map((link) => {
          const of = cells.filter(({ broken }) => broken === link);
          const n = sum(of);
          const name = link === null ? "No link found broken" : LINK_WORDS[link];
          const filter: FindFilter = { ...whole, broken: link ?? "none" };
          const figure = `${formatCount(n)} · ${((100 * n) / Math.max(1, total)).toFixed(n === total ? 0 : 1)} %`;
          return (
            <tr key={link ?? "none"} data-empty={n === 0 || undefined}>
              <th scope="row">{name}</th>
              <td className={classes.all}>
                {n === 0 ? (
                  <span className={classes.none}>0</span>
                ) : (
                  <button
                    type="button"
                    className={classes.bar}
                    aria-label={`${name}: ${figure}, find them`}
                    onClick={() => onFind(filter)}
                  >
                    <span className={classes.fill} style={{ width: `${(100 * n) / widest}%` }} />
                    <span className={classes.figure}>{figure}</span>
                  </button>
                )}
              </td>
              {columns.map(({ key, label, has, filter: within }) => {
                const here = of.filter(has);
                const count = sum(here);
                const isUntold = here.some(({ untold }) => untold > 0);
                return (
                  <td key={key} className={classes.column}>
                    {count > 0 && (
                      <button
                        type="button"
                        className={classes.cell}
                        style={
                          { "--share": `${Math.round(8 + (40 * count) / most)}%` } as React.CSSProperties
                        }
                        aria-label={`${name}, ${label}: ${formatNumberOf(count, "answer")}, find them`}
                        onClick={() => onFind({ ...filter, ...within })}
                      >
                        {formatCount(count)}
                        {isUntold && (
                          <span className={classes.dot} title="Of some an earlier link can’t be told" />
                        )}
                      </button>
                    )}
                  </td>
                );
              })}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
