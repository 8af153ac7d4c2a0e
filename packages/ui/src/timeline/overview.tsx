import { useRef } from "react";
import type { TimeWindow } from "./time-scale.ts";
import { panWindow } from "./time-scale.ts";
import classes from "./timeline.module.css";

/** Where the window in view lies within the whole clip; dragged, it moves along. Empty while all is in view. */
export function Overview({
  window,
  duration_secs,
  at_secs,
  onWindow,
}: {
  window: TimeWindow;
  duration_secs: number;
  at_secs: number;
  onWindow(window: TimeWindow): void;
}) {
  const dragRef = useRef<{ x: number; window: TimeWindow } | null>(null);
  const span = window.to_secs - window.from_secs;
  const whole = span >= duration_secs * 0.999;
  const percent = (secs: number) => `${(secs / duration_secs) * 100}%`;
  return (
    <div className={classes.overview} data-whole={whole}>
      {!whole && (
        <>
          <div
            className={classes.thumb}
            style={{ left: percent(window.from_secs), width: percent(span) }}
            data-testid="overview"
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              dragRef.current = { x: event.clientX, window };
            }}
            onPointerMove={(event) => {
              const drag = dragRef.current;
              const width = event.currentTarget.parentElement?.clientWidth ?? 0;
              if (drag === null || width === 0) return;
              const by = ((event.clientX - drag.x) / width) * duration_secs;
              onWindow(panWindow(drag.window, duration_secs, by));
            }}
            onPointerUp={() => {
              dragRef.current = null;
            }}
          />
          <div className={classes.overviewHead} style={{ left: percent(at_secs) }} />
        </>
      )}
    </div>
  );
}
