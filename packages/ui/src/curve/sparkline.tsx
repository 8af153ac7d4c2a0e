import { getCssColor } from "./colors.ts";
import type { CurveColor } from "./types.ts";

/** A line of a sparkline: places and values, both in [0, 1]; NaN is a gap. */
export type SparkLine = { id: string; color: CurveColor; x: readonly number[]; y: readonly number[] };

/** Lines without axes, for a row of a table. */
export function Sparkline({
  lines,
  label,
  width = 120,
  height = 24,
  isFluid = false,
}: {
  lines: readonly SparkLine[];
  /** What it says, for those who do not see it. */
  label: string;
  width?: number;
  height?: number;
  /** As wide as there is room, whatever `width` is. */
  isFluid?: boolean;
}) {
  return (
    <svg
      width={isFluid ? "100%" : width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      style={{ display: "block" }}
    >
      <path d={`M0 ${height - 0.5}H${width}`} stroke={getCssColor("line")} fill="none" />
      {lines.map(({ id, color, x, y }) => (
        <path
          key={id}
          d={trace(x, y, width, height)}
          stroke={getCssColor(color)}
          strokeWidth={1.3}
          strokeLinejoin="round"
          vectorEffect="non-scaling-stroke"
          fill="none"
        />
      ))}
    </svg>
  );
}

function trace(x: readonly number[], y: readonly number[], width: number, height: number): string {
  let path = "";
  let isOpen = false;
  x.forEach((place, k) => {
    const value = y[k];
    if (value === undefined || !Number.isFinite(value)) {
      isOpen = false;
      return;
    }
    const left = (place * width).toFixed(1);
    const top = (2 + (1 - Math.min(1, Math.max(0, value))) * (height - 4)).toFixed(1);
    path += `${isOpen ? "L" : "M"}${left} ${top}`;
    isOpen = true;
  });
  return path;
}
