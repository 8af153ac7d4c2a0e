import { type PaperCurve, placePaperStep } from "@sightline/core/figures";
import type { CurveSeries } from "@sightline/ui/curve";

/** A paper's curve over a run's own steps: the middle of what was read, with the reading error as its band. */
export function drawPaper(
  { points, error }: PaperCurve,
  borders: readonly number[],
  unit: string,
): CurveSeries {
  return {
    id: "paper",
    label: `paper, read from the figure ± ${error}${unit}`,
    color: "human",
    dash: "dashed",
    x: Float64Array.from(points, ({ step }) => placePaperStep(step, borders)),
    values: Float64Array.from(points, ({ low, high }) => (low + high) / 2),
    low: Float64Array.from(points, ({ low }) => low - error),
    high: Float64Array.from(points, ({ high }) => high + error),
  };
}

/** A value of the paper that belongs to no step. */
export function drawLevel(
  id: string,
  label: string,
  value: number,
  last: number,
  dash: "dashed" | "dotted",
): CurveSeries {
  return {
    id,
    label,
    color: "human",
    dash,
    x: Float64Array.from([0, last]),
    values: Float64Array.from([value, value]),
  };
}
