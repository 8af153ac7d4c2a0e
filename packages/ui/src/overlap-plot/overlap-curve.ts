import type { TimeScale } from "../timeline/index.tsx";

/** One sampled frame on the plot. */
export type OverlapPoint = {
  /** Ordinal in the clip. */
  frame: number;
  time_secs: number;
  kept: boolean;
  /** The overlap that was compared with the threshold, in [0, 1]; null where none could be measured. */
  overlap: number | null;
  /** Share of the key-frame's view that the frame still shows, and the other way round; null where not measured. */
  forward: number | null;
  backward: number | null;
  /** Short name of why the frame could not be compared; null where it could. */
  failure: string | null;
};

/** Maps an overlap in [0, 1] to a height. */
export type ToY = (overlap: number) => number;

/** Points closer together than this share one column; the column keeps its lowest and highest. */
const COLUMN_PX = 1;

/**
 * The curve of one measure as an SVG path. Overlap is measured against the previous key-frame, so each key-frame begins
 * a stretch anew at 1, its overlap with itself; a frame without a measure leaves a gap.
 *
 * @param points  In presentation order; those out of view may be left out.
 */
export function drawCurve(
  points: readonly OverlapPoint[],
  scale: TimeScale,
  toY: ToY,
  measure: (point: OverlapPoint) => number | null,
): string {
  const commands: string[] = [];
  let pen: "up" | "down" = "up";
  let column = Number.NaN;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const point of points) {
    const x = scale.toX(point.time_secs);
    const value = measure(point);
    if (value === null) pen = "up";
    else {
      const y = toY(value);
      const here = Math.round(x / COLUMN_PX);
      if (here !== column || pen === "up") {
        column = here;
        low = Number.POSITIVE_INFINITY;
        high = Number.NEGATIVE_INFINITY;
      }
      if (y < low || y > high) {
        commands.push(`${pen === "up" ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`);
        low = Math.min(low, y);
        high = Math.max(high, y);
        pen = "down";
      }
    }
    if (point.kept) {
      commands.push(`M${x.toFixed(1)} ${toY(1).toFixed(1)}`);
      pen = "down";
      column = Number.NaN;
    }
  }
  return commands.join("");
}
