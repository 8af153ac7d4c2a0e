import { readNumber, type UnknownLine, type WireLine } from "../wire/index.ts";

/**
 * What a line adds to the curves. Steps of one clock only rise within an attempt; when they go back a new segment
 * begins for all metrics of that clock.
 */
export type MetricEntries = {
  clock: "train" | "eval" | "generation";
  step: number;
  /** NaN for null and for NaN. */
  entries: [name: string, value: number][];
};

/** The curve points of a line; null when it has none. */
export function metricEntries(line: WireLine | UnknownLine): MetricEntries | null {
  if (line.type === "metrics" && isKnown(line, "metrics")) {
    const entries: [string, number][] = [];
    for (const name in line.values) {
      const shown = line.split === "eval" && !name.startsWith("eval_") ? `eval_${name}` : name;
      entries.push([shown, readNumber(line.values[name]) ?? Number.NaN]);
    }
    return { clock: line.split, step: line.step, entries };
  }
  if (line.type === "generation" && isKnown(line, "generation")) {
    return {
      clock: "generation",
      step: line.step,
      entries: [
        ["generation/generate_secs", line.generate_secs],
        ["generation/score_secs", line.score_secs],
        ["generation/tokens", line.tokens],
        ["judge/calls", line.judge.calls],
        ["judge/cached", line.judge.cached],
        ["judge/failed", line.judge.failed],
        ["judge/secs", line.judge.secs],
      ],
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
