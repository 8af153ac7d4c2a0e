import { useElementSize, useMergedRef } from "@mantine/hooks";
import type { Clip, Job } from "@sightline/core/clips";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
import type { ClipActions } from "./clip-actions.ts";
import { ClipCard } from "./clip-card.tsx";
import classes from "./clip-list.module.css";
import { ClipRow } from "./clip-row.tsx";
import { getReadShare } from "./describe.ts";
import type { Selection } from "./selection.ts";

const PADDING = 20;
const GAP = 16;
const CARD_MIN = 216;
/** Height of a card's text below its picture, with the gap to the next row. */
const CARD_TEXT = 46 + 22;
const ROW = 44;

/** How many cards stand side by side in so many pixels. */
export function countColumns(width: number): number {
  return Math.max(1, Math.floor((width - 2 * PADDING + GAP) / (CARD_MIN + GAP)));
}

type Props = {
  clips: readonly Clip[];
  jobs: readonly Job[];
  view: "grid" | "list";
  selection: Selection;
  renaming: string | null;
  actions: ClipActions;
  /** Told when the number of cards side by side changes: the arrow keys go by it. */
  onColumns: (columns: number) => void;
  /** What stands above the clips and scrolls with them. */
  above?: ReactNode;
};

/** The clips as cards or rows; only what is in sight is drawn, so that thousands scroll. */
export function ClipList({ clips, jobs, view, selection, renaming, actions, onColumns, above }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const { ref: sized, width } = useElementSize();
  const columns = view === "list" ? 1 : countColumns(width);
  const cardWidth = (width - 2 * PADDING - (columns - 1) * GAP) / columns;
  const height = view === "list" ? ROW : Math.round((cardWidth * 9) / 16) + CARD_TEXT;
  const rows = Math.ceil(clips.length / columns);
  const body = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 3,
    scrollMargin: body.current?.offsetTop ?? 0,
    paddingStart: view === "list" ? 0 : 4,
    paddingEnd: 24,
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new height is measured anew.
  useEffect(() => virtual.measure(), [height, view]);
  useEffect(() => onColumns(columns), [columns, onColumns]);

  const cursorAt = clips.findIndex(({ clip_id }) => clip_id === selection.cursor);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a moved cursor scrolls.
  useEffect(() => {
    if (cursorAt >= 0) virtual.scrollToIndex(Math.floor(cursorAt / columns), { align: "auto" });
  }, [selection.cursor]);

  return (
    <div ref={useMergedRef(scroller, sized)} className={classes.scroller}>
      {above}
      {/* biome-ignore lint/a11y/useSemanticElements: a table cannot be virtual. */}
      <div
        ref={body}
        className={classes.body}
        style={{ height: virtual.getTotalSize() }}
        role="grid"
        aria-label="Clips"
        aria-multiselectable
        aria-rowcount={rows}
        aria-colcount={columns}
        aria-activedescendant={cursorAt >= 0 ? `clip-${selection.cursor}` : undefined}
        tabIndex={0}
      >
        {width > 0 &&
          virtual.getVirtualItems().map(({ index, key, start }) => (
            // biome-ignore lint/a11y/useSemanticElements: as above.
            // biome-ignore lint/a11y/useFocusableInteractive: the grid holds the focus and names its active cell.
            <div
              key={key}
              role="row"
              aria-rowindex={index + 1}
              className={view === "list" ? classes.row : classes.cards}
              style={{
                transform: `translateY(${start - virtual.options.scrollMargin}px)`,
                height,
                gridTemplateColumns: view === "list" ? undefined : `repeat(${columns}, minmax(0, 1fr))`,
              }}
            >
              {clips.slice(index * columns, (index + 1) * columns).map((clip) => {
                const Part = view === "list" ? ClipRow : ClipCard;
                const isSelected = selection.selected.has(clip.clip_id);
                return (
                  // biome-ignore lint/a11y/useSemanticElements: as above.
                  // biome-ignore lint/a11y/useFocusableInteractive: as above.
                  <div
                    key={clip.clip_id}
                    id={`clip-${clip.clip_id}`}
                    role="gridcell"
                    aria-selected={isSelected}
                    className={classes.cell}
                  >
                    <Part
                      clip={clip}
                      isSelected={isSelected}
                      isCursor={selection.cursor === clip.clip_id}
                      isRenaming={renaming === clip.clip_id}
                      share={clip.state === "reading" ? getReadShare(clip.clip_id, jobs) : null}
                      actions={actions}
                    />
                  </div>
                );
              })}
            </div>
          ))}
      </div>
    </div>
  );
}
