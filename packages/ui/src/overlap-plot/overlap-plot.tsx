import { useElementSize } from "@mantine/hooks";
import { type KeyboardEvent, memo, type PointerEvent, useMemo, useState } from "react";
import { HumanSign, type HumanVerdict } from "../human-mark/index.tsx";
import { findFirstAt, findNearest, GUTTER_PX, type TimeScale } from "../timeline/index.tsx";
import { drawCurve, type OverlapPoint } from "./overlap-curve.ts";
import classes from "./overlap-plot.module.css";

/** Room above 1 and below 0. */
const PAD_TOP = 12;
const PAD_BOTTOM = 22;
/** Single frames are marked once they stand this far apart. */
const POINT_SPACING_PX = 5;
/** Closer than this, the curve is a band rather than a line, and key-frames share a mark. */
const CROWD_SPACING_PX = 1.5;
const MARK_SPACING_PX = 5;
const LABEL_PX_PER_LETTER = 5.6;
/** Room beside the plot for marks at its ends. */
const PAD_SIDE = 8;
const STEP = 0.01;
const LEAP = 0.05;

/** A frame that a person decided of; `overlap` is null where none could be measured. */
export type HumanPoint = { frame: number; time_secs: number; overlap: number | null; verdict: HumanVerdict };

const NOBODY: readonly HumanPoint[] = [];

/**
 * The overlap of every sampled frame with the key-frame before it, over time, and the threshold under which a frame is
 * kept. The threshold is dragged, or moved by arrow keys; key-frames are diamonds, frames that could not be compared are
 * crosses with their reason. What people decided is drawn over what the extractor chose: the curve stays the one that was
 * measured.
 *
 * @param saved  The threshold in force while another one is tried; null when none is.
 */
export const OverlapPlot = memo(function OverlapPlot({
  scale,
  points,
  human = NOBODY,
  threshold,
  saved,
  frame,
  hovered,
  both_ways,
  onThreshold,
  onIntent,
  onPick,
}: {
  scale: TimeScale;
  /** In presentation order. */
  points: readonly OverlapPoint[];
  /** What people decided; by default nothing. */
  human?: readonly HumanPoint[];
  threshold: number;
  saved: number | null;
  /** The sampled frame on screen, and the one that is pointed at; null where there is none. */
  frame: number | null;
  hovered: number | null;
  /** Whether the overlap is drawn in both directions as well. */
  both_ways: boolean;
  onThreshold(threshold: number): void;
  /** The hand or the keyboard comes to the threshold: a chance to get ready. */
  onIntent?: () => void;
  onPick(frame: number): void;
}) {
  const { ref, height } = useElementSize();
  const [dragging, setDragging] = useState(false);
  const inner = Math.max(10, height - PAD_TOP - PAD_BOTTOM);
  const toY = (overlap: number) => PAD_TOP + (1 - overlap) * inner;

  const times = useMemo(() => points.map((point) => point.time_secs), [points]);
  const first = Math.max(0, findFirstAt(times, scale.window.from_secs) - 1);
  const last = findFirstAt(times, scale.window.to_secs) + 1;
  const shown = points.slice(first, last);
  const roomy = shown.length * POINT_SPACING_PX < scale.width;
  const crowded = shown.length * CROWD_SPACING_PX > scale.width;

  function moveTo(event: PointerEvent, top: number): void {
    onThreshold(toThreshold(1 - (event.clientY - top - PAD_TOP) / inner));
  }

  function moveByKey(event: KeyboardEvent): void {
    const moved = moveThreshold(event.key, threshold);
    if (moved === null) return;
    event.preventDefault();
    event.stopPropagation();
    onThreshold(moved);
  }

  function pickAt(event: PointerEvent<SVGSVGElement>): void {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - PAD_SIDE;
    const point = points[findNearest(times, scale.toSecs(x))];
    if (point !== undefined) onPick(point.frame);
  }

  return (
    <div className={classes.root} ref={ref} data-testid="overlap-plot">
      <svg className={classes.axis} width={GUTTER_PX} height={height} aria-hidden="true">
        {[0, 0.5, 1].map((value) => (
          <text key={value} x={GUTTER_PX - 8} y={toY(value) + 3.5} textAnchor="end">
            {value}
          </text>
        ))}
      </svg>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the page's keys move over the sampled frames. */}
      <svg
        className={classes.plot}
        style={{ marginLeft: -PAD_SIDE }}
        viewBox={`${-PAD_SIDE} 0 ${scale.width + 2 * PAD_SIDE} ${height}`}
        width={scale.width + 2 * PAD_SIDE}
        height={height}
        role="img"
        aria-label="Overlap with the previous key-frame over time"
        onClick={(event) => pickAt(event as unknown as PointerEvent<SVGSVGElement>)}
      >
        <rect
          className={classes.below}
          x={0}
          y={toY(threshold)}
          width={scale.width}
          height={toY(0) - toY(threshold)}
        />
        <path
          className={classes.grid}
          d={[0, 1].map((v) => `M0 ${Math.round(toY(v)) + 0.5}H${scale.width}`).join("")}
        />
        {both_ways && (
          <>
            <path className={classes.forward} d={drawCurve(shown, scale, toY, (p) => p.forward)} />
            <path className={classes.backward} d={drawCurve(shown, scale, toY, (p) => p.backward)} />
          </>
        )}
        <path
          className={classes.curve}
          data-crowded={crowded}
          d={drawCurve(shown, scale, toY, (p) => p.overlap)}
        />
        <Marks scale={scale} shown={shown} toY={toY} roomy={roomy} frame={frame} hovered={hovered} />
        {human.map(({ frame: at, time_secs, overlap, verdict }) => (
          <HumanSign
            key={at}
            verdict={verdict}
            x={scale.toX(time_secs)}
            y={toY(overlap ?? 1)}
            size={at === frame || at === hovered ? 17 : 13}
          />
        ))}
        {saved !== null && (
          <path className={classes.saved} d={`M0 ${Math.round(toY(saved)) + 0.5}H${scale.width}`} />
        )}
      </svg>
      {both_ways && <Legend />}
      <div
        className={classes.threshold}
        data-dragging={dragging}
        style={{ top: toY(threshold), left: GUTTER_PX, width: scale.width }}
        role="slider"
        tabIndex={0}
        aria-label="Overlap threshold"
        aria-orientation="vertical"
        aria-valuemin={0}
        aria-valuemax={1}
        aria-valuenow={threshold}
        aria-valuetext={threshold.toFixed(2)}
        data-testid="threshold"
        onKeyDown={moveByKey}
        onFocus={onIntent}
        onPointerEnter={onIntent}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          event.currentTarget.focus({ preventScroll: true });
          setDragging(true);
        }}
        onPointerMove={(event) => {
          if (!dragging) return;
          const top = event.currentTarget.parentElement?.getBoundingClientRect().top ?? 0;
          moveTo(event, top);
        }}
        onPointerUp={() => setDragging(false)}
        onPointerCancel={() => setDragging(false)}
      >
        <span className={classes.handle}>{threshold.toFixed(2)}</span>
      </div>
    </div>
  );
});

