import { smooth } from "@sightline/core/runs";
import { type Axis, makeXAxis, makeYAxis, type Scale } from "./axis.ts";
import { type Segments, splitSegments } from "./segments.ts";
import { type Budget, getPointBudget, type NonFinite, thin } from "./thin.ts";
import { type CurveColor, type CurveSeries, type Extent, POINT } from "./types.ts";

/** A line in values of the axes, ready to be projected. */
export type DrawnLine = {
  series_id: string;
  color: CurveColor;
  /** value: what is read out; raw: behind a smoothed line; edge: top of a stacked area; quiet: one of very many. */
  role: "value" | "raw" | "sampled" | "rolled_back" | "edge" | "quiet";
  dash: "solid" | "dashed" | "dotted";
  x: number[];
  y: number[];
};
export type DrawnDot = { series_id: string; color: CurveColor; x: number; y: number; hollow: boolean };
export type DrawnNonFinite = {
  series_id: string;
  color: CurveColor;
  x: number;
  kind: NonFinite["kind"];
  count: number;
};
export type DrawnArea = {
  series_id: string;
  color: CurveColor;
  role: "interval" | "stack";
  x: number[];
  low: number[];
  high: number[];
};

/** Everything of a chart that depends on its data, in values of the axes. Both engines draw this. */
export type Scene = {
  x_axis: Axis;
  y_axis: Axis;
  areas: DrawnArea[];
  lines: DrawnLine[];
  dots: DrawnDot[];
  non_finite: DrawnNonFinite[];
  /** Values of zero or less that a log axis cannot show. */
  off_scale: number;
  /** Points that were drawn, of those within the window. */
  drawn: number;
};

export type SceneOptions = {
  kind: "lines" | "stacked";
  scale: Scale;
  /** Weight of the past in [0, 1); 0 draws the values as they are. */
  smoothing: number;
  window: Extent;
  y_at_least?: Extent | undefined;
  plot: { width: number; height: number };
};

const DOT_SPACING_PX = 9;
const segmentsOf = new WeakMap<CurveSeries, Segments>();
const smoothedOf = new WeakMap<CurveSeries, { decay: number; x: Float64Array; values: Float64Array }>();

/** The series cut into segments; computed once for each series object. */
export function getSegments(series: CurveSeries): Segments {
  let segments = segmentsOf.get(series);
  if (!segments) {
    segments = splitSegments(series);
    segmentsOf.set(series, segments);
  }
  return segments;
}

/** The moving average of a series, over its whole length so that it does not depend on the window. */
export function getSmoothed(series: CurveSeries, decay: number): { x: Float64Array; values: Float64Array } {
  const known = smoothedOf.get(series);
  if (known?.decay === decay) return known;
  const { basis } = series;
  const skipped = POINT.missing | POINT.rolled_back;
  const values = basis
    ? smooth(basis.values, decay, basis.counts)
    : smooth(
        series.values.map((value, index) => ((series.flags?.[index] ?? 0) & skipped ? Number.NaN : value)),
        decay,
      );
  const made = { decay, x: basis?.x ?? series.x, values };
  smoothedOf.set(series, made);
  return made;
}

/** Works out what to draw. Pure: the same series and options give the same scene. */
export function buildScene(series: readonly CurveSeries[], options: SceneOptions): Scene {
  const draft: Draft = {
    areas: [],
    lines: [],
    dots: [],
    non_finite: [],
    off_scale: 0,
    drawn: 0,
    low: Number.POSITIVE_INFINITY,
    high: Number.NEGATIVE_INFINITY,
  };
  const budget = getPointBudget(options.plot.width, series.length);
  const x_axis = makeXAxis(options.window, Math.max(2, Math.round(options.plot.width / 90)));
  if (options.kind === "stacked") addStack(draft, series, options, budget);
  else for (const one of series) addSeries(draft, one, options, budget);

  const y_axis = makeYAxis(draft.low <= draft.high ? [draft.low, draft.high] : null, {
    scale: options.scale,
    count: Math.max(2, Math.round(options.plot.height / 38)),
    atLeast: options.y_at_least,
  });
  const { low: _low, high: _high, ...drawn } = draft;
  return { x_axis, y_axis, ...drawn };
}

type Draft = Omit<Scene, "x_axis" | "y_axis"> & { low: number; high: number };

