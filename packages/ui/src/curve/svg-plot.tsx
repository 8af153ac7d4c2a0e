import { memo, useId, useMemo } from "react";
import { CartesianGrid, ComposedChart, XAxis, YAxis } from "recharts";
import { type Axis, formatTick } from "./axis.ts";
import { getCssColor } from "./colors.ts";
import classes from "./curve.module.css";
import type { PlotProps } from "./engine.ts";
import { MARGIN, type Shape } from "./picture.ts";

const NO_DATA: never[] = [];

/** Axes and grid by recharts, the paths over them. For up to ten lines. */
export function SvgPlot({ width, height, box, shapes, x_axis, y_axis, formatX, formatY }: PlotProps) {
  const clip = useId();
  return (
    <div className={classes.plot} style={{ width, height }}>
      <Frame
        width={width}
        height={height}
        x_axis={useStable(x_axis)}
        y_axis={useStable(y_axis)}
        formatX={formatX}
        formatY={formatY}
      />
      <svg
        className={classes.shapes}
        data-layer="shapes"
        width={width}
        height={height}
        aria-hidden="true"
        focusable="false"
      >
        <clipPath id={clip}>
          <rect x={box.left} y={box.top - 3} width={box.width + 3} height={box.height + 6} />
        </clipPath>
        <Paths shapes={shapes} clip={clip} />
      </svg>
    </div>
  );
}

/** The axis as it was, for as long as it says the same: recharts then has nothing to do. */
function useStable(axis: Axis): Axis {
  const key = JSON.stringify(axis);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the axis
  return useMemo(() => axis, [key]);
}

const Frame = memo(function Frame({
  width,
  height,
  x_axis,
  y_axis,
  formatX,
  formatY,
}: {
  width: number;
  height: number;
  x_axis: Axis;
  y_axis: Axis;
  formatX: PlotProps["formatX"];
  formatY: PlotProps["formatY"];
}) {
  const axis = { stroke: getCssColor("line-strong") };
  return (
    <ComposedChart
      width={width}
      height={height}
      data={NO_DATA}
      margin={{ top: MARGIN.top, right: MARGIN.right, bottom: 0, left: 0 }}
      accessibilityLayer={false}
    >
      <CartesianGrid
        vertical={false}
        stroke={getCssColor("line")}
        horizontalValues={y_axis.ticks}
        syncWithTicks
      />
      <XAxis
        dataKey="x"
        type="number"
        height={MARGIN.bottom}
        domain={[x_axis.from, x_axis.to]}
        ticks={x_axis.ticks}
        allowDataOverflow
        interval={0}
        tickFormatter={(value: number) => formatX?.(value, x_axis) ?? formatTick(value, x_axis)}
        axisLine={axis}
        tickLine={false}
        tickMargin={6}
      />
      <YAxis
        type="number"
        width={MARGIN.left}
        scale={y_axis.scale}
        domain={[y_axis.from, y_axis.to]}
        ticks={y_axis.ticks}
        allowDataOverflow
        interval={0}
        tickFormatter={(value: number) => formatY?.(value, y_axis) ?? formatTick(value, y_axis)}
        axisLine={false}
        tickLine={false}
        tickMargin={4}
      />
    </ComposedChart>
  );
});

const Paths = memo(function Paths({ shapes, clip }: { shapes: readonly Shape[]; clip: string }) {
  return shapes.map((shape) => <PathOf key={shape.key} shape={shape} clip={clip} />);
});

function PathOf({ shape, clip }: { shape: Shape; clip: string }) {
  return (
    <path
      d={shape.d}
      data-role={shape.role}
      fill={shape.fill === undefined ? "none" : getCssColor(shape.fill)}
      fillOpacity={shape.fillOpacity}
      stroke={shape.stroke === undefined ? "none" : getCssColor(shape.stroke)}
      strokeWidth={shape.strokeWidth}
      strokeOpacity={shape.strokeOpacity}
      strokeDasharray={shape.dash}
      strokeLinejoin="round"
      strokeLinecap="round"
      clipPath={shape.clip ? `url(#${clip})` : undefined}
    />
  );
}
