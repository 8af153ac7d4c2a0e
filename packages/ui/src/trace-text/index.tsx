import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { cutBlocks, LONG_TEXT } from "./blocks.ts";
import { cutTrace, type Piece, type Span } from "./pieces.ts";
import classes from "./trace-text.module.css";

const NONE: Citation[] = [];

export { cutTrace, type Piece, type PieceKind, type Span } from "./pieces.ts";
export { RawText } from "./raw-text.tsx";

/** A key-frame that a trace names: where, and its number among the key-frames. */
export type Citation = { from: number; to: number; index: number };

/**
 * One reasoning output, think and answer told apart. The text is text: nothing in it becomes HTML or Markdown, and
 * its tags stay to be read.
 */
export function TraceText({
  text,
  think,
  answer,
  letter = null,
  truncated = false,
  citations = NONE,
  hits,
  differs,
  pointed = null,
  onCite,
  onPoint,
}: {
  text: string;
  /** Inside of the reasoning, in UTF-16 offsets; null when there is none. */
  think: Span | null;
  answer: Span | null;
  /** The letter that was read as the answer. */
  letter?: Span | null;
  /** It was cut at the longest length. */
  truncated?: boolean;
  /** Drawn as links. */
  citations?: readonly Citation[];
  /** Words that were looked for, marked. */
  hits?: readonly Span[] | undefined;
  /** Stretches in which it leaves what the others of its group say, marked. */
  differs?: readonly Span[] | undefined;
  /** The key-frame that is pointed at anywhere: links to it light up. */
  pointed?: number | null;
  /** A link was followed; gets the key-frame's number. */
  onCite?: (index: number) => void;
  /** The pointer or the focus is on a link, or on none. */
  onPoint?: (index: number | null) => void;
}) {
  const pieces = useMemo(
    () =>
      cutTrace(
        text,
        { think, answer, letter },
        citations.map(({ from, to }) => [from, to]),
        hits,
        differs,
      ),
    [text, think, answer, letter, citations, hits, differs],
  );
  const cited = useMemo(() => new Map(citations.map((one) => [one.from, one.index])), [citations]);
  const blocks = useMemo(() => (text.length > LONG_TEXT ? cutBlocks(pieces) : null), [text, pieces]);
  if (text === "") return <p className={classes.nothing}>Nothing was written.</p>;
  const show = (piece: Piece) => {
    const index = piece.kind === "citation" ? cited.get(piece.from) : undefined;
    if (index !== undefined && onCite)
      return (
        <button
          key={piece.from}
          type="button"
          className={classes.citation}
          data-kind="citation"
          data-pointed={index === pointed || undefined}
          aria-label={`Open frame ${piece.text}`}
          onClick={() => onCite(index)}
          onMouseEnter={() => onPoint?.(index)}
          onMouseLeave={() => onPoint?.(null)}
          onFocus={() => onPoint?.(index)}
          onBlur={() => onPoint?.(null)}
        >
          {piece.text}
        </button>
      );
    return (
      <span key={piece.from} className={classes[piece.kind]} data-kind={piece.kind}>
        {piece.text}
      </span>
    );
  };
  return (
    <div className={classes.trace}>
      {blocks === null ? pieces.map(show) : <Blocks blocks={blocks} show={show} />}
      {truncated && <span className={classes.cut}> cut here</span>}
    </div>
  );
}

const FIRST_SEEN = 6;

/** A long text: every block stands there as text; those that came in sight are told apart in pieces. */
function Blocks({ blocks, show }: { blocks: readonly Piece[][]; show: (piece: Piece) => ReactNode }) {
  const root = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState<ReadonlySet<number>>(() => new Set(Array(FIRST_SEEN).keys()));
  useEffect(() => {
    const element = root.current;
    if (!element) return;
    const onChange = (event: Event) => {
      const { skipped } = event as ContentVisibilityAutoStateChangeEvent;
      const at = Number((event.target as HTMLElement).dataset.block);
      if (!skipped) setSeen((before) => (before.has(at) ? before : new Set([...before, at])));
    };
    element.addEventListener("contentvisibilityautostatechange", onChange);
    return () => element.removeEventListener("contentvisibilityautostatechange", onChange);
  }, []);
  return (
    <div ref={root}>
      {blocks.map((block, index) => (
        <div key={block[0]?.from} data-block={index} className={classes.block}>
          {seen.has(index) ? block.map(show) : block.map(({ text }) => text).join("")}
        </div>
      ))}
    </div>
  );
}
