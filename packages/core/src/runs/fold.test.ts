import { describe, expect, it } from "vitest";
import { asRows, completionLine, endLine, metricsLine, stageLine, startLine } from "../testing/index.ts";
import {
  appendBatch,
  appendRows,
  bucketRows,
  consistencyRate,
  countShares,
  deadJudge,
  emptySeries,
  judgeFailures,
  metricPaths,
  type RunRow,
  type RunSeries,
  type StepTally,
  seriesFromHistory,
  stageBands,
  taskAccuracy,
  tiedGroups,
  toColumns,
  weightedShares,
  weightsInForce,
} from "./index.ts";

const fold = (rows: RunRow[]) => appendRows(emptySeries("run-a"), rows);
const paths = (series: RunSeries, name: string) =>
  metricPaths(series, name).map(({ attempt, rolled_back, steps, values }) => ({
    attempt,
    rolled_back,
    steps: [...steps],
    values: [...values],
  }));

/** The newest finite value of a metric that counts, with its step; null when there is none. */
const latestValue = (series: RunSeries, name: string) =>
  metricPaths(series, name)
    .filter(({ rolled_back }) => !rolled_back)
    .flatMap(({ steps, values }) => [...steps].map((step, i) => ({ step, value: values[i] ?? Number.NaN })))
    .findLast(({ value }) => Number.isFinite(value)) ?? null;

const tally = (step: number, change: Partial<StepTally> = {}): StepTally => ({
  run_id: "run-a",
  attempt: 1,
  step,
  n: 8,
  correct: 4,
  judged: 4,
  agreed: 3,
  groups: 2,
  tied_groups: 1,
  tied_right: 1,
  tied_wrong: 0,
  clipped: 0,
  tokens: 80,
  tasks: { heading: { n: 8, correct: 4 } },
  letters: { A: 4, B: 4 },
  golds: { B: 8 },
  rules: { answer_tag: 8 },
  judges: { ok: 4 },
  ...change,
});

