import { SegmentedControl, VisuallyHidden } from "@mantine/core";
import type { PersonAction } from "@sightline/core/decisions";
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import type { Motion } from "@sightline/core/motion";
import { EmptyState } from "@sightline/ui/empty-state";
import { HumanMark } from "@sightline/ui/human-mark";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import classes from "./decision-list.module.css";
import { ActionWords } from "./decisions/action-words.tsx";
import type { ShownFrame } from "./decisions/shown-frames.ts";
import { Reasons } from "./reasons.tsx";
import { getThumb } from "./thumb.ts";
import { VerdictMark } from "./verdict-mark.tsx";

/** Before it is measured; a long reason takes another line. */
const ROW_PX = 62;

type Filter = "all" | "kept" | "dropped" | "failed" | "person";

function matches(shown: ShownFrame, filter: Filter): boolean {
  switch (filter) {
    case "all":
      return true;
    case "kept":
      return shown.kept;
    case "dropped":
      return !shown.kept;
    case "failed":
      return shown.decision?.evidence?.failure != null;
    case "person":
      return shown.verdict !== null || getAction(shown) !== null || shown.person?.note != null;
  }
}

const getAction = ({ person }: ShownFrame): PersonAction | null =>
  person !== null && "action" in person ? person.action : null;

/**
 * Every sampled frame, and what people added, with the reason why it was kept or dropped. The one on screen is kept in
 * view.
 */
export const DecisionList = memo(function DecisionList({
  selection,
  frames,
  motions,
  current,
  hovered,
  onOpen,
  onHover,
}: {
  selection: KeyFrameSelection;
  /** Its frames as people corrected them. */
  frames: readonly ShownFrame[];
  /** Geometry's word by key-frame. */
  motions: ReadonlyMap<number, Motion>;
  /** The sampled frame on screen, or the last one before it; likewise the one that is pointed at. */
  current: number | null;
  hovered: number | null;
  onOpen(frame: number): void;
  onHover(frame: number | null): void;
}) {
  const [filter, setFilter] = useState<Filter>("all");
  const counts = useMemo(
    () => ({
      kept: frames.filter((one) => one.kept).length,
      failed: frames.filter((one) => matches(one, "failed")).length,
      person: frames.filter((one) => matches(one, "person")).length,
    }),
    [frames],
  );
  const shown = useMemo(() => frames.filter((one) => matches(one, filter)), [frames, filter]);

  const scrollRef = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
    // A row keeps its height where a frame that people added moves it down.
    getItemKey: useCallback((index: number) => shown[index]?.frame ?? index, [shown]),
  });
  const at = shown.findLastIndex(({ frame }) => current !== null && frame <= current);
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at, { align: "auto" });
  }, [at, rows]);

  return (
    <div className={classes.root}>
      <div className={classes.filter}>
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label="Which frames"
          value={filter}
          onChange={(value) => setFilter(value as Filter)}
          data={[
            { value: "all", label: `All ${frames.length}` },
            { value: "kept", label: `Kept ${counts.kept}` },
            { value: "dropped", label: `Dropped ${frames.length - counts.kept}` },
            ...(counts.person > 0
              ? [
                  {
                    value: "person",
                    label: (
                      <Counted words="By people" mark={<HumanMark verdict="confirmed" />} n={counts.person} />
                    ),
                  },
                ]
              : []),
            ...(counts.failed > 0
              ? [
                  {
                    value: "failed",
                    label:
                      counts.person > 0 ? (
                        <Counted
                          words="Not compared"
                          mark={<VerdictMark kept={false} failed />}
                          n={counts.failed}
                        />
                      ) : (
                        `Not compared ${counts.failed}`
                      ),
                  },
                ]
              : []),
          ]}
        />
      </div>
      {shown.length === 0 ? (
        <EmptyState title="No such frame">Every sampled frame is in another group.</EmptyState>
      ) : (
        <section
          ref={scrollRef}
          className={classes.scroll}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          aria-label="Sampled frames"
          onMouseLeave={() => onHover(null)}
        >
          <ol className={classes.list} style={{ height: rows.getTotalSize() }} data-testid="decisions">
            {rows.getVirtualItems().map((item) => {
              const one = shown[item.index];
              if (one === undefined) return null;
              return (
                <li
                  key={one.frame}
                  ref={rows.measureElement}
                  data-index={item.index}
                  className={classes.item}
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <Row
                    shown={one}
                    motion={motions.get(one.frame) ?? null}
                    selection={selection}
                    is_current={one.frame === current}
                    is_hovered={one.frame === hovered}
                    onOpen={onOpen}
                    onHover={onHover}
                  />
                </li>
              );
            })}
          </ol>
        </section>
      )}
    </div>
  );
});

/** A mark that stands for words where these have no room. */
function Counted({ words, mark, n }: { words: string; mark: ReactNode; n: number }) {
  return (
    <span className={classes.counted} title={words}>
      {mark}
      <VisuallyHidden>{words}</VisuallyHidden> {n}
    </span>
  );
}

const Row = memo(function Row({
  shown,
  motion,
  selection,
  is_current,
  is_hovered,
  onOpen,
  onHover,
}: {
  shown: ShownFrame;
  motion: Motion | null;
  selection: KeyFrameSelection;
  is_current: boolean;
  is_hovered: boolean;
  onOpen(frame: number): void;
  onHover(frame: number | null): void;
}) {
  const { frame, time_secs, kept, decision, verdict } = shown;
  const overlap = decision?.overlap ?? null;
  const action = getAction(shown);
  return (
    <button
      type="button"
      className={classes.row}
      tabIndex={-1}
      aria-current={is_current ? "true" : undefined}
      data-hovered={is_hovered}
      data-kept={kept}
      data-human={verdict ?? undefined}
      data-frame={frame}
      data-testid="decision"
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onOpen(frame)}
      onMouseEnter={() => onHover(frame)}
    >
      <img
        className={classes.thumb}
        src={getThumb(selection.clip_id, frame)}
        alt=""
        decoding="async"
        fetchPriority="low"
      />
      <span className={classes.text}>
        <span className={classes.head}>
          <VerdictMark kept={kept} failed={decision?.evidence?.failure != null} verdict={verdict} />
          <span className={classes.name}>frame {frame}</span>
          <span className={classes.time}>{time_secs.toFixed(2)} s</span>
          {overlap !== null && <OverlapBar overlap={overlap} threshold={selection.settings.threshold} />}
        </span>
        <span className={classes.reason}>
          <Reasons shown={shown} settings={selection.settings} />
        </span>
        {kept && (motion !== null || action !== null) && (
          <span className={classes.action}>
            <ActionWords motion={motion} person={action} />
          </span>
        )}
      </span>
    </button>
  );
});

/** The overlap as a bar with a tick where the threshold lies. */
function OverlapBar({ overlap, threshold }: { overlap: number; threshold: number }) {
  return (
    <span className={classes.overlap} aria-hidden="true">
      {overlap.toFixed(2)}
      <svg width={52} height={8} viewBox="0 0 52 8" aria-hidden="true">
        <rect className={classes.track} x={0} y={2} width={52} height={4} rx={2} />
        <rect className={classes.fill} x={0} y={2} width={Math.max(2, overlap * 52)} height={4} rx={2} />
        <rect className={classes.tick} x={Math.min(51, threshold * 52)} y={0} width={1} height={8} />
      </svg>
    </span>
  );
}
