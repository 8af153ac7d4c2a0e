import { formatClock } from "@sightline/core/format";
import { memo } from "react";
import { findFirstAt, getTicks, type TimeScale } from "./time-scale.ts";
import classes from "./timeline.module.css";

const HEIGHT = 24;
/** Single frames are marked once they stand this far apart. */
const FRAME_SPACING_PX = 5;

/** Round moments with their names; single frames where they are far enough apart. */
export const Ruler = memo(function Ruler({
  scale,
  frame_secs,
}: {
  scale: TimeScale;
  frame_secs: readonly number[];
}) {
  const { step_secs, ticks } = getTicks(scale, 84);
  const minor = getTicks(scale, 15);
  return (
    <svg width="100%" height={HEIGHT} aria-hidden="true" className={classes.rulerMarks}>
      <path
        className={classes.minor}
        d={minor.ticks.map((secs) => `M${round(scale.toX(secs))} ${HEIGHT}v-4`).join("")}
      />
      <path className={classes.frames} d={drawFrames(scale, frame_secs)} />
      {ticks.map((secs) => {
        const x = round(scale.toX(secs));
        const label = step_secs < 0.1 ? `${secs.toFixed(2)} s` : formatClock(secs);
        const room = x + label.length * 6.5 < scale.width;
        return (
          <g key={secs}>
            <path className={classes.major} d={`M${x} ${HEIGHT}v-9`} />
            {room && (
              <text x={x + 4} y={HEIGHT - 9} className={classes.tickLabel}>
                {step_secs >= 1 ? label.replace(/\.0$/, "") : label}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
});

function drawFrames(scale: TimeScale, frame_secs: readonly number[]): string {
  const first = findFirstAt(frame_secs, scale.window.from_secs);
  const last = findFirstAt(frame_secs, scale.window.to_secs);
  if ((last - first) * FRAME_SPACING_PX > scale.width) return "";
  return frame_secs
    .slice(first, last)
    .map((secs) => `M${round(scale.toX(secs))} ${HEIGHT}v-3`)
    .join("");
}

/** On the pixel, so that hairlines stay hairlines. */
function round(x: number): number {
  return Math.round(x) + 0.5;
}
