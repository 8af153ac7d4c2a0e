import { useElementSize, useMergedRef } from "@mantine/hooks";
import { type PointerEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Overview } from "./overview.tsx";
import { Ruler } from "./ruler.tsx";
import { createTimeScale, panWindow, type TimeScale, type TimeWindow, zoomWindow } from "./time-scale.ts";
import classes from "./timeline.module.css";

/** Room left of all tracks, in pixels, for the labels of their own axes. */
export const GUTTER_PX = 44;
/** Room right of them, so that what begins at the last frame can be seen. */
export const MARGIN_PX = 18;

/** Frames that a key of the focused ruler moves by. */
const STEPS: Partial<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/**
 * Tracks over one time axis, with a ruler that scrubs, a playhead and a line under the pointer through all of them.
 * Wheel or pinch looks closer, a sideways wheel moves along.
 *
 * @param children  The tracks, drawn for a scale whose x begins after the gutter.
 */
export function Timeline({
  frame_secs,
  duration_secs,
  window,
  onWindow,
  frame,
  onScrub,
  onStep,
  hovered_secs,
  onHover,
  children,
}: {
  /** Time of each frame in seconds from the clip's start. */
  frame_secs: readonly number[];
  duration_secs: number;
  window: TimeWindow;
  onWindow(window: TimeWindow): void;
  frame: number;
  /** Takes a moment while the hand moves, and once more, with `settled`, when it lets go. */
  onScrub(at_secs: number, settled: boolean): void;
  /** Moves by whole frames: the ruler's arrow keys. */
  onStep(frames: number): void;
  /** The moment that is pointed at, here or elsewhere. */
  hovered_secs: number | null;
  onHover(at_secs: number | null): void;
  children(scale: TimeScale): ReactNode;
}) {
  const { ref: sizeRef, width } = useElementSize();
  const tracksRef = useRef<HTMLDivElement>(null);
  const mergedRef = useMergedRef(sizeRef, tracksRef);
  const [scrubbing, setScrubbing] = useState(false);
  const scale = useMemo(
    () => createTimeScale(window, Math.max(0, width - GUTTER_PX - MARGIN_PX)),
    [window, width],
  );
  const shortest_secs = getShortestWindow(frame_secs, duration_secs);

  useWheel(tracksRef, (event) => {
    const bounds = tracksRef.current?.getBoundingClientRect();
    if (bounds === undefined || scale.width === 0) return;
    const span = window.to_secs - window.from_secs;
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (!event.ctrlKey && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
      onWindow(panWindow(window, duration_secs, (sideways / scale.width) * span));
      return;
    }
    const x = Math.min(scale.width, Math.max(0, event.clientX - bounds.left - GUTTER_PX));
    const factor = Math.exp(event.deltaY * (event.ctrlKey ? 0.01 : 0.002));
    onWindow(zoomWindow(window, duration_secs, factor, scale.toSecs(x), shortest_secs));
  });

  function momentUnder(event: PointerEvent): number {
    const bounds = tracksRef.current?.getBoundingClientRect();
    const x = event.clientX - (bounds?.left ?? 0) - GUTTER_PX;
    return Math.min(duration_secs, Math.max(0, scale.toSecs(Math.min(scale.width, Math.max(0, x)))));
  }

  const playhead_x = scale.toX(frame_secs[frame] ?? 0);
  const hover_x = hovered_secs === null ? null : scale.toX(hovered_secs);
  return (
    <div className={classes.root}>
      <div
        ref={mergedRef}
        className={classes.tracks}
        onPointerMove={(event) => {
          if (!scrubbing) onHover(momentUnder(event));
        }}
        onPointerLeave={() => onHover(null)}
      >
        <div
          className={classes.ruler}
          style={{ marginLeft: GUTTER_PX, marginRight: MARGIN_PX }}
          role="slider"
          tabIndex={0}
          aria-label="Frame"
          aria-valuemin={0}
          aria-valuemax={Math.max(0, frame_secs.length - 1)}
          aria-valuenow={frame}
          aria-valuetext={`Frame ${frame}, ${(frame_secs[frame] ?? 0).toFixed(2)} seconds`}
          data-testid="ruler"
          onKeyDown={(event) => {
            const frames = STEPS[event.key];
            if (frames === undefined) return;
            event.preventDefault();
            onStep(frames);
          }}
          // The focus stays with the page, whose keys go on working.
          onMouseDown={(event) => event.preventDefault()}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setScrubbing(true);
            onHover(null);
            onScrub(momentUnder(event), false);
          }}
          onPointerMove={(event) => {
            if (scrubbing) onScrub(momentUnder(event), false);
          }}
          onPointerUp={(event) => {
            if (scrubbing) onScrub(momentUnder(event), true);
            setScrubbing(false);
          }}
          onPointerCancel={() => setScrubbing(false)}
        >
          <Ruler scale={scale} frame_secs={frame_secs} />
        </div>
        {scale.width > 0 && children(scale)}
        {hover_x !== null && hover_x >= 0 && hover_x <= scale.width && (
          <div className={classes.hover} style={{ transform: `translateX(${GUTTER_PX + hover_x}px)` }} />
        )}
        {playhead_x >= -1 && playhead_x <= scale.width + 1 && (
          <div
            className={classes.playhead}
            data-scrubbing={scrubbing}
            style={{ transform: `translateX(${GUTTER_PX + playhead_x}px)` }}
          />
        )}
      </div>
      <Overview
        window={window}
        duration_secs={duration_secs}
        at_secs={frame_secs[frame] ?? 0}
        onWindow={onWindow}
      />
    </div>
  );
}

/** The closest look: about a dozen frames. */
export function getShortestWindow(frame_secs: readonly number[], duration_secs: number): number {
  return Math.min(duration_secs, (duration_secs / Math.max(1, frame_secs.length)) * 12);
}

/** React listens to the wheel passively; a zoom has to keep the page from scrolling. */
function useWheel(ref: { current: HTMLElement | null }, onWheel: (event: WheelEvent) => void): void {
  const latest = useRef(onWheel);
  latest.current = onWheel;
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const handle = (event: WheelEvent) => {
      event.preventDefault();
      latest.current(event);
    };
    element.addEventListener("wheel", handle, { passive: false });
    return () => element.removeEventListener("wheel", handle);
  }, [ref]);
}
