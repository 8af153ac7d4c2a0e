import type { RunSeries } from "@sightline/core/runs";
import { type Cursor, Curve, type CurveBand, type CurveMark, type Extent } from "@sightline/ui/curve";
import { memo, useMemo, useState } from "react";
import classes from "./chart-grid.module.css";
import { type Chart, getOtherCharts, SECTIONS } from "./charts.ts";
import { useWindows } from "./use-windows.ts";

export type ChartGridProps = {
  series: RunSeries;
  cursor: Cursor;
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
  const others = useMemo(() => (names === "" ? [] : getOtherCharts(names.split("\n"))), [names]);
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={classes.sections}>
      {SECTIONS.map(({ title, charts }) => (
        <section key={title} aria-label={title}>
          <h2 className={classes.heading}>{title}</h2>
          <div className={classes.grid}>
            {charts.map((chart) => (
              <ChartOf key={chart.id} chart={chart} {...props} />
            ))}
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

/** What the marks of the charts mean. */
const MARKS = [
  ["■", "checkpoint"],
  ["◇", "evaluation"],
  ["○", "restart"],
  ["△", "warning"],
  ["▲", "error, and +∞ in a curve"],
  ["▼", "−∞"],
  ["×", "NaN"],
  ["┄", "sampled: measured on a part only"],
  ["·····", "rolled back: gone over again by a later attempt"],
] as const;

function ChartOf({ chart, series, ...shared }: ChartGridProps & { chart: Chart }) {
  const sharp = useWindows(series, chart.names, shared.window, chart.kind === "stacked" ? "window" : "whole");
  const drawing = useMemo(() => chart.draw(sharp), [chart, sharp]);
  return (
    <Curve
      title={chart.title}
      series={drawing.series}
      over={drawing.over}
      note={drawing.note}
      kind={chart.kind}
      y_at_least={chart.y_at_least}
      formatY={chart.formatY}
      can_log={chart.can_log}
      empty={chart.empty}
      x_extent={shared.extent}
      cursor={shared.cursor}
      bands={shared.bands}
      marks={shared.marks}
      window={shared.window}
      selected={shared.selected}
      smoothing={chart.is_smoothed ? shared.smoothing : 0}
      onPick={shared.onPick}
      onWindow={shared.onWindow}
    />
  );
}
