import { UnstyledButton } from "@mantine/core";
import { IconZoomReset } from "@tabler/icons-react";
import { memo, type ReactNode, useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { type Axis, formatTick, formatValue, type Scale } from "./axis.ts";
import { CanvasPlot } from "./canvas-plot.tsx";
import type { Cursor } from "./cursor.ts";
import classes from "./curve.module.css";
import { ExportMenu } from "./export-menu.tsx";
import { Overlay } from "./overlay.tsx";
import { getPlotBox, getShapes } from "./picture.ts";
import { listNamed, type Reading, readAt } from "./read.ts";
import { describeReading, MeanInSight, Readout } from "./readout.tsx";
import { buildScene, getSegments } from "./scene.ts";
import { SvgPlot } from "./svg-plot.tsx";
import type { CurveBand, CurveMark, CurveSeries, Extent } from "./types.ts";
import { useMoving } from "./use-moving.ts";
import type { Viewport } from "./viewport.ts";

export { formatValue } from "./axis.ts";
export { getCssColor } from "./colors.ts";
export { type Cursor, createCursor } from "./cursor.ts";
export { type Reading, readAt } from "./read.ts";
export { type SparkLine, Sparkline } from "./sparkline.tsx";
export {
  type CurveBand,
  type CurveColor,
  type CurveMark,
  type CurveSeries,
  type Extent,
  POINT,
} from "./types.ts";
export { createViewport, type Viewport } from "./viewport.ts";

/** Lines that SVG still moves without dropping frames; beyond them the canvas draws. */
const MOST_SVG_LINES = 10;
const DEFAULT_SMOOTHING = 0.9;
const NO_BANDS: readonly CurveBand[] = [];
const NO_MARKS: readonly CurveMark[] = [];

export type CurveProps = {
  title: string;
  series: readonly CurveSeries[];
  /** Hover shared with the other charts of the page. */
  cursor: Cursor;
  /** stacked: the series share one x array and stand on each other. */
  kind?: "lines" | "stacked";
  /** A line that is drawn over a stack, for instance the total as logged; it does not stack. */
  over?: readonly CurveSeries[];
  /** How many lines it will have once all have come, so that the engine of many is not begun with that of few. */
  lines_to_come?: number;
  /** What x counts: "step". */
  x_label?: string;
  /** What the x axis shows when it is not zoomed; widened when the data reach further. */
  x_extent?: Extent;
  /** The zoomed window, or null. */
  window?: Extent | null;
  /** Panning and zooming shared with the other charts of the page; without it a chart does neither. */
  viewport?: Viewport;
  /** Values that the y axis holds in any case: [0, 1] for a rate. */
  y_at_least?: Extent;
  formatX?: (value: number, axis: Axis) => string;
  /** A value in the readout. */
  formatY?: (value: number) => string;
  bands?: readonly CurveBand[];
  marks?: readonly CurveMark[];
  /** A place that was picked, in x. */
  selected?: number | null;
  /** Weight of the past of the debiased moving average; 0 is none. A chart's own switch overrules it. */
  smoothing?: number;
  /** Height of the plot with its axes, in pixels. */
  height?: number;
  /** Where a log axis makes sense. */
  can_log?: boolean;
  /** Said in place of the lines when there is nothing to draw. */
  empty?: string;
  /** A remark under the readout: a mismatch, what a zero means. */
  note?: ReactNode;
  onPick?: (x: number) => void;
  onWindow?: (window: Extent | null) => void;
};

/** Every line chart of the product. Draws what it is given and asks for the rest by `onPick` and `onWindow`. */
export const Curve = memo(function Curve(props: CurveProps) {
  const { series, cursor, kind = "lines", bands = NO_BANDS, marks = NO_MARKS, height = 168 } = props;
  const [scale, setScale] = useState<Scale>("linear");
  const [ownSmoothing, setOwnSmoothing] = useState<boolean | null>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [highlighted, setHighlighted] = useState<string | null>(null);
  const { ref, width, isTurn } = useWidth();

  const smoothing = getSmoothing(props.smoothing ?? 0, ownSmoothing, kind);
  const shown = useMemo(() => series.filter((one) => !hidden.has(one.id)), [series, hidden]);
  const over = useMemo(() => (props.over ?? []).filter((one) => !hidden.has(one.id)), [props.over, hidden]);
  const all = useMemo(() => [...series, ...(props.over ?? [])], [series, props.over]);
  const readable = useMemo(() => listNamed([...shown, ...over]), [shown, over]);
  const named = useMemo(() => listNamed(all), [all]);
  const pointed = named.find(({ id }) => id === highlighted);
  const window = useWindow(all, props.x_extent, props.window);
  const box = useMemo(() => getPlotBox(width, height), [width, height]);
  const y_at_least = useStableExtent(props.y_at_least);

  const isReady = width > 0 && isTurn;
  const scene = useMemo(() => {
    const options = { kind, scale, smoothing, window, y_at_least, plot: box };
    if (!isReady) return buildScene([], options);
    const base = buildScene(shown, options);
    if (over.length === 0) return base;
    const top = buildScene(over, {
      ...options,
      kind: "lines",
      y_at_least: [base.y_axis.from, base.y_axis.to],
    });
    return {
      ...top,
      areas: [...base.areas, ...top.areas],
      lines: [...base.lines, ...top.lines],
      dots: [...base.dots, ...top.dots],
      non_finite: [...base.non_finite, ...top.non_finite],
      drawn: base.drawn + top.drawn,
    };
  }, [isReady, shown, over, kind, scale, smoothing, window, y_at_least, box]);
  const shapes = useMemo(
    () => getShapes(scene, box, { bands, marks, selected: props.selected ?? null, faded: highlighted }),
    [scene, box, bands, marks, props.selected, highlighted],
  );

  const format = props.formatY ?? formatValue;
  const describe = useCallback(
    (at: number | null) => {
      const place =
        at === null
          ? "last"
          : `${props.x_label ?? "step"} ${props.formatX?.(at, scene.x_axis) ?? formatTick(at, scene.x_axis)}`;
      const readings = readable.map((one) => `${one.label} ${describeReading(readAt(one, at, 0), format)}`);
      return `${place}: ${readings.join(", ") || "nothing yet"}`;
    },
    [readable, format, props.x_label, props.formatX, scene.x_axis],
  );
  const getDotY = useCallback(
    (one: CurveSeries, reading: Reading, at: number) =>
      kind === "stacked" && shown.includes(one)
        ? stackTop(shown, one, at)
        : smoothing > 0
          ? reading.smoothed
          : reading.value,
    [kind, shown, smoothing],
  );

  const x_label = props.x_label ?? "step";
  const { stage, range } = useMoving(props.viewport, scene.x_axis, box, props.formatX);
  const getPlot = () => ({
    width,
    height,
    box,
    shapes,
    x_axis: scene.x_axis,
    y_axis: scene.y_axis,
    formatX: props.formatX,
  });

  const isEmpty = isReady && scene.drawn === 0 && scene.non_finite.length === 0;
  const isZoomed = props.window != null;
  const lineCount = Math.max(all.length, props.lines_to_come ?? 0);
  const Engine = lineCount > MOST_SVG_LINES ? CanvasPlot : SvgPlot;
  return (
    <section className={classes.root} aria-label={props.title} data-points={scene.drawn}>
      <header className={classes.header}>
        <h3 className={classes.title}>{props.title}</h3>
        {scene.off_scale > 0 && (
          <span className={classes.said}>{scene.off_scale} of 0 or less not on the log axis</span>
        )}
        <span className={classes.tools}>
          {isZoomed && (
            <UnstyledButton
              className={classes.tool}
              title="Show all (double click, Esc)"
              aria-label="Show all"
              onClick={() => props.onWindow?.(null)}
            >
              <IconZoomReset size={14} stroke={1.7} />
            </UnstyledButton>
          )}
          {kind === "lines" && (
            <UnstyledButton
              className={classes.tool}
              aria-pressed={smoothing > 0}
              title={
                smoothing > 0
                  ? "Over the values: exponential moving average, debiased. Click for the values alone."
                  : "Draw a debiased exponential moving average over the values"
              }
              onClick={() => setOwnSmoothing(smoothing === 0)}
            >
              {smoothing > 0 ? `EMA ${smoothing}` : "smooth"}
            </UnstyledButton>
          )}
          {props.can_log && (
            <UnstyledButton
              className={classes.tool}
              aria-pressed={scale === "log"}
              title="Logarithmic scale"
              onClick={() => setScale(scale === "log" ? "linear" : "log")}
            >
              log
            </UnstyledButton>
          )}
          {!isEmpty && (
            <ExportMenu
              title={props.title}
              x_label={x_label}
              series={[...shown, ...over]}
              getPlot={getPlot}
            />
          )}
        </span>
      </header>
      <Readout
        series={named}
        cursor={cursor}
        smoothing={smoothing}
        format={props.formatY}
        hidden={hidden}
        onToggle={(id) => setHidden(toggle(hidden, id))}
        onHighlight={setHighlighted}
      />
      {props.note !== undefined && <div className={classes.remark}>{props.note}</div>}
      <div
        ref={(element) => {
          ref.current = element;
          stage.current = element;
        }}
        className={classes.stage}
        style={{ height }}
      >
        {width > 0 && (
          <>
            {isTurn && (
              <Engine
                width={width}
                height={height}
                box={box}
                shapes={shapes}
                x_axis={scene.x_axis}
                y_axis={scene.y_axis}
                formatX={props.formatX}
              />
            )}
            {isEmpty && (
              <p className={classes.empty} style={{ left: box.left, right: 14 }}>
                {props.empty ?? "Nothing logged yet."}
              </p>
            )}
            {pointed && !isEmpty && <MeanInSight series={pointed} window={window} format={props.formatY} />}
            <div ref={range} className={classes.range} />
            <Overlay
              label={props.title}
              width={width}
              height={height}
              box={box}
              x_axis={scene.x_axis}
              y_axis={scene.y_axis}
              series={readable}
              marks={marks}
              getDotY={getDotY}
              smoothing={smoothing}
              cursor={cursor}
              isZoomed={isZoomed}
              viewport={props.viewport}
              limits={props.x_extent}
              x_label={x_label}
              formatX={props.formatX}
              describe={describe}
              onPick={props.onPick}
              onWindow={props.onWindow}
            />
          </>
        )}
      </div>
    </section>
  );
});

function getSmoothing(asked: number, own: boolean | null, kind: CurveProps["kind"]): number {
  if (kind === "stacked" || own === false) return 0;
  return own === true && asked === 0 ? DEFAULT_SMOOTHING : asked;
}

function toggle(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Height of the stack up to and with one series; null inside a gap. */
function stackTop(series: readonly CurveSeries[], upTo: CurveSeries, at: number): number | null {
  let sum = 0;
  for (const one of series) {
    const value = readAt(one, at, 0)?.value;
    if (value == null) return null;
    sum += value;
    if (one === upTo) break;
  }
  return sum;
}

/**
 * The width of an element in whole pixels, 0 before it is known, and whether it is its turn to be drawn: what is in
 * sight at first comes first, and the rest when the page has nothing else to do.
 */
function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [isTurn, setTurn] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const { width: wide, top, bottom } = element.getBoundingClientRect();
    setWidth(Math.floor(wide));
    if (bottom > 0 && top < innerHeight) setTurn(true);
    else return whenIdle(() => setTurn(true));
  }, []);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver((entries) => {
      const entry = entries[0];
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width, isTurn };
}

