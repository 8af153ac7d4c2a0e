import {
  appendRows,
  bucketRows,
  emptySeries,
  type MetricWindow,
  type RunRow,
  type StepTally,
  seriesFromHistory,
  toColumns,
} from "@sightline/core/runs";
import { schedulePreset } from "@sightline/core/schedules";
import { getWilsonInterval } from "@sightline/core/stats";
import { asRows, metricsLine, stageLine, startLine } from "@sightline/core/testing";
import { type CurveSeries, POINT, readAt } from "@sightline/ui/curve";
import { describe, expect, it } from "vitest";
import { getOtherCharts, getSections } from "./charts.ts";
import {
  getBanded,
  getBandStages,
  getConsistency,
  getMarks,
  getMetric,
  getOwnParts,
  getPart,
  getShares,
  getSpreadOf,
  getTasks,
  getWeights,
} from "./curves.ts";
import { getCoarse, withWindows } from "./window.ts";

const fold = (rows: RunRow[], tallies: StepTally[] = []) => appendRows(emptySeries("run-a"), rows, tallies);
const look = { label: "a", color: "total" } as const;
const points = (line: CurveSeries | null | undefined) =>
  [...(line?.x ?? [])].map((x, k) => [x, line?.values[k], line?.flags?.[k] ?? 0]);
const stages = [
  stageLine({}, 0, 1, { format: 7, accuracy: 3, consistency: 0 }),
  stageLine({}, 1, 4, { format: 1, accuracy: 7, consistency: 2 }),
];
const tally = (step: number, correct: number, judged: number, agreed: number): StepTally => ({
  run_id: "run-a",
  attempt: 1,
  step,
  n: 8,
  correct,
  judged,
  agreed,
  groups: 1,
  tied_groups: 0,
  tied_right: 0,
  tied_wrong: 0,
  clipped: 0,
  tokens: 1,
  tasks: { heading: { n: 6, correct: 3 }, route: { n: 2, correct: 2 } },
  letters: {},
  golds: {},
  rules: {},
  judges: {},
});

