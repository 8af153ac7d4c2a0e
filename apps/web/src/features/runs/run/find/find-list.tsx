import type { FoundCompletion, Snippet } from "@sightline/core/find";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useRef } from "react";
import classes from "./find.module.css";
import type { Found } from "./use-found.ts";

const ROW = 54;

type Props = {
  found: Found;
  /** Changes with what is asked: the list then begins anew. */
  filterKey: string;
  /** Why nothing can be found; null where something may be. */
  impossible: string | null;
  opened: number | null;
  isRolledBack: (row: FoundCompletion) => boolean;
  onOpen: (completion_id: number | null) => void;
  onRange: (range: readonly [number, number]) => void;
};

/** What was found, a row each; only what is in sight is asked for and drawn. */
export function FindList({ found, filterKey, impossible, opened, isRolledBack, onOpen, onRange }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: found.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => onRange([first, last]), [first, last, onRange]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another question begins the list anew
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [filterKey]);

  const at = items.find(({ index }) => found.at(index)?.completion_id === opened)?.index ?? -1;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (by === undefined && event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    const next =
      event.key === "Home" ? 0 : event.key === "End" ? found.total - 1 : at < 0 ? first : at + (by ?? 0);
    const index = Math.min(found.total - 1, Math.max(0, next));
    const row = found.at(index);
    virtual.scrollToIndex(index, { align: "auto" });
    if (row) onOpen(row.completion_id);
  };

  if (found.total === 0)
    return (
      <p className={classes.hint}>
        {found.problem ??
          (found.isLoading ? "Looking …" : (impossible ?? "Nothing in this run is like that."))}
      </p>
    );
  return (
    <div
      ref={scroller}
      className={classes.scroll}
      role="listbox"
      aria-label="Completions found"
      aria-activedescendant={at >= 0 ? `found-${at}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" className={classes.body} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, key, start }) => {
          const row = found.at(index);
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list box holds the focus and takes the keys
            // biome-ignore lint/a11y/useFocusableInteractive: as above
            <div
              key={key}
              id={`found-${index}`}
              role="option"
              aria-selected={row !== undefined && row.completion_id === opened}
              aria-setsize={found.total}
              aria-posinset={index + 1}
              className={classes.row}
              data-rolled-back={(row && isRolledBack(row)) || undefined}
              style={{ transform: `translateY(${start}px)`, height: ROW }}
              onClick={() => row && onOpen(row.completion_id)}
            >
              {row ? (
                <Row row={row} isRolledBack={isRolledBack(row)} />
              ) : (
                <span className={classes.quiet}>…</span>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Row({ row, isRolledBack }: { row: FoundCompletion; isRolledBack: boolean }) {
  const verdict =
    row.accuracy === null ? "unscored" : row.accuracy >= 1 ? "right" : row.accuracy > 0 ? "part" : "wrong";
  return (
    <>
      <div className={classes.line}>
        <span className={classes.letter} data-verdict={verdict} title={VERDICTS[verdict]}>
          {verdict === "right" ? "✓" : verdict === "wrong" ? "✗" : "–"} {row.letter ?? "none"}
        </span>
        <span className={classes.quiet}>gold {row.gold ?? "–"}</span>
        <span>step {row.step}</span>
        <span className={classes.task}>{row.task.replaceAll("_", " ")}</span>
        {row.split === "eval" && <span className={classes.quiet}>held out</span>}
        {row.judge_agrees !== null && (
          <span className={classes.quiet}>judge {row.judge_agrees ? "agrees" : "disagrees"}</span>
        )}
        <span className={classes.quiet}>
          {row.tokens} tokens{row.is_clipped ? ", cut" : ""}
        </span>
        {isRolledBack && <span className={classes.quiet}>rolled back</span>}
        <span className={classes.tags}>
          {row.notes > 0 && (
            <span className={classes.noted}>{row.notes === 1 ? "1 note" : `${row.notes} notes`}</span>
          )}
          {row.tags.map((tag) => (
            <span key={tag} className={classes.tag}>
              {tag}
            </span>
          ))}
        </span>
      </div>
      <SnippetText snippet={row.snippet} />
    </>
  );
}

const VERDICTS = { right: "right", wrong: "wrong", part: "partly right", unscored: "not scored" } as const;

function SnippetText({ snippet: { text, hits, cut_before, cut_after } }: { snippet: Snippet }) {
  const pieces: { from: number; text: string; isHit: boolean }[] = [];
  let at = 0;
  for (const [from, to] of hits) {
    pieces.push(
      { from: at, text: text.slice(at, from), isHit: false },
      { from, text: text.slice(from, to), isHit: true },
    );
    at = to;
  }
  pieces.push({ from: at, text: text.slice(at), isHit: false });
  return (
    <div className={classes.snippet}>
      {cut_before && "… "}
      {pieces.map(({ from, text: piece, isHit }) =>
        isHit ? <mark key={`${from}-hit`}>{piece}</mark> : <span key={from}>{piece}</span>,
      )}
      {cut_after && " …"}
    </div>
  );
}
