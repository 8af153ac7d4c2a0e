import { readNumber, type UnknownLine, type WireLine } from "../wire/index.ts";

/**
 * What a line adds to the curves. Steps of one clock only rise within an attempt; when they go back a new segment
 * begins for all metrics of that clock.
 */
export type MetricEntries = {
  clock: "train" | "eval" | "generation";
  step: number;
  names: readonly string[];
  /** By name; NaN for null and for NaN. */
  values: readonly number[];
};

const GENERATION_NAMES = [
  "generation/generate_secs",
  "generation/score_secs",
  "generation/tokens",
  "judge/calls",
  "judge/cached",
  "judge/failed",
  "judge/secs",
] as const;

/** Where a step stands in time (UTC seconds) and in epochs: kept as metrics, so that curves can be drawn over them. */
export const CLOCK_METRICS = ["clock/time_secs", "clock/epoch"] as const;

/** True for what says where a step stands; a second line of a step says it again, and repeats no measure. */
export function isClockMetric(name: string): boolean {
  return name.startsWith("clock/");
}

/** The curve points of a line; null when it has none. */
export function metricEntries(line: WireLine | UnknownLine): MetricEntries | null {
  if (line.type === "metrics" && isKnown(line, "metrics")) {
    const names = Object.keys(line.values);
    const values = names.map((name) => readNumber(line.values[name]) ?? Number.NaN);
    return line.split === "eval"
      ? {
          clock: "eval",
          step: line.step,
          names: names.map((name) => (name.startsWith("eval_") ? name : `eval_${name}`)),
          values,
        }
      : {
          clock: "train",
          step: line.step,
          names: [...names, ...CLOCK_METRICS],
          values: [...values, line.time_secs, line.epoch],
        };
  }
  if (line.type === "generation" && isKnown(line, "generation")) {
    const { generate_secs, score_secs, tokens, judge } = line;
    return {
      clock: "generation",
      step: line.step,
      names: GENERATION_NAMES,
      values: [generate_secs, score_secs, tokens, judge.calls, judge.cached, judge.failed, judge.secs],
    };
  }
  return null;
}

/** The clock that a metric's name belongs to. */
export function clockOfName(name: string): MetricEntries["clock"] {
  if (name.startsWith("eval_")) return "eval";
  return name.startsWith("generation/") || name.startsWith("judge/") ? "generation" : "train";
}

/** Narrows a stored line to one known type; stored lines were checked when they came in. */
export function isKnown<T extends WireLine["type"]>(
  line: WireLine | UnknownLine,
  type: T,
): line is Extract<WireLine, { type: T }> {
  return line.type === type;
}
