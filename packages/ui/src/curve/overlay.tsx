import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { type Axis, formatTick, makeProjection } from "./axis.ts";
import { getCssColor } from "./colors.ts";
import type { Cursor } from "./cursor.ts";
import classes from "./curve.module.css";
import type { Box } from "./picture.ts";
import { type Reading, readAt } from "./read.ts";
import { getSegments } from "./scene.ts";
import { findNearest } from "./segments.ts";
import type { CurveMark, CurveSeries, Extent } from "./types.ts";
import { panWindow, type Viewport, zoomWindow } from "./viewport.ts";

const DRAG_PX = 5;
const MARK_REACH_PX = 5;
/** While zoomed in, a click waits this long for a second one, which zooms out. */
const DOUBLE_CLICK_MS = 260;
/** A gesture has ended when nothing moved for so long. */
const SETTLE_MS = 160;
/** A notch of the wheel, of about 100 px, zooms by a fifth. */
const ZOOM_PER_PX = 0.0018;

export type OverlayProps = {
  label: string;
  width: number;
  height: number;
  box: Box;
  x_axis: Axis;
  y_axis: Axis;
  series: readonly CurveSeries[];
  marks: readonly CurveMark[];
  /** What the readings' tops are, for stacked areas; otherwise the value itself. */
  getDotY: (series: CurveSeries, reading: Reading, at: number) => number | null;
  smoothing: number;
  cursor: Cursor;
  isZoomed: boolean;
  viewport: Viewport | undefined;
  /** What panning and zooming keep to; what the axis shows, when left out. */
  limits: Extent | undefined;
  x_label: string;
  formatX: ((value: number, axis: Axis) => string) | undefined;
  describe: (at: number | null) => string;
  onPick: ((x: number) => void) | undefined;
  onWindow: ((window: Extent | null) => void) | undefined;
};

