import type { Axis } from "./axis.ts";
import type { Box, Shape } from "./picture.ts";

/** What an engine draws: the same for both, so that they look the same. Sizes in CSS pixels. */
export type PlotProps = {
  width: number;
  height: number;
  box: Box;
  shapes: readonly Shape[];
  x_axis: Axis;
  y_axis: Axis;
  formatX?: ((value: number, axis: Axis) => string) | undefined;
  formatY?: ((value: number, axis: Axis) => string) | undefined;
};
