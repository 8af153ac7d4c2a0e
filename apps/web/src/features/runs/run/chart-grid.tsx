import type { RunSeries, RunSummary, XMap } from "@sightline/core/runs";
import {
  type Cursor,
  Curve,
  type CurveBand,
  type CurveMark,
  type CurveSeries,
  type Extent,
  type Viewport,
} from "@sightline/ui/curve";
import { memo, startTransition, useCallback, useEffect, useMemo, useState } from "react";
import classes from "./chart-grid.module.css";
import { type Chart, getOtherCharts, getSections } from "./charts.ts";
import { useOverlay } from "./use-overlay.ts";
import { useSeen } from "./use-seen.ts";
import { useWindows } from "./use-windows.ts";
import { cutToNewest, describeX, moveBands, moveExtent, moveMarks, moveSeries } from "./x-axis.ts";

export type ChartGridProps = {
  series: RunSeries;
  cursor: Cursor;
  viewport: Viewport;
  /** Where steps lie on the x axis. */
  map: XMap;
  /** Runs that are drawn beside this one. */
  beside: readonly RunSummary[];
  /** In steps, as are marks, extent, window and selected. */
  bands: readonly CurveBand[];
  marks: readonly CurveMark[];
  extent: Extent;
  window: Extent | null;
  selected: number | null;
  smoothing: number;
  onPick: (step: number) => void;
  onWindow: (window: Extent | null) => void;
};

/** All charts of a run, over one x axis and one cursor. */
export const ChartGrid = memo(function ChartGrid(props: ChartGridProps) {
  const names = [...props.series.metrics.keys()].sort().join("\n");
  const [sections, others] = useMemo(() => {
    const all = names === "" ? [] : names.split("\n");
    return [getSections(all), getOtherCharts(all)];
  }, [names]);
  const [isOpen, setOpen] = useState(false);
  const order = useMemo(() => sections.flatMap(({ charts }) => charts), [sections]);
  const count = useGrowing(order.length);
  return (
    <div className={classes.sections}>
      {sections.map(({ title, charts }) => (
        <section key={title} aria-label={title}>
          <h2 className={classes.heading}>{title}</h2>
          <div className={classes.grid}>
            {charts.map((chart) =>
              order.indexOf(chart) < count ? (
                <ChartOf key={chart.id} chart={chart} {...props} />
              ) : (
                <div key={chart.id} className={classes.waiting} />
              ),
            )}
          </div>
        </section>
      ))}
      {others.length > 0 && (
        <section aria-label="Other metrics">
          <button
            type="button"
            className={classes.more}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? "Hide" : "Show"} {others.length} other {others.length === 1 ? "metric" : "metrics"} that
            the trainer logged
          </button>
          {isOpen && (
            <div className={classes.grid}>
              {others.map((chart) => (
                <ChartOf key={chart.id} chart={chart} {...props} />
              ))}
            </div>
          )}
        </section>
      )}
      <ul className={classes.legend}>
        {MARKS.map(([glyph, meaning]) => (
          <li key={meaning}>
            <span aria-hidden="true">{glyph}</span> {meaning}
          </li>
        ))}
      </ul>
    </div>
  );
});

const FIRST = 1;
const STEP = 3;

/** How many charts there are by now: the first at once, so that it waits for none of the others, then some at a time. */
function useGrowing(all: number): number {
  const [count, setCount] = useState(FIRST);
  useEffect(() => {
    if (count >= all) return;
    const timer = setTimeout(() => startTransition(() => setCount(count + STEP)));
    return () => clearTimeout(timer);
  }, [count, all]);
  return count;
}

/** What the marks of the charts mean. */
const MARKS = [
  ["■", "checkpoint"],
  ["◇", "evaluation"],
  ["○", "restart"],
  ["△", "warning"],
  ["▽", "alert"],
  ["▲", "error, and +∞ in a curve"],
  ["▼", "−∞"],
  ["×", "NaN"],
  ["┄", "sampled: measured on a part only"],
  ["·····", "rolled back: gone over again by a later attempt"],
] as const;

function ChartOf({ chart, series, map, beside, ...shared }: ChartGridProps & { chart: Chart }) {
  const { ref, isSeen } = useSeen<HTMLDivElement>();
  const sharp = useWindows(series, chart.names, shared.window, chart.kind === "stacked" ? "window" : "whole");
  const names = chart.beside ?? chart.names;
  const others = useOverlay(beside, names, map.kind, shared.window, isSeen);
  const isAlone = beside.length > 0 && (names.length === 0 || map.kind === "stage");
  const drawing = useMemo(() => {
    const { series: own, over, note } = chart.draw(sharp);
    // Stacks would hide each other where stages lie over each other.
    const isCut = chart.kind === "stacked" && map.kind === "stage";
    const move = (line: CurveSeries) => (isCut ? cutToNewest(moveSeries(line, map)) : moveSeries(line, map));
    return {
      series: own.map(move),
      over: over?.map(move),
      note: note ?? (isCut ? "The newest stage alone." : undefined),
    };
  }, [chart, sharp, map]);
  const isStacked = chart.kind === "stacked";
  // Many runs lie behind this one's own line, and before its areas.
  const [lines, over] = useMemo(
    () =>
      isStacked
        ? [drawing.series, [...others, ...(drawing.over ?? [])]]
        : [[...others, ...drawing.series], drawing.over],
    [isStacked, others, drawing],
  );
  const note = [
    drawing.note,
    isAlone && "This run alone; the others are not drawn here.",
    others.length > 0 && chart.beside_note,
  ].filter(Boolean);
  const words = describeX(map.kind);
  const bands = useMemo(() => moveBands(shared.bands, map), [shared.bands, map]);
  const marks = useMemo(() => moveMarks(shared.marks, map), [shared.marks, map]);
  const extent = useMemo(() => moveExtent(shared.extent, map), [shared.extent, map]);
  const window = useMemo(() => shared.window && moveExtent(shared.window, map), [shared.window, map]);
  const { onPick, onWindow } = shared;
  const pick = useCallback((x: number) => onPick(map.toStep(x)), [onPick, map]);
  const zoom = useCallback(
    (next: Extent | null) =>
      onWindow(next && map.kind !== "step" ? [map.toStep(next[0]), map.toStep(next[1])] : next),
    [onWindow, map],
  );
  const canZoom = map.kind !== "stage";
  return (
    <div ref={ref} className={classes.cell}>
      <Curve
        title={chart.title}
        series={lines}
        over={over}
        lines_to_come={isAlone ? 0 : names.length * beside.length + drawing.series.length}
        note={note.length > 0 ? note.join(" ") : undefined}
        kind={chart.kind}
        y_at_least={chart.y_at_least}
        formatX={words.format}
        formatY={chart.formatY}
        can_log={chart.can_log}
        empty={chart.empty}
        x_label={words.label}
        x_extent={extent ?? undefined}
        cursor={shared.cursor}
        viewport={canZoom ? shared.viewport : undefined}
        bands={bands}
        marks={marks}
        window={window}
        selected={shared.selected === null ? null : map.toX(shared.selected)}
        smoothing={chart.is_smoothed ? shared.smoothing : 0}
        onPick={pick}
        onWindow={canZoom ? zoom : undefined}
      />
    </div>
  );
}
