import type { Meaning } from "../theme/tokens.ts";

/** What a point is besides its value: bits of `CurveSeries.flags`. */
export const POINT = {
  /** There was nothing to measure: the line has a gap here. */
  missing: 1,
  /** Measured on a part of the data only: drawn hollow, its line broken. */
  sampled: 2,
  /** A later attempt went over this step again: drawn grey, behind, and never read out. */
  rolled_back: 4,
} as const;

/** A colour by what it means; `series-0` to `series-9` tell runs apart. */
export type CurveColor = Meaning | "accent" | "ink-3" | `series-${number}`;

/** One line of a chart. All arrays have the same length and are never changed in place. */
export type CurveSeries = {
  /** Unique within the chart. */
  id: string;
  label: string;
  color: CurveColor;
  dash?: "solid" | "dashed" | "dotted";
  /** One of very many: drawn thin and behind, neither named nor read out. */
  is_quiet?: boolean;
  /** Of another run than the chart is about: named after its own, wherever it is drawn. */
  is_beside?: boolean;
  /** Place on the x axis. Rises within a segment; a fall begins a new segment. */
  x: Float64Array;
  /** NaN, Infinity and -Infinity are drawn as marks, not as points. */
  values: Float64Array;
  /** Lower and upper end of each value's interval; NaN where there is none. */
  low?: Float64Array;
  high?: Float64Array;
  /** On how many observations each value stands; NaN where not known. */
  n?: Float64Array;
  /** Bits of `POINT`. */
  flags?: Uint8Array;
  /**
   * What a moving average runs over where `values` are extremes of buckets: means in the order of x, and how many
   * values each stands for.
   */
  basis?: { x: Float64Array; values: Float64Array; counts: Float64Array };
};

/** A stretch of the x axis with one set of weights. `to` null: still going on. */
export type CurveBand = { id: string; label: string; from: number; to: number | null };

/** Something that happened at one place of the x axis. */
export type CurveMark = {
  id: string;
  x: number;
  kind: "checkpoint" | "restart" | "warning" | "error" | "evaluation" | "alert";
  label: string;
};

/** A closed stretch of the x axis. */
export type Extent = readonly [from: number, to: number];
