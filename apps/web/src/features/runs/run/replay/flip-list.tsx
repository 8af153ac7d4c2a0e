import { Button, CloseButton } from "@mantine/core";
import { formatCount } from "@sightline/core/format";
import type { Flip, ReplayFlip, ReplaySide } from "@sightline/core/replay";
import { REWARD_PARTS } from "@sightline/core/wire";
import { CompletionColumn } from "@sightline/ui/group-grid";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../../../../app/clients.ts";
import { FLIP_WORDS, formatPart } from "./describe.ts";
import classes from "./replay.module.css";

const PAGE = 100;

/** Flipped completions, and the one that is open with both sides. */
export function FlipList({
  run_id,
  replay_id,
  flip,
  task,
  open,
  onOpen,
}: {
  run_id: string;
  replay_id: string;
  flip: Flip | null;
  task: string | null;
  open: number | null;
  onOpen: (completion_id: number | null) => void;
}) {
  const [at, setAt] = useState({ key: "", page: 0 });
  const key = `${replay_id} ${flip} ${task}`;
  const page = at.key === key ? at.page : 0;
  const found = useQuery({
    ...trpc.replay.flips.queryOptions({ replay_id, flip, task, offset: page * PAGE, limit: PAGE }),
    placeholderData: keepPreviousData,
  });
  if (found.isError) return <p className={classes.problem}>{found.error.message}</p>;
  if (!found.data) return <p className={classes.hint}>Reading …</p>;
  const { rows, total } = found.data;
  if (total === 0) return null;
  const pages = Math.ceil(total / PAGE);
  const chosen = rows.find(({ completion_id }) => completion_id === open) ?? null;
  return (
    <section className={classes.flipped} aria-label="Flipped completions">
      <header className={classes.flippedHead}>
        <h3 className={classes.heading}>
          {flip === null ? "All that turned over" : FLIP_WORDS[flip]}
          {task !== null && `, ${task.replaceAll("_", " ")}`}
        </h3>
        <span className={classes.quiet} role="status">
          {page * PAGE + 1} to {Math.min(total, (page + 1) * PAGE)} of {formatCount(total)}
        </span>
        {pages > 1 && (
          <span className={classes.pages}>
            <Button
              size="compact-xs"
              variant="default"
              disabled={page === 0}
              onClick={() => setAt({ key, page: page - 1 })}
            >
              Earlier
            </Button>
            <Button
              size="compact-xs"
              variant="default"
              disabled={page + 1 >= pages}
              onClick={() => setAt({ key, page: page + 1 })}
            >
              Later
            </Button>
          </span>
        )}
      </header>
      <div className={classes.flippedBody} data-split={chosen !== null || undefined}>
        <div className={classes.rows}>
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">Step</th>
                <th scope="col">Question</th>
                <th scope="col">Gold</th>
                <th scope="col">Letter</th>
                <th scope="col">Reward</th>
                <th scope="col">Advantage</th>
                <th scope="col" className={classes.words}>
                  What turned over
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.completion_id} data-open={row.completion_id === open || undefined}>
                  <td>{row.step}</td>
                  <td>
                    <button
                      type="button"
                      className={classes.link}
                      aria-expanded={row.completion_id === open}
                      onClick={() => onOpen(row.completion_id === open ? null : row.completion_id)}
                    >
                      {row.question_id}, {row.k + 1}
                    </button>
                    {row.split === "eval" && <span className={classes.quiet}> held out</span>}
                  </td>
                  <td>{row.gold ?? "–"}</td>
                  <td>
                    <Turn before={row.before.letter ?? "–"} after={row.after.letter ?? "–"} />
                  </td>
                  <td>
                    <Turn before={formatPart(row.before.reward)} after={formatPart(row.after.reward)} />
                  </td>
                  <td>
                    <Turn before={formatPart(row.before.advantage)} after={formatPart(row.after.advantage)} />
                  </td>
                  <td className={classes.words}>
                    {row.flips.map((one) => FLIP_WORDS[one].toLowerCase()).join(", ")}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {chosen !== null && <OpenedFlip run_id={run_id} flip={chosen} onClose={() => onOpen(null)} />}
      </div>
    </section>
  );
}

function Turn({ before, after }: { before: string; after: string }) {
  if (before === after) return <span className={classes.quiet}>{before}</span>;
  return (
    <>
      <span className={classes.quiet}>{before}</span> → {after}
    </>
  );
}

const SIDE_ROWS: [string, (side: ReplaySide) => string][] = [
  ["letter read", (side) => side.letter ?? "none"],
  ...REWARD_PARTS.map((part): [string, (side: ReplaySide) => string] => [
    part,
    (side) => formatPart(side[part]),
  ]),
  ["reward", (side) => formatPart(side.reward)],
  ["advantage", (side) => formatPart(side.advantage)],
];

/** One completion: both sides beside each other, and its text. */
function OpenedFlip({ run_id, flip, onClose }: { run_id: string; flip: ReplayFlip; onClose: () => void }) {
  const { completion_id, step, group_id, before, after, gold } = flip;
  const found = useQuery(trpc.find.get.queryOptions({ completion_id }));
  return (
    <section className={classes.opened} aria-label="Before and after of one completion">
      <header className={classes.flippedHead}>
        <h3 className={classes.heading}>
          Step {step}, {flip.question_id}
        </h3>
        {flip.split === "eval" && <span className={classes.quiet}>held out: no reward</span>}
        <Button
          renderRoot={(props) => (
            <Link
              to="/runs/$runId"
              params={{ runId: run_id }}
              search={{ step, group: group_id, tab: "groups" }}
              {...props}
            />
          )}
          size="compact-xs"
          variant="default"
        >
          Open its group
        </Button>
        <CloseButton size="sm" aria-label="Close the completion" onClick={onClose} />
      </header>
      <table className={classes.sides}>
        <thead>
          <tr>
            <td />
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {SIDE_ROWS.map(([name, show]) => {
            const [was, is] = [show(before), show(after)];
            return (
              <tr key={name} data-turned={was !== is || undefined}>
                <th scope="row">{name}</th>
                <td>{was}</td>
                <td>{is}</td>
              </tr>
            );
          })}
          {(before.reason ?? after.reason) !== null && (
            <tr>
              <th scope="row">why none</th>
              <td>{before.reason ?? ""}</td>
              <td>{after.reason ?? ""}</td>
            </tr>
          )}
        </tbody>
      </table>
      {found.isError && <p className={classes.problem}>{found.error.message}</p>}
      {found.data && <CompletionColumn completion={found.data.line} gold={gold} />}
    </section>
  );
}
