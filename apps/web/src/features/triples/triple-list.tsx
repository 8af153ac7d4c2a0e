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
  onEdit,
  onRaw,
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
  onEdit(index: number | null): void;
  onRaw(index: number): void;
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
        onOpen={() => pane.onOpen(frame)}
        onHover={(is_in) => pane.onHover(is_in ? frame : null)}
        onEdit={() => onEdit(index)}
        onRaw={() => onRaw(index)}
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

const describe = ({ change, relevant }: KnownTriple) =>
  [change, relevant].filter((part) => part !== "").join("\n");
