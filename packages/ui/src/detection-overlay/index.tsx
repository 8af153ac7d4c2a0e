import type { Detection } from "@sightline/core/detection";
import { memo } from "react";
import classes from "./detection-overlay.module.css";

/**
 * The objects that the detector found on the picture, each as a box with its name and score.
 *
 * Drawn inside an SVG whose units are the picture's display pixels.
 *
 * @param scale  Display pixels per screen pixel, so that names keep their size.
 */
export const DetectionOverlay = memo(function DetectionOverlay({
  detections,
  scale,
}: {
  detections: readonly Detection[];
  scale: number;
}) {
  const height = 16 * scale;
  return (
    <g>
      {detections.map(({ label, score, box: [x0, y0, x1, y1] }) => {
        const text = `${label} ${score.toFixed(2)}`;
        const top = Math.max(0, y0 - height);
        return (
          <g key={`${label} ${x0} ${y0}`} data-testid="detection" data-label={label} data-score={score}>
            <rect className={classes.box} x={x0} y={y0} width={x1 - x0} height={y1 - y0} />
            <rect
              className={classes.plate}
              x={x0}
              y={top}
              width={(text.length * 6.6 + 8) * scale}
              height={height}
            />
            <text className={classes.name} x={x0 + 4 * scale} y={top + 12 * scale} fontSize={11 * scale}>
              {text}
            </text>
          </g>
        );
      })}
    </g>
  );
});
