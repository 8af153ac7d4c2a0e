import { type PaperCurve, placePaperStep } from "@sightline/core/figures";
import type { CurveSeries } from "@sightline/ui/curve";

/** So many places of a reference that a moving average keeps to it; none of them is drawn or exported. */
const PLACES = 256;

/** What smoothing runs over: the line between the points, so that the page's moving average does not bend it. */
function between(x: Float64Array, values: Float64Array): NonNullable<CurveSeries["basis"]> {
  const [first = 0, last = 1] = [x[0], x.at(-1)];
  const places = Float64Array.from({ length: PLACES }, (_, k) => first + ((last - first) * k) / (PLACES - 1));
  const read = (at: number) => {
    const k = Math.max(
      0,
      x.findLastIndex((place, index) => place <= at && index < x.length - 1),
    );
    const [a = 0, b = 1, from = 0, to = 0] = [x[k], x[k + 1], values[k], values[k + 1]];
    return b === a ? to : from + ((at - a) / (b - a)) * (to - from);
  };
  return { x: places, values: places.map(read), counts: new Float64Array(PLACES).fill(PLACES) };
}

/** A paper's curve over a run's own steps: the middle of what was read, with the reading error as its band. */
export function drawPaper(
  { points, error }: PaperCurve,
  borders: readonly number[],
  unit: string,
): CurveSeries {
  const x = Float64Array.from(points, ({ step }) => placePaperStep(step, borders));
  const values = Float64Array.from(points, ({ low, high }) => (low + high) / 2);
  return {
    id: "paper",
    label: `paper, read from the figure ± ${error}${unit}`,
    color: "human",
    dash: "dashed",
    x,
    values,
    basis: between(x, values),
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
