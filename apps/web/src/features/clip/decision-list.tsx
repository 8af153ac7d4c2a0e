import { SegmentedControl } from "@mantine/core";
import type { KeyFrameDecision, KeyFrameSelection } from "@sightline/core/keyframes";
import { EmptyState } from "@sightline/ui/empty-state";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import classes from "./decision-list.module.css";
import { explain } from "./sampled.ts";
import { getThumb } from "./thumb.ts";
import { VerdictMark } from "./verdict-mark.tsx";

/** Before it is measured; a long reason takes another line. */
const ROW_PX = 62;

type Filter = "all" | "kept" | "dropped" | "failed";

function matches(decision: KeyFrameDecision, filter: Filter): boolean {
  switch (filter) {
    case "all":
      return true;
    case "kept":
      return decision.kept;
    case "dropped":
      return !decision.kept;
    case "failed":
      return decision.evidence?.failure != null;
  }
}

/** Every sampled frame with the reason why it was kept or dropped. The one on screen is kept in view. */
export const DecisionList = memo(function DecisionList({
  selection,
  current,
  hovered,
  onOpen,
  onHover,
}: {
  selection: KeyFrameSelection;
  /** The sampled frame on screen, or the last one before it; likewise the one that is pointed at. */
  current: number | null;
  hovered: number | null;
  onOpen(frame: number): void;
  onHover(frame: number | null): void;
}) {
  const [filter, setFilter] = useState<Filter>("all");
  const { decisions } = selection;
  const counts = useMemo(
    () => ({
      kept: decisions.filter((decision) => decision.kept).length,
      failed: decisions.filter((decision) => matches(decision, "failed")).length,
    }),
    [decisions],
  );
  const shown = useMemo(() => decisions.filter((one) => matches(one, filter)), [decisions, filter]);

  const scrollRef = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
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
            { value: "all", label: `All ${decisions.length}` },
            { value: "kept", label: `Kept ${counts.kept}` },
            { value: "dropped", label: `Dropped ${decisions.length - counts.kept}` },
            ...(counts.failed > 0 ? [{ value: "failed", label: `Not compared ${counts.failed}` }] : []),
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
              const decision = shown[item.index];
              if (decision === undefined) return null;
              return (
                <li
                  key={decision.frame}
                  ref={rows.measureElement}
                  data-index={item.index}
                  className={classes.item}
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <Row
                    decision={decision}
                    selection={selection}
                    is_current={decision.frame === current}
                    is_hovered={decision.frame === hovered}
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

const Row = memo(function Row({
  decision,
  selection,
  is_current,
  is_hovered,
  onOpen,
  onHover,
}: {
  decision: KeyFrameDecision;
  selection: KeyFrameSelection;
  is_current: boolean;
  is_hovered: boolean;
  onOpen(frame: number): void;
  onHover(frame: number | null): void;
}) {
  const { frame, time_secs, overlap, kept, evidence } = decision;
  const { verdict, reason } = explain(decision, selection.settings);
  return (
    <button
      type="button"
      className={classes.row}
      tabIndex={-1}
      aria-current={is_current ? "true" : undefined}
      data-hovered={is_hovered}
      data-kept={kept}
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
          <VerdictMark kept={kept} failed={evidence?.failure != null} />
          <span className={classes.name}>frame {frame}</span>
          <span className={classes.time}>{time_secs.toFixed(2)} s</span>
          {overlap !== null && <OverlapBar overlap={overlap} threshold={selection.settings.threshold} />}
        </span>
        <span className={classes.reason}>
          <b>{verdict}</b>: {reason}
        </span>
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
