import { ActionIcon, Tooltip } from "@mantine/core";
import { type Strike, splitSentences } from "@sightline/core/ask";
import type { KnownTriple } from "@sightline/core/perception";
import { IconEraser, IconRestore } from "@tabler/icons-react";
import { Fragment } from "react";
import classes from "./told.module.css";

/** What the reasoner is told, key-frame by key-frame; any of it can be struck out before asking again. */
export function Told({
  triples,
  struck,
  frame,
  hovered,
  cited,
  onStrike,
  onOpen,
  onHover,
}: {
  triples: readonly KnownTriple[];
  struck: readonly Strike[];
  /** Ordinal on screen, and the one that is pointed at. */
  frame: number;
  hovered: number | null;
  /** Numbers of the key-frames that the trace cites. */
  cited: ReadonlySet<number>;
  onStrike(strike: Strike): void;
  onOpen(frame: number): void;
  onHover(frame: number | null): void;
}) {
  const here = triples.findLast((triple) => triple.frame <= frame)?.index;
  return (
    <ol className={classes.list} aria-label="What is told" onMouseLeave={() => onHover(null)}>
      {triples.map((triple) => {
        const is_struck = struck.some(({ index, sentence }) => index === triple.index && sentence === null);
        const text = triple.problems.includes("unplaced")
          ? triple.raw
          : [triple.change, triple.relevant].filter((part) => part !== "").join(" ");
        return (
          <li
            key={triple.index}
            className={classes.triple}
            data-struck={is_struck}
            data-here={triple.index === here}
            data-hovered={triple.frame === hovered}
            data-testid="told"
            data-index={triple.index}
            onMouseEnter={() => onHover(triple.frame)}
          >
            <button
              type="button"
              className={classes.name}
              title={`Frame ${triple.frame} of the clip, ${triple.time_secs.toFixed(2)} s`}
              onClick={() => onOpen(triple.frame)}
            >
              {triple.index}
              {cited.has(triple.index) && <span className={classes.cited}>cited</span>}
            </button>
            <p className={classes.text}>
              {triple.action !== null && <b className={classes.action}>{triple.action}</b>}{" "}
              {splitSentences(text).map((sentence, at) => {
                const is_out =
                  is_struck ||
                  struck.some((strike) => strike.index === triple.index && strike.sentence === sentence);
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: sentences of one text, in order.
                  <Fragment key={at}>
                    <button
                      type="button"
                      className={classes.sentence}
                      data-struck={is_out}
                      disabled={is_struck}
                      aria-pressed={is_out}
                      title={is_out ? "Take the strike back" : "Strike this sentence out"}
                      onClick={() => onStrike({ index: triple.index, sentence })}
                    >
                      {sentence}
                    </button>{" "}
                  </Fragment>
                );
              })}
            </p>
            <Tooltip label={is_struck ? "Tell it again" : "Strike it out"}>
              <ActionIcon
                size={22}
                variant="subtle"
                color="gray"
                aria-label={`${is_struck ? "Tell" : "Strike out"} key-frame ${triple.index}`}
                onClick={() => onStrike({ index: triple.index, sentence: null })}
              >
                {is_struck ? <IconRestore size={14} /> : <IconEraser size={14} />}
              </ActionIcon>
            </Tooltip>
          </li>
        );
      })}
    </ol>
  );
}