describe("curves of a run", () => {
  it("B23: what was not measured is a gap where a part is scored, and a NaN loss is a mark", () => {
    const series = fold(
      asRows([
        ...stages,
        metricsLine({}, 4, { "rewards/consistency/mean": 0.4, loss: 1 }),
        metricsLine({}, 5, { "rewards/consistency/mean": "NaN", loss: "NaN" }),
        metricsLine({}, 6, { "rewards/consistency/mean": 0.6, loss: 3 }),
      ]),
    );
    expect(points(getPart(series, "consistency", look))).toEqual([
      [4, 0.4, 0],
      [5, Number.NaN, POINT.missing],
      [6, 0.6, 0],
    ]);
    expect(points(getMetric(series, "loss", { ...look, nan: "mark" }))[1]).toEqual([5, Number.NaN, 0]);
    expect(getMetric(series, "kl", look)).toBeNull();
  });

  it("leaves out steps that were not sampled while a part weighs nothing, and marks the others", () => {
    const series = fold(
      asRows([
        ...stages,
        metricsLine({}, 1, { "rewards/consistency/mean": null }),
        metricsLine({}, 2, { "rewards/consistency/mean": 0.5 }),
        metricsLine({}, 4, { "rewards/consistency/mean": 0.7 }),
      ]),
      [tally(1, 4, 0, 0), tally(2, 4, 2, 1), tally(4, 4, 4, 3), tally(5, 4, 0, 0)],
    );
    expect(points(getPart(series, "consistency", look))).toEqual([
      [2, 0.5, POINT.sampled],
      [4, 0.7, 0],
    ]);
    const rate = getConsistency(series);
    expect(points(rate)).toEqual([
      [2, 0.5, POINT.sampled],
      [4, 0.75, 0],
      [5, Number.NaN, POINT.missing],
    ]);
    expect([...(rate.n ?? [])]).toEqual([2, 4, 0]);
    expect(readAt(rate, 4, 0)).toMatchObject({
      n: 4,
      low: expect.closeTo(0.301, 3),
      high: expect.closeTo(0.954, 3),
    });
  });

  it("B24: the stack is of our weighted shares, the logged reward stands beside it, a mismatch is counted", () => {
    const series = fold(
      asRows([
        stageLine({}, 0, 1, { format: 0.1, accuracy: 0.9, consistency: 0 }),
        metricsLine({}, 1, { "rewards/format/mean": 1, "rewards/accuracy/mean": 0.2, reward: 1.2 }),
      ]),
    );
    const shares = getShares(series);
    expect(shares?.mismatches).toBe(1);
    expect(points(shares?.logged)).toEqual([[1, 1.2, 0]]);
    const sum = shares?.parts.reduce((total, part) => total + (part.values[0] ?? 0), 0);
    expect(sum).toBeCloseTo(0.28, 12);
  });

  it("a person's own rewards have lines of their own, raw and as shares, in colours without a meaning", () => {
    const weights = { format: 1, accuracy: 2, consistency: 0, brevity: 1 };
    const means = { "rewards/format/mean": 1, "rewards/accuracy/mean": 0.5 };
    const own = { "rewards/brevity/mean": 0.8, "rewards/unpaid/mean": 0.3, "rewards/brevity/std": 0.1 };
    const series = fold(
      asRows([stageLine({}, 0, 1, weights), metricsLine({}, 1, { ...means, ...own, reward: 0.7 })]),
    );
    const raw = getOwnParts(series);
    expect(raw.map(({ id, label, values }) => [id.split("/")[1], label, [...values]])).toEqual([
      ["brevity", "brevity", [0.8]],
      ["unpaid", "unpaid", [0.3]],
    ]);
    expect(raw.map(({ color, dash }) => `${color} ${dash}`)).toEqual(["series-9 solid", "series-4 dashed"]);
    const shares = getShares(series);
    expect(shares?.parts.map(({ id, values }) => [id, values[0]])).toEqual([
      ["format", 0.25],
      ["accuracy", 0.25],
      ["consistency", 0],
      ["brevity", expect.closeTo(0.2, 12)],
    ]);
    expect(shares?.mismatches).toBe(0);
    expect(getWeights(series).map(({ id, values }) => [id, values[0]])).toEqual([
      ["format", 0.25],
      ["accuracy", 0.5],
      ["consistency", 0],
      ["brevity", 0.25],
      ["unpaid", 0],
    ]);
    const names = [...series.metrics.keys()];
    expect(getSections(names)[0]?.charts[0]?.names).toContain("rewards/brevity/mean");
    expect(getOtherCharts(names).map(({ id }) => id)).toEqual(["other-rewards/brevity/std"]);
  });

  it("B31: what a later attempt went over again is drawn as rolled back, in the order in which it was written", () => {
    const series = fold(
      asRows([
        startLine({ attempt: 1 }),
        ...[1, 2, 3, 4].map((step) => metricsLine({ attempt: 1 }, step, { loss: step })),
        startLine({ attempt: 2 }, { step: 2, path: "checkpoints/checkpoint-2" }),
        ...[3, 4, 5].map((step) => metricsLine({ attempt: 2 }, step, { loss: 10 * step })),
      ]),
    );
    expect(points(getMetric(series, "loss", look)).map(([x, , flag]) => [x, flag])).toEqual([
      [1, 0],
      [2, 0],
      [3, POINT.rolled_back],
      [4, POINT.rolled_back],
      [3, 0],
      [4, 0],
      [5, 0],
    ]);
    expect(getMarks(series).filter((mark) => mark.kind === "restart")).toMatchObject([
      { x: 2, label: "attempt 2, from step 2" },
    ]);
  });

  it("puts a band between two metrics, and a spread around one", () => {
    const series = fold(
      asRows([
        metricsLine({}, 1, { mean: 5, min: 2, max: 9, sd: 1 }),
        metricsLine({}, 2, { mean: 6, sd: 2 }),
      ]),
    );
    const banded = getBanded(series, { value: "mean", low: "min", high: "max" }, look);
    expect([...(banded?.low ?? [])]).toEqual([2, Number.NaN]);
    const spread = getSpreadOf(series, "mean", "sd", look);
    expect([...(spread?.low ?? [])]).toEqual([4, 4]);
    expect([...(spread?.high ?? [])]).toEqual([6, 8]);
  });

  it("shows the accuracy of each task, the most asked first", () => {
    const lines = getTasks(fold([], [tally(1, 0, 0, 0)]));
    expect(lines.map((line) => [line.id, line.values[0], line.n?.[0]])).toEqual([
      ["heading", 0.5, 6],
      ["route", 1, 2],
    ]);
  });

  it("goes on from the stages that were reached to those that are planned", () => {
    const spec = {
      run_id: "run-a",
      name: "a",
      engine: "simulator" as const,
      preset: "p",
      seed: 1,
      stages: schedulePreset("paper") ?? [],
      settings: {},
    };
    const series = fold(
      asRows([
        stageLine({}, 0, 1, { format: 7, accuracy: 3, consistency: 0 }),
        metricsLine({}, 50, { loss: 1 }),
      ]),
    );
    const bands = getBandStages({ ...series, max_steps: 1200, step: 50, epoch: 0.5 }, spec);
    expect(bands.map(({ from, to }) => [from, to])).toEqual([
      [1, 201],
      [201, 401],
      [401, null],
    ]);
    expect(getBandStages(series, null)).toHaveLength(1);
  });
});

