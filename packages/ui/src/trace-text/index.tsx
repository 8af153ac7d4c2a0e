import { cutTrace, type Span } from "./pieces.ts";
import classes from "./trace-text.module.css";

const NONE: Citation[] = [];

export { cutTrace, type Piece, type PieceKind, type Span } from "./pieces.ts";

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
  /** A link was followed; gets the key-frame's number. */
  onCite?: (index: number) => void;
  /** The pointer or the focus is on a link, or on none. */
  onPoint?: (index: number | null) => void;
}) {
  if (text === "") return <p className={classes.nothing}>Nothing was written.</p>;
  return (
    <p className={classes.trace}>
      {cutTrace(
        text,
        { think, answer, letter },
        citations.map(({ from, to }) => [from, to]),
        hits,
      ).map((piece) => {
        const cited = piece.kind === "citation" && citations.find(({ from }) => from === piece.from);
        if (cited && onCite)
          return (
            <button
              key={piece.from}
              type="button"
              className={classes.citation}
              data-kind="citation"
              aria-label={`Open frame ${piece.text}`}
              onClick={() => onCite(cited.index)}
              onMouseEnter={() => onPoint?.(cited.index)}
              onMouseLeave={() => onPoint?.(null)}
              onFocus={() => onPoint?.(cited.index)}
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
      })}
      {truncated && <span className={classes.cut}> cut here</span>}
    </p>
  );
}
