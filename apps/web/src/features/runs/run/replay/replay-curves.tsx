import type { Pair, ReplayStep, ReplaySummary } from "@sightline/core/replay";
import {
  Curve,
  type CurveColor,
  type CurveSeries,
  createCursor,
  type Extent,
  POINT,
} from "@sightline/ui/curve";
import { useMemo, useState } from "react";
import classes from "./replay.module.css";

type Drawn = {
  title: string;
  color: CurveColor;
  read: (step: ReplayStep) => Pair;
  y_at_least?: Extent;
  empty?: string;
};

const RATE = [0, 1] as const;

const CURVES: readonly Drawn[] = [
  { title: "Reward, mean", color: "total", read: (step) => step.reward, y_at_least: RATE },
  { title: "Accuracy", color: "accuracy", read: (step) => step.accuracy, y_at_least: RATE },
  { title: "Format", color: "format", read: (step) => step.format, y_at_least: RATE },
  {
    title: "Consistency, where it is known",
    color: "consistency",
    read: (step) => step.consistency,
    y_at_least: RATE,
    empty: "The judge was never asked.",
  },
  {
    title: "Advantage, mean size",
    color: "accent",
    read: (step) => step.advantage,
    y_at_least: RATE,
  },
  {
    title: "Groups without a signal",
    color: "wrong",
    read: ({ tied, groups, unknown }) => ({
      before: tied.before / (groups - unknown),
      after: tied.after / (groups - unknown),
    }),
    y_at_least: RATE,
  },
];

function toSeries(
  steps: readonly ReplayStep[],
  { title, color, read }: Drawn,
  side: keyof Pair,
): CurveSeries {
  const values = Float64Array.from(steps, (step) => read(step)[side] ?? Number.NaN);
  return {
    id: `${title} ${side}`,
    label: side,
    color: side === "before" ? "unknown" : color,
    dash: side === "before" ? "dashed" : "solid",
    x: Float64Array.from(steps, ({ step }) => step),
    values,
    flags: Uint8Array.from(values, (value) => (Number.isNaN(value) ? POINT.missing : 0)),
  };
}

/** Means over the steps, before and after, on one x axis. */
export function ReplayCurves({
  summary,
  onPick,
}: {
  summary: ReplaySummary;
  onPick: (step: number) => void;
}) {
  const [cursor] = useState(createCursor);
  const drawn = useMemo(
    () =>
      CURVES.map((one) => ({
        ...one,
        series: (["before", "after"] as const).map((side) => toSeries(summary.steps, one, side)),
      })),
    [summary],
  );
  return (
    <div className={classes.curves}>
      {drawn.map(({ title, series, y_at_least, empty }) => (
        <Curve
          key={title}
          title={title}
          series={series}
          cursor={cursor}
          height={132}
          smoothing={0.8}
          {...(y_at_least ? { y_at_least } : {})}
          empty={empty ?? "Not known at any step."}
          onPick={onPick}
        />
      ))}
    </div>
  );
}
