import type { ComparedFrame } from "@sightline/core/keyframes";
import { GUTTER_PX, type TimeScale } from "@sightline/ui/timeline";
import { memo } from "react";
import classes from "./difference-lane.module.css";

const HEIGHT = 30;
const MIDDLE = HEIGHT / 2;
/** Frames that neither keeps are marked once they stand this far apart. */
const DOT_SPACING_PX = 5;

/**
 * Between the two strips: a diamond for a frame that both keep, a triangle towards the one that alone keeps it, a dot
 * for one that neither keeps.
 */
export const DifferenceLane = memo(function DifferenceLane({
  scale,
  frames,
  frame,
  onPick,
}: {
  scale: TimeScale;
  frames: readonly ComparedFrame[];
  frame: number;
  onPick(frame: number): void;
}) {
  const { from_secs, to_secs } = scale.window;
  const shown = frames.filter(({ time_secs }) => time_secs >= from_secs && time_secs <= to_secs);
  const has_dots = shown.length * DOT_SPACING_PX < scale.width;
  return (
    <div className={classes.lane} style={{ height: HEIGHT, paddingLeft: GUTTER_PX }}>
      <svg width={scale.width + 12} height={HEIGHT} aria-label="Where the two part" role="img">
        <path className={classes.line} d={`M0 ${MIDDLE + 0.5}H${scale.width}`} />
        {shown.map((one) => {
          const x = scale.toX(one.time_secs);
          const is_here = one.frame === frame;
          if (one.kept === "neither") {
            return has_dots || is_here ? (
              <circle
                key={one.frame}
                className={classes.dot}
                data-here={is_here}
                cx={x}
                cy={MIDDLE}
                r={is_here ? 3.5 : 2}
              />
            ) : null;
          }
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the page's keys go from difference to difference.
            <path
              key={one.frame}
              className={classes.mark}
              data-kept={one.kept}
              data-here={is_here}
              data-testid="compared-mark"
              data-frame={one.frame}
              d={drawMark(one.kept, x)}
              onClick={() => onPick(one.frame)}
            />
          );
        })}
      </svg>
    </div>
  );
});

function drawMark(kept: "both" | "a" | "b", x: number): string {
  const at = x.toFixed(1);
  if (kept === "both") return `M${at} ${MIDDLE - 5}l5 5-5 5-5-5z`;
  return kept === "a" ? `M${at} ${MIDDLE - 10}l6 9h-12z` : `M${at} ${MIDDLE + 10}l6-9h-12z`;
}