describe("appendRows", () => {
  it("gives the same picture for any cut of the same rows, and leaves older versions as they were", () => {
    const rows = asRows([
      startLine({}),
      stageLine({}, 0, 1, { format: 7, accuracy: 3, consistency: 0 }),
      ...Array.from({ length: 300 }, (_, i) =>
        metricsLine({}, i + 1, { loss: Math.sin(i), reward: i / 300 }),
      ),
      endLine({}, 300),
    ]);
    const whole = fold(rows);
    let piecewise = emptySeries("run-a");
    const versions: RunSeries[] = [];
    for (let at = 0; at < rows.length; at += 7) {
      piecewise = appendRows(piecewise, rows.slice(at, at + 7));
      versions.push(piecewise);
    }
    expect(paths(piecewise, "loss")).toEqual(paths(whole, "loss"));
    expect(piecewise.marks).toEqual(whole.marks);
    versions.forEach((version, i) => {
      const upto = Math.min(rows.length, (i + 1) * 7);
      expect(paths(version, "loss")).toEqual(paths(fold(rows.slice(0, upto)), "loss"));
    });
  });

  it("keeps two continuations of one version apart", () => {
    const base = fold(asRows([metricsLine({}, 1, { loss: 1 })]));
    const left = appendRows(base, [{ id: 2, line: metricsLine({}, 2, { loss: 2 }) }]);
    const right = appendRows(base, [{ id: 2, line: metricsLine({}, 2, { loss: 9 }) }]);
    expect(paths(left, "loss")[0]?.values).toEqual([1, 2]);
    expect(paths(right, "loss")[0]?.values).toEqual([1, 9]);
    expect(paths(base, "loss")[0]?.values).toEqual([1]);
  });

  it("folds a row once however often it is sent", () => {
    const rows = asRows([metricsLine({}, 1, { loss: 1 }), metricsLine({}, 2, { loss: 2 })]);
    const once = fold(rows);
    expect(appendRows(once, rows)).toBe(once);
    expect(paths(appendRows(fold(rows.slice(0, 1)), rows), "loss")).toEqual(paths(once, "loss"));
  });

  it("B23: a gap at one step leaves the other curves whole", () => {
    const series = fold(
      asRows([
        metricsLine({}, 1, { "rewards/consistency/mean": 0.4, loss: 1 }),
        metricsLine({}, 2, { "rewards/consistency/mean": "NaN", loss: 2 }),
        metricsLine({}, 3, { "rewards/consistency/mean": 0.6, loss: 3 }),
      ]),
    );
    expect(paths(series, "rewards/consistency/mean")[0]?.values).toEqual([0.4, Number.NaN, 0.6]);
    expect(paths(series, "loss")[0]?.values).toEqual([1, 2, 3]);
  });

  it("B24: the reward as logged stands beside the weighted one, and a mismatch is flagged", () => {
    const series = fold(
      asRows([
        stageLine({}, 0, 1, { format: 0.1, accuracy: 0.9, consistency: 0 }),
        metricsLine({}, 1, { "rewards/format/mean": 1, "rewards/accuracy/mean": 0.2, reward: 1.2 }),
        metricsLine({}, 2, { "rewards/format/mean": 1, "rewards/accuracy/mean": 0.2, reward: 0.28 }),
      ]),
    );
    const [path] = weightedShares(series);
    expect(path?.logged[0]).toBe(1.2);
    expect(path?.total[0]).toBeCloseTo(0.28, 12);
    expect(path?.mismatches).toEqual([1]);
  });

  it("B25: a spread within groups of nothing is no mismatch, and the tied groups show", () => {
    const series = fold(
      asRows([
        stageLine({}, 0, 1, { format: 1, accuracy: 1, consistency: 0 }),
        metricsLine({}, 1, {
          "rewards/format/mean": 1,
          "rewards/accuracy/mean": 0,
          "rewards/accuracy/std": 5,
          reward: 0.5,
          reward_std: 0,
          frac_reward_zero_std: 1,
          loss: 0,
        }),
      ]),
    );
    expect(weightedShares(series)[0]?.mismatches).toEqual([]);
    expect(latestValue(series, "frac_reward_zero_std")).toEqual({ step: 1, value: 1 });
  });

  it("B28: a log without rewards has no reward curve, not one at zero", () => {
    const series = fold(asRows([metricsLine({}, 1, { loss: 1 }), metricsLine({}, 2, { loss: 2 })]));
    expect(metricPaths(series, "reward")).toEqual([]);
    expect(weightedShares(series)).toEqual([]);
    expect(latestValue(series, "reward")).toBeNull();
  });

  it("B29: steps that go back begin a new segment and drop nothing", () => {
    const series = fold(
      asRows([247, 248, 249, 203, 204].map((step) => metricsLine({}, step, { loss: step }))),
    );
    expect(paths(series, "loss").map((path) => path.steps)).toEqual([
      [247, 248, 249],
      [203, 204],
    ]);
    expect(paths(series, "loss").every((path) => !path.rolled_back)).toBe(true);
    expect(series.marks).toMatchObject([{ kind: "went_back", from_step: 249, step: 203 }]);
  });

  it("B30: a step logged twice gives one point and is counted", () => {
    const series = fold(
      asRows([
        metricsLine({}, 8, { loss: 1 }),
        metricsLine({}, 8, { loss: 1 }),
        metricsLine({}, 9, { loss: 2, elapsed: 4 }),
        metricsLine({}, 9, { loss: 2, elapsed: 5 }),
        metricsLine({}, 9, { train_runtime: 12 }),
      ]),
    );
    expect(paths(series, "loss")).toEqual([
      { attempt: 1, rolled_back: false, steps: [8, 9], values: [1, 2] },
    ]);
    expect(paths(series, "train_runtime")[0]?.values).toEqual([12]);
    expect(series.duplicate_rows).toBe(2);
  });

  it("B31: from where a newer attempt resumed its rows count, for every metric, and x never runs backwards", () => {
    const rows = asRows([
      startLine({ attempt: 1 }),
      ...Array.from({ length: 16 }, (_, step) => metricsLine({ attempt: 1 }, step, { loss: step, kl: step })),
      startLine({ attempt: 2 }, { step: 9, path: "checkpoints/checkpoint-9" }),
      ...Array.from({ length: 11 }, (_, i) =>
        metricsLine({ attempt: 2 }, i + 10, { loss: 100 + i, kl: 200 + i }),
      ),
    ]);
    const series = fold(rows);
    for (const name of ["loss", "kl"]) {
      const [old, next, replaced] = paths(series, name);
      expect(old?.steps).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(next?.steps).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
      expect(replaced).toMatchObject({ attempt: 1, rolled_back: true, steps: [10, 11, 12, 13, 14, 15] });
    }
    expect(latestValue(series, "loss")).toEqual({ step: 20, value: 110 });
    expect(series.step).toBe(20);
  });

  it("B31: an attempt whose start was lost rolls back from its first step", () => {
    const series = fold(
      asRows([
        metricsLine({ attempt: 1 }, 14, { loss: 1 }),
        metricsLine({ attempt: 1 }, 15, { loss: 2 }),
        metricsLine({ attempt: 2 }, 15, { loss: 3 }),
      ]),
    );
    expect(paths(series, "loss").map(({ rolled_back, steps }) => [rolled_back, steps])).toEqual([
      [false, [14]],
      [false, [15]],
      [true, [15]],
    ]);
  });

  it("B34: an infinity is a point to be marked", () => {
    const series = fold(
      asRows([metricsLine({}, 2, { kl: "Infinity", grad_norm: "-Infinity", reward: 0.3 })]),
    );
    expect(paths(series, "kl")[0]?.values).toEqual([Number.POSITIVE_INFINITY]);
    expect(paths(series, "grad_norm")[0]?.values).toEqual([Number.NEGATIVE_INFINITY]);
    expect(latestValue(series, "kl")).toBeNull();
  });

  it("keeps eval apart from train and marks a type that it does not know", () => {
    const series = fold(
      asRows([
        metricsLine({}, 10, { reward: 1 }),
        metricsLine({}, 10, { reward: 0.5, eval_loss: 2 }, "eval"),
        { ...metricsLine({}, 0, {}), type: "novelty" },
      ]),
    );
    expect(paths(series, "reward")[0]?.values).toEqual([1]);
    expect(paths(series, "eval_reward")[0]?.values).toEqual([0.5]);
    expect(paths(series, "eval_loss")[0]?.values).toEqual([2]);
    expect(series.marks).toMatchObject([{ kind: "unknown", type: "novelty" }]);
    expect(series.step).toBe(10);
  });
});

