import { memo } from "react";
import classes from "./match-overlay.module.css";

/** A point that was found in both pictures; in the coordinates of the picture that is shown. */
export type Match = {
  /** Where it lies in the picture that is shown. */
  at: readonly [x: number, y: number];
  /** Where it lay in the key-frame. */
  was: readonly [x: number, y: number];
  /** True when it moved as the homography says. */
  is_inlier: boolean;
};

/**
 * How the picture on screen matches its key-frame: each match as a line from where the point was to where it is, those
 * that the homography explains full, the others faint and dashed; and the key-frame's view as it lies in this picture.
 *
 * Drawn inside an SVG whose units are the picture's display pixels.
 *
 * @param quad  Corners of the key-frame's view in this picture; null without a sound homography.
 * @param scale  Display pixels per screen pixel, so that marks keep their size.
 */
export const MatchOverlay = memo(function MatchOverlay({
  matches,
  quad,
  scale,
}: {
  matches: readonly Match[];
  quad: readonly (readonly [x: number, y: number])[] | null;
  scale: number;
}) {
  const r = 2.4 * scale;
  return (
    <g className={classes.root}>
      {quad !== null && (
        <>
          <path className={classes.quadShade} d={toPath(quad)} />
          <path className={classes.quad} d={toPath(quad)} />
        </>
      )}
      {[false, true].map((is_inlier) => (
        <g key={String(is_inlier)} className={is_inlier ? classes.inlier : classes.outlier}>
          <path
            className={classes.line}
            d={matches
              .filter((match) => match.is_inlier === is_inlier)
              .map(({ at, was }) => `M${was.map(round).join(" ")}L${at.map(round).join(" ")}`)
              .join("")}
          />
          {matches
            .filter((match) => match.is_inlier === is_inlier)
            .map(({ at }) => (
              <circle key={at.join()} className={classes.point} cx={round(at[0])} cy={round(at[1])} r={r} />
            ))}
        </g>
      ))}
    </g>
  );
});

function toPath(quad: readonly (readonly [number, number])[]): string {
  return `M${quad.map((corner) => corner.map(round).join(" ")).join("L")}Z`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
