import type { AlertPoint } from "./points.ts";
import type { AlertKind } from "./types.ts";

/** What a rule looks at, as lines over steps: to be drawn beside the marks at which it fires. */
export type AlertCurve = { label: string; steps: number[]; values: (number | null)[] }[];

const LABELS: Record<AlertKind, readonly string[]> = {
  non_finite: ["values that are not finite"],
  no_signal: ["share without a signal"],
  saturated: ["format", "accuracy"],
  length_drift: ["mean length, tokens"],
  judge_failing: ["share of failed judge calls"],
  stalled: ["seconds since the line before"],
};

function readValues(
  kind: AlertKind,
  point: AlertPoint,
  before: AlertPoint | undefined,
): (number | null)[] | null {
  if (point.kind === "tally") {
    const { groups, tied, asked, failed } = point;
    if (kind === "no_signal") return groups > 0 ? [tied / groups] : null;
    return asked > 0 ? [failed / asked] : null;
  }
  if (point.kind !== "step") return null;
  if (kind === "stalled")
    return [before?.attempt === point.attempt ? Math.max(0, point.time_secs - before.time_secs) : 0];
  if (kind === "non_finite") return [point.non_finite.length];
  return kind === "saturated" ? [point.format, point.accuracy] : [point.length];
}

/**
 * The measure of a rule over the steps of a run, in at most about `most` points a line: the highest and the lowest of
 * each stretch, so that no peak is lost. Steps that a later attempt went over again are there once, as they were last.
 */
export function alertCurve(kind: AlertKind, points: readonly AlertPoint[], most: number): AlertCurve {
  const rows = new Map<number, (number | null)[]>();
  let before: AlertPoint | undefined;
  for (const point of points) {
    const values = readValues(kind, point, before);
    if (values !== null && "step" in point) rows.set(point.step, values);
    before = point;
  }
  const steps = [...rows.keys()].sort((a, b) => a - b);
  const stretch = Math.max(1, Math.ceil((2 * steps.length) / most));
  return LABELS[kind].map((label, at) => {
    const kept: number[] = [];
    for (let k = 0; k < steps.length; k += stretch) {
      const part = steps.slice(k, k + stretch);
      const value = (step: number | undefined) => rows.get(step ?? -1)?.[at] ?? Number.NEGATIVE_INFINITY;
      const low = part.reduce((best, step) => (value(step) < value(best) ? step : best), part[0] ?? 0);
      const high = part.reduce((best, step) => (value(step) > value(best) ? step : best), part[0] ?? 0);
      kept.push(...new Set([low, high].sort((a, b) => a - b)));
    }
    return { label, steps: kept, values: kept.map((step) => rows.get(step)?.[at] ?? null) };
  });
}
