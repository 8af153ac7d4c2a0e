import type { Strike } from "@sightline/core/ask";
import { type DiffPiece, differ } from "@sightline/core/perception";
import type { Trace } from "@sightline/core/traces";
import { useMemo } from "react";
import classes from "./before-and-after.module.css";

/** The trace before and the one after something was struck out or edited, with what differs and whether it flipped. */
export function BeforeAndAfter({ before, after }: { before: Trace; after: Trace }) {
  const pieces = useMemo(() => differ(before.text, after.text), [before.text, after.text]);
  const flipped = before.reading?.letter !== after.reading?.letter;
  return (
    <div className={classes.root} data-testid="before-and-after" data-flipped={flipped}>
      <h3 className={classes.title}>
        Before and after
        <span className={classes.verdict} data-flipped={flipped}>
          {flipped
            ? `the answer flipped: ${before.reading?.letter ?? "none"} → ${after.reading?.letter ?? "none"}`
            : `the answer stayed ${after.reading?.letter ?? "none"}`}
        </span>
      </h3>
      <p className={classes.changed}>{sayChange(before, after)}</p>
      <div className={classes.sides}>
        <Side name="before" trace={before} pieces={pieces.left} />
        <Side name="after" trace={after} pieces={pieces.right} />
      </div>
    </div>
  );
}

function Side({ name, trace, pieces }: { name: string; trace: Trace; pieces: readonly DiffPiece[] }) {
  return (
    <div className={classes.side}>
      <h4>
        {name} · {trace.reading?.letter ?? "no answer"}
        {trace.accuracy !== null && (trace.accuracy === 1 ? " ✓" : " ✗")}
      </h4>
      <p>
        {pieces.map(({ text, is_shared }, index) =>
          is_shared ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, in order.
            <span key={index}>{text}</span>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, in order.
            <mark key={index}>{text}</mark>
          ),
        )}
        {trace.text === "" && "Nothing was written."}
      </p>
    </div>
  );
}

const nameStrike = ({ index, sentence }: Strike) =>
  sentence === null ? `key-frame ${index}` : `“${sentence}” of key-frame ${index}`;

function sayChange(before: Trace, after: Trace): string {
  const has = (list: readonly Strike[], one: Strike) =>
    list.some(({ index, sentence }) => index === one.index && sentence === one.sentence);
  const out = after.struck.filter((one) => !has(before.struck, one));
  const back = before.struck.filter((one) => !has(after.struck, one));
  const edited = after.triples.filter((triple) => {
    const other = before.triples.find(({ index }) => index === triple.index);
    return (
      other !== undefined &&
      (other.action !== triple.action || other.change !== triple.change || other.relevant !== triple.relevant)
    );
  });
  const parts = [
    ...(out.length > 0 ? [`Struck out: ${out.map(nameStrike).join(", ")}.`] : []),
    ...(back.length > 0 ? [`Told again: ${back.map(nameStrike).join(", ")}.`] : []),
    ...(edited.length > 0
      ? [
          `Different: key-frame${edited.length > 1 ? "s" : ""} ${edited.map(({ index }) => index).join(", ")}.`,
        ]
      : []),
  ];
  return parts.length > 0 ? parts.join(" ") : "Told the same.";
}
