export type { OverlapPoint } from "./overlap-curve.ts";
export { OverlapPlot } from "./overlap-plot.tsx";
