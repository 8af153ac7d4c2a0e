import { cutTrace, type Span } from "./pieces.ts";
import classes from "./trace-text.module.css";

export { cutTrace, type Piece, type PieceKind, type Span } from "./pieces.ts";

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
}: {
  text: string;
  /** Inside of the reasoning, in UTF-16 offsets; null when there is none. */
  think: Span | null;
  answer: Span | null;
  /** The letter that was read as the answer. */
  letter?: Span | null;
  /** It was cut at the longest length. */
  truncated?: boolean;
}) {
  if (text === "") return <p className={classes.nothing}>Nothing was written.</p>;
  return (
    <p className={classes.trace}>
      {cutTrace(text, { think, answer, letter }).map((piece) => (
        <span key={piece.from} className={classes[piece.kind]} data-kind={piece.kind}>
          {piece.text}
        </span>
      ))}
      {truncated && <span className={classes.cut}> cut here</span>}
    </p>
  );
}
