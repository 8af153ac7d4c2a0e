export type { OverlapPoint } from "./overlap-curve.ts";
export { type HumanPoint, OverlapPlot } from "./overlap-plot.tsx";