/** The pointer, the keyboard and the shared cursor over a chart. Moves without drawing the chart again. */
export function Overlay(props: OverlayProps) {
  const { box, x_axis, y_axis, series, cursor, width, height } = props;
  const root = useRef<HTMLDivElement>(null);
  const layer = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<Extent | null>(null);
  const press = useRef<{ x: number; px: number; isPan: boolean } | null>(null);
  const pending = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const isOwner = useRef(false);
  const latest = useRef(props);
  latest.current = props;

  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn again when the picture moves under the cursor
  useEffect(() => {
    const draw = () => {
      if (layer.current) drawCursor(layer.current, latest.current, isOwner.current);
      const at = cursor.get();
      const slider = root.current;
      if (slider && document.activeElement === slider && at !== null) {
        slider.setAttribute("aria-valuenow", String(at));
        slider.setAttribute("aria-valuetext", latest.current.describe(at));
      }
    };
    draw();
    return cursor.subscribe(draw);
  }, [cursor, x_axis, y_axis, series, box.width, box.height]);

  useEffect(() => () => clearTimeout(pending.current), []);

  const { viewport } = props;
  const settling = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const moveTo = (change: (window: Extent, limits: Extent) => Extent) => {
    const { viewport: shared, onWindow, x_axis: axis, limits: given } = latest.current;
    if (!shared || !onWindow) return;
    const shown: Extent = [axis.from, axis.to];
    const limits: Extent = given ? [Math.min(given[0], axis.from), Math.max(given[1], axis.to)] : shown;
    const next = change(shared.get() ?? shown, limits);
    shared.set(next);
    clearTimeout(settling.current);
    settling.current = setTimeout(() => {
      const isWhole = next[0] <= limits[0] && next[1] >= limits[1];
      const isSame = next[0] === axis.from && next[1] === axis.to;
      if (isSame || (isWhole && !latest.current.isZoomed)) shared.set(null);
      else latest.current.onWindow?.(isWhole ? null : next);
    }, SETTLE_MS);
  };
  useEffect(() => () => clearTimeout(settling.current), []);
  // What was meant is drawn: the gesture is over.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new axis is what it waits for
  useEffect(() => {
    viewport?.set(null);
  }, [viewport, x_axis.from, x_axis.to]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `moveTo` reads what is latest
  useEffect(() => {
    const element = root.current;
    if (!element || !viewport) return;
    const onWheel = (event: WheelEvent) => {
      const isZoom = event.ctrlKey || event.metaKey;
      const sideways = event.deltaX !== 0 ? event.deltaX : event.shiftKey ? event.deltaY : 0;
      if (!isZoom && (sideways === 0 || Math.abs(sideways) < Math.abs(event.shiftKey ? 0 : event.deltaY)))
        return;
      event.preventDefault();
      const { box: plot } = latest.current;
      const share = (event.clientX - element.getBoundingClientRect().left - plot.left) / plot.width;
      moveTo((window, limits) =>
        isZoom
          ? zoomWindow(
              window,
              Math.exp(event.deltaY * ZOOM_PER_PX),
              window[0] + Math.min(1, Math.max(0, share)) * (window[1] - window[0]),
              limits,
            )
          : panWindow(window, sideways / plot.width, limits),
      );
    };
    // React's own wheel listeners are passive and could not keep the page from zooming.
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [viewport]);

  const toX = (event: PointerEvent) => {
    const left = (root.current?.getBoundingClientRect().left ?? 0) + box.left;
    const share = Math.min(1, Math.max(0, (event.clientX - left) / box.width));
    return x_axis.from + share * (x_axis.to - x_axis.from);
  };
  const hover = (x: number) => {
    isOwner.current = true;
    cursor.set(snap(series, x));
  };

  const onPointerMove = (event: PointerEvent) => {
    const x = toX(event);
    const start = press.current;
    if (start?.isPan) {
      const by = (start.px - event.clientX) / box.width;
      press.current = { ...start, px: event.clientX };
      moveTo((window, limits) => panWindow(window, by, limits));
      return;
    }
    if (start && Math.abs(event.clientX - start.px) > DRAG_PX && props.onWindow)
      setDrag(start.x < x ? [start.x, x] : [x, start.x]);
    hover(x);
  };
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    press.current = {
      x: toX(event),
      px: event.clientX,
      isPan: event.shiftKey && viewport !== undefined && props.isZoomed,
    };
  };
  const onPointerUp = (event: PointerEvent) => {
    const start = press.current;
    press.current = null;
    setDrag(null);
    if (!start || start.isPan) return;
    if (drag) {
      const window = clampWindow(drag, series);
      if (window) props.onWindow?.(window);
      return;
    }
    const at = snap(series, toX(event));
    if (at === null || !props.onPick) return;
    clearTimeout(pending.current);
    if (props.isZoomed) pending.current = setTimeout(() => latest.current.onPick?.(at), DOUBLE_CLICK_MS);
    else props.onPick(at);
  };
  const onDoubleClick = () => {
    clearTimeout(pending.current);
    props.onWindow?.(null);
  };
  const leave = () => {
    isOwner.current = false;
    cursor.set(null);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const at = cursor.get();
    const move = (x: number | null) => {
      if (x === null) return;
      isOwner.current = true;
      cursor.set(x);
      event.preventDefault();
    };
    const by = event.shiftKey ? 10 : 1;
    if (viewport && (event.key === "+" || event.key === "-")) {
      const factor = event.key === "+" ? 0.5 : 2;
      moveTo((window, limits) => zoomWindow(window, factor, at ?? (window[0] + window[1]) / 2, limits));
      event.preventDefault();
      return;
    }
    if (viewport && event.altKey && (event.key === "PageUp" || event.key === "PageDown")) {
      moveTo((window, limits) => panWindow(window, event.key === "PageDown" ? 0.25 : -0.25, limits));
      event.preventDefault();
      return;
    }
    if (event.key === "ArrowRight" || event.key === "ArrowUp") move(step(series, at ?? x_axis.from, by));
    else if (event.key === "ArrowLeft" || event.key === "ArrowDown") move(step(series, at ?? x_axis.to, -by));
    else if (event.key === "Home") move(snap(series, x_axis.from));
    else if (event.key === "End") move(snap(series, x_axis.to));
    else if (event.key === "Enter" && at !== null) {
      props.onPick?.(at);
      event.preventDefault();
    } else if (event.key === "Escape" && props.isZoomed) props.onWindow?.(null);
  };

  const toPx = makeProjection(x_axis, box.left, box.left + box.width);
  const first = x_axis.from;
  return (
    <div
      ref={root}
      className={classes.overlay}
      style={{ width, height }}
      role="slider"
      tabIndex={0}
      aria-label={props.label}
      aria-valuemin={first}
      aria-valuemax={x_axis.to}
      aria-valuenow={cursor.get() ?? x_axis.to}
      aria-valuetext={props.describe(cursor.get())}
      onPointerMove={onPointerMove}
      onPointerDown={onPointerDown}
      onPointerUp={onPointerUp}
      onPointerCancel={() => {
        press.current = null;
        setDrag(null);
      }}
      onPointerLeave={leave}
      onDoubleClick={onDoubleClick}
      onKeyDown={onKeyDown}
      onBlur={leave}
    >
      <svg ref={layer} className={classes.cursor} width={width} height={height} aria-hidden="true" />
      {drag && (
        <div
          className={classes.drag}
          style={{
            left: toPx(drag[0]),
            width: Math.max(1, toPx(drag[1]) - toPx(drag[0])),
            top: box.top,
            height: box.height,
          }}
        />
      )}
    </div>
  );
}

/** The nearest place where any series has a point. */
function snap(series: readonly CurveSeries[], x: number): number | null {
  let best: number | null = null;
  for (const one of series)
    for (const indices of getSegments(one).live) {
      const position = findNearest(one.x, indices, x);
      if (position < 0) continue;
      const place = one.x[indices[position] as number] as number;
      if (best === null || Math.abs(place - x) < Math.abs(best - x)) best = place;
    }
  return best;
}

/** The place `by` points on, along the series that has the nearest point. */
function step(series: readonly CurveSeries[], x: number, by: number): number | null {
  const at = snap(series, x);
  if (at === null) return null;
  let best: number | null = null;
  for (const one of series)
    for (const indices of getSegments(one).live) {
      const position = findNearest(one.x, indices, at);
      if (position < 0) continue;
      const next = indices[Math.min(indices.length - 1, Math.max(0, position + by))];
      const place = next === undefined ? null : (one.x[next] as number);
      if (place === null || (by > 0 ? place <= at : place >= at)) continue;
      if (best === null || Math.abs(place - at) < Math.abs(best - at)) best = place;
    }
  return best ?? at;
}

/** A dragged window, unless it is too narrow to hold anything. */
function clampWindow(window: Extent, series: readonly CurveSeries[]): Extent | null {
  const holds = series.some((one) => {
    let inside = 0;
    for (const x of one.x) if (x >= window[0] && x <= window[1]) inside += 1;
    return inside >= 2;
  });
  return holds ? window : null;
}

const SVG = "http://www.w3.org/2000/svg";

function drawCursor(svg: SVGSVGElement, props: OverlayProps, isOwner: boolean): void {
  const { box, x_axis, y_axis, series, cursor, marks, formatX } = props;
  const at = cursor.get();
  svg.replaceChildren();
  if (at === null || at < x_axis.from || at > x_axis.to) return;
  const px = makeProjection(x_axis, box.left, box.left + box.width);
  const py = makeProjection(y_axis, box.top + box.height, box.top);
  const x = px(at);
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", `M${x} ${box.top}V${box.top + box.height}`);
  line.setAttribute("class", classes.hair ?? "");
  svg.append(line);
  for (const one of series) {
    const reading = readAt(one, at, props.smoothing);
    if (!reading) continue;
    const value = props.getDotY(one, reading, at);
    if (value === null || !Number.isFinite(value)) continue;
    const y = py(value);
    if (!Number.isFinite(y) || y < box.top - 1 || y > box.top + box.height + 1) continue;
    const dot = document.createElementNS(SVG, "circle");
    dot.setAttribute("cx", String(px(reading.x)));
    dot.setAttribute("cy", String(y));
    dot.setAttribute("r", "3");
    dot.setAttribute("class", classes.dot ?? "");
    dot.style.fill = getCssColor(one.color);
    svg.append(dot);
  }
  if (!isOwner) return;
  const near = marks.filter((mark) => Math.abs(px(mark.x) - x) <= MARK_REACH_PX).map((mark) => mark.label);
  addTag(
    svg,
    formatX?.(at, x_axis) ?? formatTick(at, x_axis),
    x,
    box.top + box.height + 3,
    box,
    classes.tag ?? "",
  );
  if (near.length > 0) addTag(svg, near.slice(0, 2).join(" · "), x, 0, box, classes.note ?? "");
}

/** A label under or over the plot that stays within its width. */
function addTag(svg: SVGSVGElement, text: string, x: number, top: number, box: Box, className: string): void {
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("class", className);
  const label = document.createElementNS(SVG, "text");
  label.textContent = text;
  const rect = document.createElementNS(SVG, "rect");
  group.append(rect, label);
  svg.append(group);
  const width = label.getComputedTextLength() + 10;
  const left = Math.max(2, Math.min(x - width / 2, box.left + box.width + 12 - width));
  rect.setAttribute("x", String(left));
  rect.setAttribute("y", String(top));
  rect.setAttribute("width", String(width));
  rect.setAttribute("height", "16");
  rect.setAttribute("rx", "3");
  label.setAttribute("x", String(left + 5));
  label.setAttribute("y", String(top + 11.5));
}