describe("a long past", () => {
  const steps = Array.from({ length: 4096 }, (_, k) => k + 1);
  const value = (step: number) => (step === 777 ? 9 : step % 2);
  const whole = seriesFromHistory({
    run_id: "run-a",
    upto_id: 5000,
    max_steps: 5000,
    series: [
      {
        attempt: 1,
        segment: 0,
        name: "loss",
        buckets: toColumns(bucketRows(steps, steps.map(value), 64), 64),
      },
    ],
    rows: [],
    tallies: [],
  });
  const series = appendRows(whole, [{ id: 5001, line: metricsLine({}, 4097, { loss: 1 }) }]);
  const exact = (from: number, to: number): MetricWindow => {
    const inside = steps.filter((step) => step >= from && step <= to);
    return {
      run_id: "run-a",
      name: "loss",
      series: [
        {
          attempt: 1,
          segment: 0,
          name: "loss",
          buckets: toColumns(bucketRows(inside, inside.map(value), 1), 1),
          rolled_back: false,
        },
      ],
    };
  };

  it("is averaged over the means of its buckets, not over their extremes", () => {
    const line = getMetric(series, "loss", look);
    expect(line?.basis?.values[0]).toBeCloseTo(0.5, 1);
    expect(line && readAt(line, 4000, 0.99)?.smoothed).toBeCloseTo(0.5, 1);
  });

  it("is as fine as the server has it within a window, and its average stays what it was", () => {
    expect(getCoarse(series, ["loss", "kl"], [700, 800])).toEqual(["loss"]);
    expect(getCoarse(series, ["loss"], [4097, 5000])).toEqual([]);
    const before = getMetric(series, "loss", look);
    const line = getMetric(withWindows(series, [exact(700, 800)], "whole"), "loss", look);
    const inside = [...(line?.x ?? [])].filter((x) => x <= 800);
    expect(inside).toEqual(Array.from({ length: 101 }, (_, k) => 700 + k));
    expect(line?.x.at(-1)).toBe(4097);
    expect(line?.basis).toEqual(before?.basis);
    const only = withWindows(series, [exact(700, 800)], "window");
    expect(only.metrics.get("loss")?.[0]?.past).toBeNull();
  });
});

it("Wilson's interval is that of the book", () => {
  const [low, high] = getWilsonInterval(9, 10) ?? [0, 0];
  expect(low).toBeCloseTo(0.5958, 4);
  expect(high).toBeCloseTo(0.9821, 4);
  expect(getWilsonInterval(0, 10)?.[0]).toBe(0);
  expect(getWilsonInterval(0, 0)).toBeNull();
});
