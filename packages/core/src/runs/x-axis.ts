import type { RunSeries } from "./fold.ts";
import { metricPaths, stageBands } from "./views.ts";

export const X_KINDS = ["step", "epoch", "tokens", "time", "stage"] as const;
/** What the x axis of curves counts; `stage`: steps since the stage began, so that stages lie over each other. */
export type XKind = (typeof X_KINDS)[number];

/** From steps to places of an x axis and back. */
export type XMap = {
  kind: XKind;
  /** NaN where the run does not say. */
  toX(step: number): number;
  /** The step that is nearest to a place. */
  toStep(x: number): number;
};

/** The metric that says where steps lie. */
export const X_METRICS = { epoch: "clock/epoch", tokens: "num_tokens", time: "clock/time_secs" } as const;

/**
 * How steps of a run lie on an axis; time counts seconds from the first step.
 *
 * Between two steps that are known places are interpolated; beyond them they go on as between the last two.
 *
 * @returns null when the run did not log what the axis counts.
 */
export function makeXMap(series: RunSeries, kind: XKind): XMap | null {
  if (kind === "step") return { kind, toX: (step) => step, toStep: Math.round };
  if (kind === "stage") return makeStageMap(series);
  const paths = metricPaths(series, X_METRICS[kind]);
  return mapAlong(
    kind,
    paths.filter(({ rolled_back }) => !rolled_back),
  );
}

/**
 * The map of places that lines tell, in the order of attempts; null where none is known. What does not rise is passed
 * over. `time`: UTC seconds.
 */
export function mapAlong(
  kind: keyof typeof X_METRICS,
  lines: readonly { steps: Iterable<number>; values: ArrayLike<number> }[],
): XMap | null {
  const steps: number[] = [];
  const places: number[] = [];
  for (const line of lines) {
    let k = 0;
    for (const step of line.steps) {
      const place = line.values[k++] ?? Number.NaN;
      if (!Number.isFinite(place) || step <= (steps.at(-1) ?? -1) || place < (places.at(-1) ?? place))
        continue;
      steps.push(step);
      places.push(place);
    }
  }
  if (steps.length === 0) return null;
  const origin = kind === "time" ? (places[0] ?? 0) : 0;
  const from = places.map((place) => place - origin);
  return {
    kind,
    toX: (step) => interpolate(steps, from, step),
    toStep: (x) => Math.round(interpolate(from, steps, x)),
  };
}

function makeStageMap(series: RunSeries): XMap | null {
  const bands = stageBands(series);
  if (bands.length === 0) return null;
  const starts = bands.map(({ from_step }) => from_step);
  return {
    kind: "stage",
    toX: (step) => step - (starts.findLast((start) => start <= step) ?? step),
    // Several stages have a step there; the newest is meant.
    toStep: (x) => Math.round((starts.at(-1) ?? 0) + x),
  };
}

/** `to` at a place of `from`; both rise. */
function interpolate(from: readonly number[], to: readonly number[], at: number): number {
  const last = from.length - 1;
  if (last <= 0) return to[0] ?? Number.NaN;
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((from[middle] ?? 0) <= at) low = middle;
    else high = middle;
  }
  const [x0 = 0, x1 = 0, y0 = 0, y1 = 0] = [from[low], from[high], to[low], to[high]];
  return x1 === x0 ? y0 : y0 + ((at - x0) * (y1 - y0)) / (x1 - x0);
}
