import type { StatedAction } from "@sightline/core/decisions";
import { differ, type KnownTriple, type TripleSet } from "@sightline/core/perception";
import { useEffect, useRef } from "react";
import { flushSync } from "react-dom";
import type { ClipPaneProps } from "../../app/clip-pane.ts";
import { TripleEditor } from "./triple-editor.tsx";
import classes from "./triple-list.module.css";
import { TripleRow } from "./triple-row.tsx";

/** The triples by key-frame; with a second set, both side by side. */
export function TripleList({
  pane,
  set,
  against,
  current,
  edited,
  raws,
  judged,
  onEdit,
  onRaw,
  onJudge,
  onChoose,
}: {
  pane: ClipPaneProps;
  set: TripleSet;
  against: TripleSet | null;
  /** Index of the triple that is on screen; null before the first. */
  current: number | null;
  /** Index of the triple that is being edited. */
  edited: number | null;
  /** Indices whose raw text is open. */
  raws: ReadonlySet<number>;
  /** Index of the triple whose right action is being chosen. */
  judged: number | null;
  onEdit(index: number | null): void;
  onRaw(index: number): void;
  /** Opens the choice of what is right instead of a triple's action, or closes it. */
  onJudge(index: number | null): void;
  /** Says what is right of a triple's action: its own, another, or only that it is wrong. */
  onChoose(index: number, action: StatedAction | null): void;
}) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${current}"]`)?.scrollIntoView({ block: "nearest" });
  }, [current]);

  const byFrame = new Map(against?.triples.map((triple) => [triple.frame, triple]));
  const rows = set.triples.map((triple) => ({ triple, other: byFrame.get(triple.frame) ?? null }));
  const only = against?.triples.filter(({ frame }) => !set.triples.some((one) => one.frame === frame)) ?? [];

  const draw = (triple: KnownTriple, other: KnownTriple | null) => {
    const { index, frame } = triple;
    if (edited === index && set.triples.includes(triple)) {
      return (
        <TripleEditor
          key={frame}
          triple_set_id={set.triple_set_id}
          triple={triple}
          onClose={() => {
            flushSync(() => onEdit(null));
            list.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-edits]`)?.focus();
          }}
        />
      );
    }
    return (
      <TripleRow
        key={frame}
        clip_id={pane.clip.clip_id}
        triple={triple}
        compared={
          against === null
            ? null
            : { other, diff: differ(describe(triple), other === null ? "" : describe(other)) }
        }
        is_current={current === index}
        is_hovered={pane.hovered === frame}
        shows_raw={raws.has(index)}
        person={set.triples.includes(triple) ? findPersonAction(pane.version, set, index) : null}
        is_judged={judged === index}
        onOpen={() => pane.onOpen(frame)}
        onHover={(is_in) => pane.onHover(is_in ? frame : null)}
        onEdit={() => onEdit(index)}
        onRaw={() => onRaw(index)}
        onJudge={(is_open) => onJudge(is_open ? index : null)}
        onChoose={(action) => onChoose(index, action)}
      />
    );
  };

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard.
    <section className={classes.scroll} tabIndex={0} aria-label="Triples by key-frame">
      <ol ref={list} className={classes.list} data-compared={against !== null}>
        {rows.map(({ triple, other }) => draw(triple, other))}
      </ol>
      {only.length > 0 && (
        <p className={classes.only}>
          {against?.label} also describes {only.map(({ frame }) => `frame ${frame}`).join(", ")}, which is no
          key-frame of this set.
        </p>
      )}
    </section>
  );
}

/** What a person said of the way to a triple's key-frame, as long as it is the way that the set describes. */
function findPersonAction(version: ClipPaneProps["version"], { triples }: TripleSet, index: number) {
  const action = version?.key_frames.find(({ frame }) => frame === triples[index]?.frame)?.action ?? null;
  return action?.from_frame === triples[index - 1]?.frame ? action : null;
}

const describe = ({ change, relevant }: KnownTriple) =>
  [change, relevant].filter((part) => part !== "").join("\n");
