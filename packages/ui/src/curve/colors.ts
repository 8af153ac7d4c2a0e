import type { CurveColor } from "./types.ts";

/** Ten hues that stay apart for colour-blind eyes, as light and dark ground need them (after Okabe–Ito and Tol). */
const SERIES: readonly (readonly [light: string, dark: string])[] = [
  ["#0072b2", "#4da6e0"],
  ["#d55e00", "#ff8a4d"],
  ["#009370", "#2cc398"],
  ["#b8568f", "#e08fbd"],
  ["#ad7f00", "#f0bf3c"],
  ["#332288", "#9d90f0"],
  ["#117a8b", "#63c5d6"],
  ["#882255", "#d97aa8"],
  ["#5f6b00", "#b9c74a"],
  ["#6b4a3a", "#c9a390"],
];

/** A colour of the chart as CSS. */
export function getCssColor(color: CurveColor | "ink" | "line" | "line-strong" | "surface"): string {
  const series = /^series-(\d+)$/.exec(color);
  if (!series) return `var(--sl-${color})`;
  const [light, dark] = SERIES[Number(series[1]) % SERIES.length] as (typeof SERIES)[number];
  return `light-dark(${light}, ${dark})`;
}
