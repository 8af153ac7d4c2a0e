import { showHidden } from "@sightline/core/text";
import { useMemo } from "react";
import classes from "./trace-text.module.css";

/** More of a text than this is not told apart into characters that can be seen and others. */
const MOST_SHOWN = 200_000;

/** A text character for character: what cannot be seen stands there by name, line ends as ⏎. */
export function RawText({ text }: { text: string }) {
  const pieces = useMemo(() => showHidden(text.slice(0, MOST_SHOWN)), [text]);
  return (
    <div className={classes.raw} data-testid="raw-text">
      {pieces.map(({ text: piece, name }, index) => {
        if (name === "line end")
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, in order.
            <span key={index} className={classes.lineEnd}>
              {"⏎\n"}
            </span>
          );
        return name === null ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, in order.
          <span key={index}>{piece}</span>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, in order.
          <span key={index} className={classes.unseen}>
            {name}
          </span>
        );
      })}
      {text.length > MOST_SHOWN && (
        <p className={classes.nothing}>
          {(text.length - MOST_SHOWN).toLocaleString("en")} more characters are only shown in the text as it
          reads.
        </p>
      )}
    </div>
  );
}