function widen(draft: Draft, value: number): void {
  if (!Number.isFinite(value)) return;
  if (value < draft.low) draft.low = value;
  if (value > draft.high) draft.high = value;
}

function addSeries(draft: Draft, series: CurveSeries, options: SceneOptions, budget: Budget): void {
  const { x, values, flags } = series;
  const isLog = options.scale === "log";
  if (series.is_quiet) {
    addQuiet(draft, series, options, budget);
    return;
  }
  const flag = (index: number) => flags?.[index] ?? 0;
  const isMissing = (index: number) => (flag(index) & POINT.missing) !== 0;
  const isGap = (index: number) => {
    const value = values[index] as number;
    return isMissing(index) || !Number.isFinite(value) || (isLog && value <= 0);
  };
  const isMark = (index: number) => !isMissing(index) && !Number.isFinite(values[index] as number);
  const isSampled = (index: number) => (flag(index) & POINT.sampled) !== 0;
  const isSmoothed = options.smoothing > 0;
  const { live, rolled_back } = getSegments(series);

  for (const indices of rolled_back) {
    const { runs } = thin(
      { x, y: values, indices, isGap, isMark, isSampled: () => false },
      options.window,
      budget,
    );
    for (const run of runs) addLine(draft, series, values, run.indices, "rolled_back");
  }
  if (isLog) draft.off_scale += values.reduce((n, value, k) => n + (value <= 0 && !isMissing(k) ? 1 : 0), 0);

  const place = { x, indices: live[0] ?? new Int32Array(), isGap, isMark, isSampled };
  for (const indices of live) {
    addInterval(draft, series, indices, options.window, budget, isLog);
    const { runs, non_finite } = thin({ ...place, y: values, indices }, options.window, budget);
    const drawnPoints = runs.reduce((sum, run) => sum + run.indices.length, 0);
    const isRoomy = options.plot.width / Math.max(1, drawnPoints) > DOT_SPACING_PX;
    for (const run of runs) {
      if (run.indices.length === 1) addDots(draft, series, values, run.indices, run.sampled);
      else {
        addLine(draft, series, values, run.indices, isSmoothed ? "raw" : run.sampled ? "sampled" : "value");
        if (run.sampled && isRoomy) addDots(draft, series, values, run.indices, true);
      }
    }
    if (isSmoothed && !series.basis) {
      const smoothed = getSmoothed(series, options.smoothing).values;
      for (const run of thin({ ...place, y: smoothed, indices }, options.window, budget).runs)
        if (run.indices.length > 1)
          addLine(draft, series, smoothed, run.indices, run.sampled ? "sampled" : "value");
    }
    for (const mark of non_finite)
      draft.non_finite.push({
        series_id: series.id,
        color: series.color,
        x: x[mark.index] as number,
        kind: mark.kind,
        count: mark.count,
      });
  }
  if (isSmoothed && series.basis) addAverage(draft, series, options, budget);
}

/** A line among very many: nothing but itself. */
function addQuiet(draft: Draft, series: CurveSeries, options: SceneOptions, budget: Budget): void {
  const { x, values } = series;
  const isGap = (index: number) => {
    const value = values[index] as number;
    return !Number.isFinite(value) || (options.scale === "log" && value <= 0);
  };
  for (const indices of getSegments(series).live) {
    const points = { x, y: values, indices, isGap, isMark: () => false, isSampled: () => false };
    for (const run of thin(points, options.window, budget).runs)
      if (run.indices.length > 1) addLine(draft, series, values, run.indices, "quiet");
  }
}

/** The moving average of a bucketed series: one point a bucket. */
function addAverage(draft: Draft, series: CurveSeries, options: SceneOptions, budget: Budget): void {
  const { x, values } = getSmoothed(series, options.smoothing);
  const indices = Int32Array.from(x.keys());
  const isGap = (index: number) => !Number.isFinite(values[index] as number);
  const points = { x, y: values, indices, isGap, isMark: () => false, isSampled: () => false };
  for (const run of thin(points, options.window, budget).runs)
    if (run.indices.length > 1) addLine(draft, { ...series, x }, values, run.indices, "value");
}