const MOST_WAIT_MS = 1000;

/** Calls back once nothing else is to be done, a second later at the latest. @returns Calls it off. */
function whenIdle(act: () => void): () => void {
  if (!("requestIdleCallback" in globalThis)) {
    const timer = setTimeout(act, MOST_WAIT_MS / 4);
    return () => clearTimeout(timer);
  }
  const idle = requestIdleCallback(act, { timeout: MOST_WAIT_MS });
  return () => cancelIdleCallback(idle);
}

function useStableExtent(extent: Extent | undefined): Extent | undefined {
  const from = extent?.[0];
  const to = extent?.[1];
  return useMemo(() => (from === undefined || to === undefined ? undefined : [from, to]), [from, to]);
}

/** What the x axis shows: the zoomed window, or all there is. */
function useWindow(
  series: readonly CurveSeries[],
  x_extent: Extent | undefined,
  zoomed: Extent | null | undefined,
): Extent {
  let from = zoomed?.[0] ?? x_extent?.[0] ?? Number.POSITIVE_INFINITY;
  let to = zoomed?.[1] ?? x_extent?.[1] ?? Number.NEGATIVE_INFINITY;
  if (!zoomed) {
    for (const one of series) {
      const { live, rolled_back } = getSegments(one);
      for (const indices of [...live, ...rolled_back]) {
        const first = one.x[indices[0] as number];
        const last = one.x[indices.at(-1) as number];
        if (first !== undefined && first < from) from = first;
        if (last !== undefined && last > to) to = last;
      }
    }
  }
  if (!(from <= to)) [from, to] = [0, 1];
  return useMemo(() => [from, to] as const, [from, to]);
}