describe("views", () => {
  const three = asRows([
    startLine({ attempt: 1 }),
    stageLine({ attempt: 1 }, 0, 1, { format: 7, accuracy: 3, consistency: 0 }),
    stageLine({ attempt: 1 }, 1, 11, { format: 3, accuracy: 7, consistency: 0 }),
    stageLine({ attempt: 1 }, 2, 21, { format: 1, accuracy: 7, consistency: 2 }),
  ]);

  it("gives each stage the steps that it rules", () => {
    const bands = stageBands(fold(three));
    expect(bands.map(({ from_step, to_step }) => [from_step, to_step])).toEqual([
      [1, 11],
      [11, 21],
      [21, null],
    ]);
    expect(weightsInForce(bands, 10)?.format).toBeCloseTo(0.7, 12);
    expect(weightsInForce(bands, 11)?.format).toBeCloseTo(0.3, 12);
    expect(weightsInForce(bands, 0)).toBeNull();
  });

  it("drops the stages that an attempt reached behind the step from which the next one resumed", () => {
    const resumed = appendRows(
      fold(three),
      asRows(
        [
          startLine({ attempt: 2 }, { step: 15, path: "checkpoints/checkpoint-15" }),
          stageLine({ attempt: 2 }, 1, 16, { format: 3, accuracy: 7, consistency: 0 }),
          stageLine({ attempt: 2 }, 2, 21, { format: 1, accuracy: 7, consistency: 2 }),
        ],
        10,
      ),
    );
    expect(stageBands(resumed).map(({ index, from_step, to_step }) => [index, from_step, to_step])).toEqual([
      [0, 1, 11],
      [1, 11, 21],
      [2, 21, null],
    ]);
  });

  it("states the consistency rate with its N and whether it was sampled", () => {
    const series = appendRows(
      emptySeries("run-a"),
      [],
      [
        tally(2, { correct: 6, judged: 2, agreed: 1 }),
        tally(1),
        tally(3, { judged: 0, agreed: 0, correct: 0 }),
      ],
    );
    expect(consistencyRate(series)).toEqual([
      { step: 1, rate: 0.75, n: 4, correct: 4, sampled: false },
      { step: 2, rate: 0.5, n: 2, correct: 6, sampled: true },
      { step: 3, rate: Number.NaN, n: 0, correct: 0, sampled: false },
    ]);
    expect(tiedGroups(series)[0]).toEqual({ step: 1, right: 0.5, wrong: 0, error: 0, n: 2 });
    expect(countShares(series, "letters").shares.get("A")?.[0]).toBe(0.5);
    expect(judgeFailures(series)[0]).toEqual({ step: 1, asked: 4, failed: 0 });
    expect(deadJudge(series)).toBeNull();
    const dead = appendRows(series, [], [tally(9, { judges: { timeout: 3, skipped_wrong_answer: 5 } })]);
    expect(deadJudge(dead)).toEqual({ since_step: 9, asked: 3 });
    expect(taskAccuracy(series).get("heading")?.length).toBe(3);
    const later = appendRows(series, [], [tally(2, { correct: 8, judged: 8, agreed: 8 })]);
    expect(consistencyRate(later)[1]).toMatchObject({ rate: 1, n: 8 });
  });

  it("opens a long past by its buckets, keeps every extremum and goes on with rows", () => {
    const steps = Array.from({ length: 5000 }, (_, i) => i + 1);
    const loss = steps.map((step) => (step === 3210 ? 99 : Math.sin(step)));
    const history = (name: string, values: number[]) => ({
      attempt: 1,
      segment: 0,
      name,
      buckets: toColumns(bucketRows(steps, values, 64), 64),
    });
    let series = seriesFromHistory({
      run_id: "run-a",
      upto_id: 6000,
      max_steps: 6000,
      series: [
        history("loss", loss),
        history(
          "rewards/format/mean",
          steps.map(() => 1),
        ),
        history(
          "rewards/accuracy/mean",
          steps.map((step) => step % 2),
        ),
      ],
      rows: asRows([startLine({}), stageLine({}, 0, 0, { format: 5, accuracy: 5, consistency: 0 })]),
      tallies: [],
    });
    expect(series.last_id).toBe(6000);
    expect(series.attempts).toMatchObject([{ attempt: 1, first_step: 1 }]);
    series = appendRows(series, [{ id: 6001, line: metricsLine({}, 5001, { loss: -7 }) }]);
    const [path] = paths(series, "loss");
    expect(Math.max(...(path?.values ?? []))).toBe(99);
    expect(path?.values.at(-1)).toBe(-7);
    expect(path?.steps).toEqual([...(path?.steps ?? [])].sort((a, b) => a - b));
    expect(path?.steps.length).toBeLessThan(400);
    const [weighted] = weightedShares(series);
    expect(weighted?.total[10]).toBeCloseTo(0.75, 2);
  });

  it("B24: in buckets no mismatch is made up where the weights change or a part was not measured, and one is found", () => {
    const steps = Array.from({ length: 960 }, (_, i) => i + 1);
    const weigh = (step: number) => (step < 320 ? { format: 7, accuracy: 3 } : { format: 3, accuracy: 7 });
    const hasAccuracy = (step: number) => step !== 500;
    const open = (logged: (step: number) => number) => {
      const history = (name: string, values: number[]) => ({
        attempt: 1,
        segment: 0,
        name,
        buckets: toColumns(bucketRows(steps, values, 16), 16),
      });
      const stage = (index: number, from: number) =>
        stageLine({}, index, from, { ...weigh(from), consistency: 0 });
      return seriesFromHistory({
        run_id: "run-a",
        upto_id: 6000,
        max_steps: 960,
        series: [
          history(
            "rewards/format/mean",
            steps.map((step) => step / 960),
          ),
          history(
            "rewards/accuracy/mean",
            steps.map((step) => (hasAccuracy(step) ? 0.5 : Number.NaN)),
          ),
          history("reward", steps.map(logged)),
        ],
        rows: asRows([startLine({}), stage(0, 0), stage(1, 329)]),
        tallies: [],
      });
    };
    const reward = (step: number) => {
      const { format, accuracy } = weigh(step < 329 ? 1 : 329);
      return (format * (step / 960) + (hasAccuracy(step) ? accuracy * 0.5 : 0)) / 10;
    };
    expect(weightedShares(open(reward))[0]?.mismatches).toEqual([]);
    expect(weightedShares(open((step) => reward(step) + (step === 700 ? 0.5 : 0)))[0]?.mismatches).toEqual([
      688,
    ]);
  });

  it("knows where a long run stands and where its marks lie, also after a resume", () => {
    const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const stretch = (attempt: number, steps: number[]) => ({
      attempt,
      segment: 0,
      name: "loss",
      buckets: toColumns(bucketRows(steps, steps, 64), 64),
    });
    const warn = { code: "slow", message: "Slow.", detail: "", retryable: false, hint: "" };
    const [start, warned, again] = asRows([
      startLine({ attempt: 1 }),
      { ...metricsLine({ attempt: 1 }, 0, {}), type: "warn", ...warn } as never,
      startLine({ attempt: 2 }, { step: 2000, path: "checkpoints/checkpoint-2000" }),
    ]);
    if (!start || !warned || !again) throw new Error("no rows");
    const series = seriesFromHistory({
      run_id: "run-a",
      upto_id: 9000,
      max_steps: 6000,
      series: [stretch(1, range(1, 2500)), stretch(2, range(2001, 4000))],
      rows: [start, { ...warned, at_step: 700 }, { ...again, at_step: 2500 }],
      tallies: [],
    });
    expect(series.step).toBe(4000);
    expect(series.marks.map(({ kind, step }) => [kind, step])).toEqual([
      ["start", 0],
      ["warn", 700],
      ["start", 2000],
    ]);
    expect(
      paths(series, "loss").map(({ attempt, rolled_back, steps }) => [attempt, rolled_back, steps.at(-1)]),
    ).toEqual([
      [1, false, 1984],
      [2, false, 4000],
      [1, true, 2500],
    ]);
  });

  it("folds a batch of many runs", () => {
    const line = metricsLine({ run_id: "run-b" }, 1, { loss: 1 });
    const runs = appendBatch(new Map(), {
      kind: "rows",
      rows: [
        { id: 1, line: metricsLine({}, 1, { loss: 3 }) },
        { id: 2, line },
      ],
      tallies: [tally(1)],
    });
    expect([...runs.keys()]).toEqual(["run-a", "run-b"]);
    expect(runs.get("run-a")?.tallies.length).toBe(1);
    expect(completionLine({}).stream).toBe("completions");
  });
});