function addLine(
  draft: Draft,
  series: CurveSeries,
  y: Float64Array,
  indices: readonly number[],
  role: DrawnLine["role"],
): void {
  const line: DrawnLine = {
    series_id: series.id,
    color: series.color,
    role,
    dash: role === "sampled" ? "dashed" : (series.dash ?? "solid"),
    x: indices.map((index) => series.x[index] as number),
    y: indices.map((index) => y[index] as number),
  };
  for (const value of line.y) widen(draft, value);
  if (role !== "rolled_back") draft.drawn += line.x.length;
  draft.lines.push(line);
}

function addDots(
  draft: Draft,
  series: CurveSeries,
  y: Float64Array,
  indices: readonly number[],
  hollow: boolean,
): void {
  for (const index of indices) {
    const value = y[index] as number;
    widen(draft, value);
    draft.dots.push({
      series_id: series.id,
      color: series.color,
      x: series.x[index] as number,
      y: value,
      hollow,
    });
  }
  if (indices.length === 1) draft.drawn += 1;
}

/** The band between `low` and `high`, thinned by the lowest low and the highest high of each bucket. */
function addInterval(
  draft: Draft,
  series: CurveSeries,
  indices: Int32Array,
  window: Extent,
  budget: Budget,
  isLog: boolean,
): void {
  const { low, high, x } = series;
  if (!low || !high) return;
  const isGap = (index: number) => {
    const bottom = low[index] as number;
    return !Number.isFinite(bottom) || !Number.isFinite(high[index] as number) || (isLog && bottom <= 0);
  };
  const shared = { x, indices, isGap, isMark: () => false, isSampled: () => false };
  const lows = thin({ ...shared, y: low }, window, budget).runs;
  const highs = thin({ ...shared, y: high }, window, budget).runs;
  lows.forEach((run, k) => {
    const merged = [...new Set([...run.indices, ...(highs[k]?.indices ?? [])])].sort((a, b) => a - b);
    if (merged.length < 2) return;
    const area: DrawnArea = {
      series_id: series.id,
      color: series.color,
      role: "interval",
      x: merged.map((index) => x[index] as number),
      low: merged.map((index) => low[index] as number),
      high: merged.map((index) => high[index] as number),
    };
    for (const value of area.low) widen(draft, value);
    for (const value of area.high) widen(draft, value);
    draft.areas.push(area);
  });
}

/**
 * Series on top of each other. They must share one x array; a place where any of them has no finite value is a gap
 * of the whole stack. Thinned by the total, whose extremes all show.
 */
function addStack(draft: Draft, series: readonly CurveSeries[], options: SceneOptions, budget: Budget): void {
  const first = series[0];
  if (!first) return;
  const { x } = first;
  const isMissing = (index: number) =>
    series.some((one) => ((one.flags?.[index] ?? 0) & POINT.missing) !== 0);
  const total = new Float64Array(x.length);
  for (const one of series)
    for (let k = 0; k < x.length; k += 1) total[k] = (total[k] as number) + (one.values[k] as number);
  const isGap = (index: number) => isMissing(index) || !Number.isFinite(total[index] as number);
  const isMark = (index: number) => !isMissing(index) && !Number.isFinite(total[index] as number);

  widen(draft, 0);
  for (const indices of getSegments(first).live) {
    const { runs, non_finite } = thin(
      { x, y: total, indices, isGap, isMark, isSampled: () => false },
      options.window,
      budget,
    );
    for (const run of runs) {
      const base = new Float64Array(x.length);
      const edges: DrawnLine[] = [];
      for (const one of series) {
        const low = run.indices.map((index) => base[index] as number);
        for (const index of run.indices)
          base[index] = (base[index] as number) + (one.values[index] as number);
        const high = run.indices.map((index) => base[index] as number);
        const places = run.indices.map((index) => x[index] as number);
        draft.areas.push({ series_id: one.id, color: one.color, role: "stack", x: places, low, high });
        edges.unshift({
          series_id: one.id,
          color: one.color,
          role: "edge",
          dash: "solid",
          x: places,
          y: high,
        });
        for (const value of high) widen(draft, value);
        draft.drawn += places.length;
      }
      // The lower edge lies above: a share of nothing must not colour the edge of what is under it.
      draft.lines.push(...edges);
    }
    for (const mark of non_finite)
      draft.non_finite.push({
        series_id: first.id,
        color: "total",
        x: x[mark.index] as number,
        kind: mark.kind,
        count: mark.count,
      });
  }
}