function Marks({
  scale,
  shown,
  toY,
  roomy,
  frame,
  hovered,
}: {
  scale: TimeScale;
  shown: readonly OverlapPoint[];
  toY(overlap: number): number;
  roomy: boolean;
  frame: number | null;
  hovered: number | null;
}) {
  const floor = toY(0);
  const crosses = shown.filter((point) => point.failure !== null).map((point) => scale.toX(point.time_secs));
  let cross = -1;
  let marked_to = Number.NEGATIVE_INFINITY;
  return (
    <>
      {shown.map((point) => {
        const x = scale.toX(point.time_secs);
        const here = point.frame === frame || point.frame === hovered;
        if (point.failure !== null) {
          cross += 1;
          const end = x + 14 + point.failure.length * LABEL_PX_PER_LETTER;
          const is_labelled = end < (crosses[cross + 1] ?? scale.width);
          return (
            <g key={point.frame} data-failure={point.failure}>
              <path className={classes.failure} d={`M${x - 3} ${floor + 5}l6 6m0 -6l-6 6`} />
              {is_labelled && (
                <text className={classes.failureLabel} x={x + 7} y={floor + 12}>
                  {point.failure}
                </text>
              )}
              {point.kept && <Diamond x={x} y={toY(1)} here={here} />}
            </g>
          );
        }
        const y = toY(point.overlap ?? 1);
        if (point.kept) {
          if (!here && x < marked_to + MARK_SPACING_PX) return null;
          marked_to = x;
          return <Diamond key={point.frame} x={x} y={y} here={here} />;
        }
        if (!roomy && !here) return null;
        return (
          <circle
            key={point.frame}
            className={classes.dropped}
            data-here={here}
            cx={x}
            cy={y}
            r={here ? 4 : 2.5}
          />
        );
      })}
    </>
  );
}

function Legend() {
  return (
    <ul className={classes.legend} style={{ left: GUTTER_PX }}>
      {[
        [classes.curve, "the overlap that counts"],
        [classes.forward, "how much of the key-frame's view is still seen"],
        [classes.backward, "how much of this view the key-frame showed"],
      ].map(([line, text]) => (
        <li key={text}>
          <svg width={22} height={8} aria-hidden="true">
            <path className={line} d="M0 4.5H22" />
          </svg>
          {text}
        </li>
      ))}
    </ul>
  );
}

function Diamond({ x, y, here }: { x: number; y: number; here: boolean }) {
  const r = here ? 6.5 : 4.5;
  return (
    <path
      className={classes.kept}
      data-here={here}
      data-testid="kept-mark"
      d={`M${x.toFixed(1)} ${(y - r).toFixed(1)}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`}
    />
  );
}

function toThreshold(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;
}

/** The threshold after a key; null when the key means nothing here. */
function moveThreshold(key: string, threshold: number): number | null {
  switch (key) {
    case "ArrowUp":
    case "ArrowRight":
      return toThreshold(threshold + STEP);
    case "ArrowDown":
    case "ArrowLeft":
      return toThreshold(threshold - STEP);
    case "PageUp":
      return toThreshold(threshold + LEAP);
    case "PageDown":
      return toThreshold(threshold - LEAP);
    case "Home":
      return 0;
    case "End":
      return 1;
    default:
      return null;
  }
}
