import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { formatTick } from "./axis.ts";
import classes from "./curve.module.css";
import type { PlotProps } from "./engine.ts";
import { palette } from "./palette.ts";
import { MARGIN, type Shape } from "./picture.ts";

/** Axes and grid by uPlot, the same paths on a canvas over them. For more lines than SVG can move. */
export function CanvasPlot(props: PlotProps) {
  const { width, height, shapes, x_axis, y_axis } = props;
  const root = useRef<HTMLDivElement>(null);
  const layer = useRef<HTMLCanvasElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const element = root.current;
    if (!element) return;
    const family = getComputedStyle(element).fontFamily;
    const made = new uPlot(
      {
        width: latest.current.width,
        height: latest.current.height,
        padding: [MARGIN.top, MARGIN.right, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, range: () => [latest.current.x_axis.from, latest.current.x_axis.to] },
          y: {
            distr: latest.current.y_axis.scale === "log" ? 3 : 1,
            range: () => [latest.current.y_axis.from, latest.current.y_axis.to],
          },
        },
        axes: [
          {
            ...makeAxisStyle(family),
            size: MARGIN.bottom,
            gap: 4,
            grid: { show: false },
            border: { show: true, width: 1, stroke: () => palette.get("line-strong") },
            splits: () => latest.current.x_axis.ticks,
            values: (_, ticks) =>
              ticks.map((tick) => {
                const { x_axis: axis, formatX } = latest.current;
                return formatX?.(tick, axis) ?? formatTick(tick, axis);
              }),
          },
          {
            ...makeAxisStyle(family),
            size: MARGIN.left,
            gap: 4,
            grid: { show: true, width: 1, stroke: () => palette.get("line") },
            splits: () => latest.current.y_axis.ticks,
            values: (_, ticks) =>
              ticks.map((tick) => {
                const { y_axis: axis, formatY } = latest.current;
                return formatY?.(tick, axis) ?? formatTick(tick, axis);
              }),
          },
        ],
        series: [{}, { show: true, points: { show: false }, width: 0 }],
        hooks: {
          draw: [
            () => {
              if (layer.current) drawShapes(layer.current, latest.current);
            },
          ],
        },
      },
      [
        [0, 1],
        [null, null],
      ],
      element,
    );
    plot.current = made;

    const forget = palette.subscribe(() => made.redraw(false));
    return () => {
      forget();
      made.destroy();
      plot.current = null;
    };
  }, []);

  useEffect(() => {
    plot.current?.setSize({ width, height });
  }, [width, height]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn is read from `latest`
  useEffect(() => {
    const made = plot.current;
    if (!made) return;
    made.batch(() => {
      made.setScale("x", { min: x_axis.from, max: x_axis.to });
      made.setScale("y", { min: y_axis.from, max: y_axis.to });
      made.redraw(false, true);
    });
  }, [shapes, x_axis, y_axis]);

  return (
    <div ref={root} className={classes.plot} style={{ width, height }} aria-hidden="true">
      <canvas ref={layer} className={classes.shapes} data-layer="shapes" style={{ width, height }} />
    </div>
  );
}

function makeAxisStyle(family: string): uPlot.Axis {
  return { font: `11px ${family}`, stroke: () => palette.get("ink-3"), ticks: { show: false } };
}

function drawShapes(canvas: HTMLCanvasElement, { width, height, box, shapes }: PlotProps): void {
  const ratio = uPlot.pxRatio;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const ctx = canvas.getContext("2d");
  if (!ctx) return;
  ctx.save();
  ctx.scale(ratio, ratio);
  ctx.lineJoin = "round";
  ctx.lineCap = "round";
  for (const shape of shapes) {
    ctx.save();
    if (shape.clip) {
      ctx.beginPath();
      ctx.rect(box.left, box.top - 3, box.width + 3, box.height + 6);
      ctx.clip();
    }
    paint(ctx, shape);
    ctx.restore();
  }
  ctx.restore();
}

function paint(ctx: CanvasRenderingContext2D, shape: Shape): void {
  const path = new Path2D(shape.d);
  if (shape.fill !== undefined) {
    ctx.globalAlpha = shape.fillOpacity ?? 1;
    ctx.fillStyle = palette.get(shape.fill);
    ctx.fill(path);
  }
  if (shape.stroke !== undefined) {
    ctx.globalAlpha = shape.strokeOpacity ?? 1;
    ctx.strokeStyle = palette.get(shape.stroke);
    ctx.lineWidth = shape.strokeWidth ?? 1;
    ctx.setLineDash(shape.dash ? shape.dash.split(" ").map(Number) : []);
    ctx.stroke(path);
  }
}
