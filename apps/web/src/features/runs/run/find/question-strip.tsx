import type { QuestionPoint } from "@sightline/core/find";
import { lastStepInForce, type RunSeries, type RunSummary } from "@sightline/core/runs";
import { Curve, type CurveSeries, createCursor, POINT } from "@sightline/ui/curve";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { trpc } from "../../../../app/clients.ts";
import classes from "./find.module.css";

type Props = {
  series: RunSeries;
  question_id: string;
  beside: readonly RunSummary[];
  onPick: (step: number) => void;
};

/** One question over time: how often it was answered right and what was answered, here and in the runs beside. */
export function QuestionStrip({ series, question_id, beside, onPick }: Props) {
  const [cursor] = useState(createCursor);
  const asked = useQuery(
    trpc.find.question.queryOptions({
      run_ids: [series.run_id, ...beside.map(({ run_id }) => run_id)],
      question_id,
    }),
  );
  const points = asked.data;
  const drawn = useMemo(() => {
    if (!points) return null;
    const own = points.filter(({ run_id }) => run_id === series.run_id);
    const isBack = ({ attempt, step }: QuestionPoint) => step > lastStepInForce(series, attempt);
    const others = beside.map(({ run_id, name }, k) =>
      toLine(
        run_id,
        name,
        `series-${k}`,
        points.filter((point) => point.run_id === run_id),
        ({ accuracy }) => accuracy,
      ),
    );
    const letters = [...new Set(own.flatMap((point) => Object.keys(point.letters)))].sort();
    return {
      right: [
        ...others,
        toLine("accuracy", "right", "accuracy", own, ({ accuracy }) => accuracy, isBack),
        toLine("format", "format", "format", own, ({ format }) => format, isBack),
        toLine("consistency", "consistency", "consistency", own, ({ consistency }) => consistency, isBack),
      ],
      letters: letters.map((letter, k) =>
        toLine(
          letter,
          letter === "" ? "none" : letter,
          letter === "" ? "unknown" : `series-${k}`,
          own,
          (point) => (point.letters[letter] ?? 0) / point.n,
          isBack,
        ),
      ),
    };
  }, [points, series, beside]);
  if (asked.isError) return <p className={classes.hint}>{asked.error.message}</p>;
  if (drawn === null) return <p className={classes.hint}>Reading the question …</p>;
  return (
    <div className={classes.question}>
      <Curve
        title={`${question_id} over time`}
        series={drawn.right}
        cursor={cursor}
        y_at_least={[0, 1]}
        height={104}
        onPick={onPick}
      />
      <Curve
        title="What was answered"
        series={drawn.letters}
        cursor={cursor}
        y_at_least={[0, 1]}
        height={104}
        onPick={onPick}
      />
    </div>
  );
}

/** Points of one question as a line; steps at which nothing could be scored are gaps. */
function toLine(
  id: string,
  label: string,
  color: CurveSeries["color"],
  points: readonly QuestionPoint[],
  read: (point: QuestionPoint) => number | null,
  isBack: (point: QuestionPoint) => boolean = () => false,
): CurveSeries {
  return {
    id,
    label,
    color,
    x: Float64Array.from(points, ({ step }) => step),
    values: Float64Array.from(points, (point) => read(point) ?? Number.NaN),
    n: Float64Array.from(points, ({ n }) => n),
    flags: Uint8Array.from(
      points,
      (point) => (read(point) === null ? POINT.missing : 0) | (isBack(point) ? POINT.rolled_back : 0),
    ),
  };
}
