import type { CurveColor } from "./types.ts";

/**
 * Ten hues that stay apart for colour-blind eyes and keep off those that carry a meaning, as light and dark ground
 * need them (after Tol's muted scheme).
 */
const SERIES: readonly (readonly [light: string, dark: string])[] = [
  ["#3d3a9e", "#9d9af0"],
  ["#0e7c86", "#5cc6d0"],
  ["#8e2557", "#e086ac"],
  ["#7d7a00", "#c9c64a"],
  ["#7a5230", "#c99f78"],
  ["#4a6f9c", "#92b4dc"],
  ["#7b4fb5", "#b897ea"],
  ["#4f7a28", "#9cc873"],
  ["#b3476d", "#ee93b2"],
  ["#5a6169", "#a7aeb7"],
];

/** A colour of the chart as CSS. */
export function getCssColor(color: CurveColor | "ink" | "line" | "line-strong" | "surface"): string {
  const series = /^series-(\d+)$/.exec(color);
  if (!series) return `var(--sl-${color})`;
  const [light, dark] = SERIES[Number(series[1]) % SERIES.length] as (typeof SERIES)[number];
  return `light-dark(${light}, ${dark})`;
}
