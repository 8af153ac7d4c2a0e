import { type ReactNode, useState } from "react";
import {
  Curve,
  type CurveProps,
  type CurveSeries,
  createCursor,
  type Extent,
  POINT,
} from "../src/curve/index.tsx";
import { makeClimb, makeSteps } from "./random.ts";

const STEPS = 190;
const steps = makeSteps(STEPS);
const bands = [
  { id: "0", label: "format", from: 1, to: 33 },
  { id: "1", label: "accuracy", from: 33, to: 65 },
  { id: "2", label: "consistency", from: 65, to: null },
];
const marks = [
  { id: "c1", x: 40, kind: "checkpoint" as const, label: "checkpoint-40" },
  { id: "c2", x: 80, kind: "checkpoint" as const, label: "checkpoint-80" },
  { id: "r", x: 96, kind: "restart" as const, label: "attempt 2, from step 80" },
  { id: "w", x: 130, kind: "warning" as const, label: "judge slow" },
  { id: "e", x: 150, kind: "error" as const, label: "judge down" },
  { id: "v", x: 120, kind: "evaluation" as const, label: "evaluation" },
];

const format = makeClimb(1, STEPS, 0.62, 0.99, 0.04);
const accuracy = makeClimb(2, STEPS, 0.4, 0.93);
const consistency = makeClimb(3, STEPS, 0.55, 0.86, 0.12);

/** Twenty missing values, a NaN, both infinities and a lone point. */
function makeHoled(): { values: Float64Array; flags: Uint8Array } {
  const values = makeClimb(5, STEPS, 0.9, 0.2);
  const flags = new Uint8Array(STEPS);
  for (let k = 60; k < 80; k += 1) flags[k] = POINT.missing;
  flags[70] = 0;
  values[100] = Number.NaN;
  values[120] = Number.POSITIVE_INFINITY;
  values[140] = Number.NEGATIVE_INFINITY;
  return { values, flags };
}

/** Steps 0–110, then 80–190 by a second attempt. */
function makeResumed(): CurveSeries {
  const first = makeClimb(7, 110, 0.3, 0.7);
  const second = makeClimb(8, 110, 0.62, 0.9);
  const x = Float64Array.from([...makeSteps(110), ...makeSteps(110, 81)]);
  const flags = new Uint8Array(220);
  for (let k = 80; k < 110; k += 1) flags[k] = POINT.rolled_back;
  return {
    id: "reward",
    label: "reward",
    color: "total",
    x,
    values: Float64Array.from([...first, ...second]),
    flags,
  };
}

function line(id: string, color: CurveSeries["color"], values: Float64Array): CurveSeries {
  return { id, label: id, color, x: steps, values };
}

const sampled: CurveSeries = {
  ...line("P(consistent | correct)", "consistency", consistency),
  low: consistency.map((value) => value - 0.12),
  high: consistency.map((value) => value + 0.09),
  n: Float64Array.from({ length: STEPS }, (_, k) => (k < 64 ? 8 : 52)),
  flags: Uint8Array.from({ length: STEPS }, (_, k) =>
    k < 64 ? (k % 4 === 0 ? POINT.sampled : POINT.missing) : 0,
  ),
};

const kl = makeClimb(9, STEPS, 0.0005, 0.4, 0).map((value, k) => value * (1 + 0.3 * Math.sin(k)));

const PICTURES: Record<string, Omit<CurveProps, "cursor">> = {
  parts: {
    title: "Reward parts",
    series: [
      { ...line("format", "format", format) },
      { ...line("accuracy", "accuracy", accuracy), dash: "dashed" },
      { ...line("consistency", "consistency", consistency), dash: "dotted" },
    ],
    y_at_least: [0, 1],
  },
  stacked: {
    title: "Weighted shares",
    kind: "stacked",
    series: [
      line(
        "format",
        "format",
        format.map((v, k) => v * (k < 32 ? 0.7 : k < 64 ? 0.3 : 0.1)),
      ),
      line(
        "accuracy",
        "accuracy",
        accuracy.map((v, k) => v * (k < 32 ? 0.3 : 0.7)),
      ),
      line(
        "consistency",
        "consistency",
        consistency.map((v, k) => (k < 64 ? 0 : v * 0.2)),
      ),
    ],
    y_at_least: [0, 1],
  },
  sampled: { title: "P(consistent | correct)", series: [sampled], y_at_least: [0, 1] },
  holes: {
    title: "Gaps and odd numbers",
    series: [{ ...line("kl", "accent", makeHoled().values), flags: makeHoled().flags }],
  },
  resumed: { title: "Resumed", series: [makeResumed()] },
  smoothed: { title: "Smoothed", series: [line("accuracy", "accuracy", accuracy)], smoothing: 0.9 },
  log: { title: "KL", series: [line("kl", "accent", kl)], can_log: true },
  single: {
    title: "One point",
    series: [
      { id: "a", label: "loss", color: "accent", x: Float64Array.of(1), values: Float64Array.of(0.3) },
    ],
  },
  empty: { title: "Nothing", series: [], empty: "No rewards yet: the first come with step 1." },
  ten: {
    title: "Ten runs",
    series: Array.from({ length: 10 }, (_, k) =>
      line(`run ${k}`, `series-${k}`, makeClimb(20 + k, STEPS, 0.2, 0.5 + k * 0.045)),
    ),
  },
  twenty: {
    title: "Twenty runs",
    series: Array.from({ length: 20 }, (_, k) =>
      line(`run ${k}`, `series-${k}`, makeClimb(20 + k, STEPS, 0.2, 0.5 + k * 0.025)),
    ),
  },
};

/** All chart pictures, or the one that is asked for; they share one cursor and one window. */
export function CurveGallery({ only }: { only: string | null }): ReactNode {
  const [cursor] = useState(createCursor);
  const [window, setWindow] = useState<Extent | null>(null);
  const [picked, setPicked] = useState<number | null>(null);
  const names = Object.keys(PICTURES).filter((name) => only === null || name === only);
  return (
    <main
      style={{
        display: "grid",
        gridTemplateColumns: only ? "440px" : "repeat(3, minmax(0, 1fr))",
        gap: 12,
        padding: 16,
      }}
    >
      {names.map(
        (name) =>
          PICTURES[name] && (
            <div key={name} data-picture={name}>
              <Curve
                bands={name === "empty" ? undefined : bands}
                marks={name === "empty" ? undefined : marks}
                {...(name === "empty" ? {} : { x_extent: [0, 200] as Extent })}
                window={window}
                selected={picked}
                onWindow={setWindow}
                onPick={setPicked}
                {...PICTURES[name]}
                cursor={cursor}
              />
            </div>
          ),
      )}
      <output data-picked>{picked ?? ""}</output>
      <output data-window>{window?.map((x) => x.toFixed(1)).join(",") ?? ""}</output>
    </main>
  );
}
