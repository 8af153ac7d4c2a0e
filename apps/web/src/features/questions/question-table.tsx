import type { QuestionSet, StoredQuestion } from "@sightline/core/benchmarks";
import { formatCount } from "@sightline/core/format";
import { EmptyState } from "@sightline/ui/empty-state";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { trpc } from "../../app/clients.ts";
import { MATCHES } from "./match-bar.tsx";
import classes from "./question-table.module.css";

const route = getRouteApi("/questions/$setId");
const ROW_PX = 38;
const PAGE = 100;

/** The set's questions under the filters of the address; only the pages on screen are asked for. */
export function QuestionTable({
  set,
  opened,
  onOpen,
}: {
  set: QuestionSet;
  opened: string | null;
  onOpen(question_id: string): void;
}) {
  const { q, task, match, side, trash } = route.useSearch();
  const filter = { set_id: set.set_id, words: q, task, match, side, trash, limit: PAGE };
  const first = useQuery(
    trpc.questions.list.queryOptions({ ...filter, offset: 0 }, { placeholderData: keepPreviousData }),
  );
  const total = first.data?.total ?? 0;
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const numbers = [...new Set(items.map(({ index }) => Math.floor(index / PAGE)))];
  const pages = useQueries({
    queries: numbers.map((page) =>
      trpc.questions.list.queryOptions(
        { ...filter, offset: page * PAGE },
        { placeholderData: keepPreviousData },
      ),
    ),
  });
  const getQuestion = (index: number): StoredQuestion | undefined =>
    pages[numbers.indexOf(Math.floor(index / PAGE))]?.data?.questions[index % PAGE];

  const wanted = useRef<number | null>(null);
  // The row that the keyboard went to may have to be asked for and drawn first.
  useEffect(() => {
    const row = scroll.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] button`);
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const at = Number(
      (event.target as HTMLElement).closest<HTMLElement>("[data-index]")?.dataset.index ?? Number.NaN,
    );
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: total - 1 }[event.key];
    if (to === undefined || Number.isNaN(at)) return;
    event.preventDefault();
    const index = Math.max(0, Math.min(total - 1, to));
    wanted.current = index;
    virtual.scrollToIndex(index);
    scroll.current?.querySelector<HTMLElement>(`[data-index="${index}"] button`)?.focus();
  };

  if (first.isError)
    return <EmptyState title="The questions could not be read">{first.error.message}</EmptyState>;
  if (first.data === undefined) return <p className={classes.waiting}>Reading the questions …</p>;
  if (total === 0)
    return (
      <EmptyState title={trash ? "No question in the trash" : "No question is like that"}>
        {trash ? "Questions that you throw away are kept here." : "Change the filter to see others."}
      </EmptyState>
    );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the buttons inside.
    <div ref={scroll} className={classes.scroll} onKeyDown={onKeyDown}>
      <table className={classes.table} aria-label="Questions" aria-rowcount={total + 1}>
        <thead>
          <tr>
            <th scope="col">Id</th>
            <th scope="col">Question</th>
            <th scope="col">Task</th>
            <th scope="col">Gold</th>
            <th scope="col">Clip</th>
          </tr>
        </thead>
        <tbody style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const question = getQuestion(index);
            return (
              <tr
                key={index}
                data-index={index}
                aria-rowindex={index + 2}
                className={classes.row}
                data-opened={(question && question.question_id === opened) || undefined}
                style={{ transform: `translateY(${start}px)` }}
              >
                {question ? (
                  <Cells question={question} onOpen={onOpen} />
                ) : (
                  <td className={classes.quiet}>…</td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className={classes.foot} aria-live="polite">
        {formatCount(total)} of {formatCount(set.questions)} questions
      </p>
    </div>
  );
}

function Cells({ question, onOpen }: { question: StoredQuestion; onOpen(question_id: string): void }) {
  const { question_id, source_id, text, task, gold, clip_name, match, edited_secs, kind, options } = question;
  return (
    <>
      <td className={classes.quiet} title={source_id}>
        {source_id}
      </td>
      <td>
        <button type="button" className={classes.open} title={text} onClick={() => onOpen(question_id)}>
          {text}
        </button>
        {edited_secs !== null && <span className={classes.edited}>edited</span>}
      </td>
      <td className={classes.quiet} title={task}>
        {task}
      </td>
      <td>
        {gold ?? "–"}
        {kind === "choice" && <span className={classes.of}> of {options.length}</span>}
      </td>
      <td className={classes.clip} data-match={match} title={`${clip_name ?? ""} ${MATCHES[match].meaning}`}>
        <span className={classes.dot} aria-hidden />
        <span className={classes.clipName}>{clip_name ?? MATCHES[match].label}</span>
        {clip_name !== null && match !== "matched" && (
          <span className={classes.of}>{MATCHES[match].label}</span>
        )}
      </td>
    </>
  );
}
