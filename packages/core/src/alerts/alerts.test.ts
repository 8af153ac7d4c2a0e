import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { isKnown, type RunRow, type StepTally } from "../runs/index.ts";
import { asRows, endLine, makeRandom, metricsLine, startLine } from "../testing/index.ts";
import { type LineOf, parseLine, readAcceptedLine } from "../wire/index.ts";
import {
  ALERT_KIND_NAMES,
  type AlertCause,
  type AlertEpisode,
  AlertRule,
  alertCurve,
  backTest,
  foldAlert,
  foldSilence,
  type RowPoint,
  readRowPoint,
  readStepTimes,
  readTallyPoints,
  selectPoints,
  startAlert,
  type TallyPoint,
} from "./index.ts";

const FIXTURES = join(import.meta.dirname, "../../../../fixtures");

/** Rows and tallies of a run's lines as they would be stored. */
function readRun(text: string): { rows: RowPoint[]; tallies: TallyPoint[] } {
  const lines = text
    .trim()
    .split("\n")
    .filter((line) => parseLine(line).kind === "known")
    .map(readAcceptedLine);
  const rows = asRows(lines.filter(({ stream }) => stream === "events")).flatMap(
    (row) => readRowPoint(row) ?? [],
  );
  const completions = lines.flatMap((line) =>
    isKnown(line, "completion") && line.split !== "eval" ? line : [],
  );
  const tallies = [...groupBy(completions, ({ step }) => step)]
    .sort(([a], [b]) => a - b)
    .map(([step, of]) => toTally(step, of));
  return { rows, tallies: readTallyPoints(tallies, readStepTimes(rows)) };
}

function groupBy<T, K>(all: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

/** What ingest counts of the completions of a step, as far as rules look at it. */
function toTally(step: number, of: readonly LineOf<"completion">[]): StepTally {
  const groups = [...groupBy(of, ({ gen, group_id }) => `${gen}:${group_id}`).values()];
  const isTied = (group: readonly LineOf<"completion">[]) =>
    group.every(({ reward }) => reward === group[0]?.reward);
  const judges: Record<string, number> = {};
  for (const { status } of of.flatMap((one) => one.judges)) judges[status] = (judges[status] ?? 0) + 1;
  return tally(step, { groups: groups.length, tied_groups: groups.filter(isTied).length, judges });
}

function tally(step: number, change: Partial<StepTally>): StepTally {
  return {
    run_id: "run-a",
    attempt: 1,
    step,
    n: 8,
    correct: 4,
    judged: 0,
    agreed: 0,
    groups: 4,
    tied_groups: 0,
    tied_right: 0,
    tied_wrong: 0,
    clipped: 0,
    tokens: 0,
    tasks: {},
    letters: {},
    golds: {},
    rules: {},
    judges: {},
    ...change,
  };
}

const archive = JSON.parse(gunzipSync(readFileSync(join(FIXTURES, "recorded/tiny.json.gz"))).toString()) as {
  files: Record<string, string>;
};
const recorded = readRun(
  ["events", "completions-00001"].map((name) => archive.files[`attempts/001/${name}.jsonl`]).join(""),
);
const simulated = readRun(readFileSync(join(FIXTURES, "runs/simulated.jsonl"), "utf8"));
const test = (kind: AlertCause["kind"], run: typeof recorded, params = {}, ended?: Map<number, number>) =>
  backTest(cause(kind, params), selectPoints(kind, run), ended);

const cause = (kind: AlertCause["kind"], params: AlertCause["params"] = {}): AlertCause => ({ kind, params });
const spans = (episodes: readonly AlertEpisode[]) =>
  episodes.map(({ from_step, until_step }) => [from_step, until_step]);

type Values = LineOf<"metrics">["values"];

/** One attempt: a start, and a step a second with the values that `at` gives. */
function makePoints(steps: number, at: (step: number) => Values): RowPoint[] {
  return toPoints(
    asRows([
      startLine({ time_secs: 0 }),
      ...Array.from({ length: steps }, (_, k) => metricsLine({ time_secs: k + 1 }, k + 1, at(k + 1))),
    ]),
  );
}
const toPoints = (rows: readonly RunRow[]) => rows.flatMap((row) => readRowPoint(row) ?? []);

/** Steps of ten groups each, of which `at` are without a signal. */
function makeTallies(steps: number, at: (step: number) => number, attempt = 1, first = 1): TallyPoint[] {
  const tallies = Array.from({ length: steps + 1 }, (_, k) =>
    tally(first + k, { attempt, groups: 10, tied_groups: at(first + k) }),
  );
  return readTallyPoints(tallies, new Map());
}

describe("a healthy run", () => {
  it.each(ALERT_KIND_NAMES)("is no reason for an alert by the defaults: %s", (kind) => {
    expect(recorded.rows.length).toBeGreaterThan(400);
    expect(recorded.tallies).toHaveLength(191);
    expect(test(kind, recorded, {}, new Map([[1, 1e12]]))).toEqual([]);
  });
});

describe("each cause fires where it is", () => {
  it("non-finite: the simulator's NaN at step 5 and infinity at step 6 are one episode, a null is none", () => {
    const [first, ...more] = test("non_finite", simulated);
    expect(more).toEqual([]);
    expect(first).toMatchObject({ from_step: 5, until_step: 6 });
    expect(first?.words).toContain("loss = NaN");
    expect(
      backTest(
        cause("non_finite"),
        makePoints(30, () => ({ loss: null, kl: 0 })),
      ),
    ).toEqual([]);
    expect(test("non_finite", simulated, { steps: 3 })).toEqual([]);
  });

  it("no signal: over the mean of a window, not at one step", () => {
    const points = makeTallies(100, (step) => ((step >= 40 && step < 70) || step === 10 ? 10 : 2));
    const episodes = backTest(cause("no_signal"), points);
    expect(spans(episodes)).toEqual([[57, 73]]);
    expect(episodes[0]?.words).toBe("92 % of the groups had equal rewards over 20 steps.");
  });

  it("saturated: format has nothing to give and accuracy stays, but not where accuracy rises or is high", () => {
    const at = (accuracy: (step: number) => number) =>
      makePoints(200, (step) => ({ "rewards/format/mean": 0.99, "rewards/accuracy/mean": accuracy(step) }));
    expect(
      spans(
        backTest(
          cause("saturated"),
          at(() => 0.4),
        ),
      ),
    ).toEqual([[60, null]]);
    expect(
      backTest(
        cause("saturated"),
        at((step) => 0.2 + step / 400),
      ),
    ).toEqual([]);
    expect(
      backTest(
        cause("saturated"),
        at(() => 0.95),
      ),
    ).toEqual([]);
  });

  it("length drift: both ways, against the run's own beginning", () => {
    const at = (factor: number) =>
      backTest(
        cause("length_drift"),
        makePoints(120, (step) => ({ "completions/mean_length": step < 60 ? 100 : 100 * factor })),
      );
    expect(spans(at(3))).toEqual([[69, null]]);
    expect(at(0.2)[0]?.words).toMatch(/^Completions have 4\d tokens, and had 100 over the first 20 steps/);
    expect(at(1.5)).toEqual([]);
  });

  it("judge failing: the simulator's dead judge at step 20", () => {
    const episodes = test("judge_failing", simulated, { window: 1, at_least: 0.3 });
    expect(spans(episodes)).toEqual([[20, null]]);
    expect(episodes[0]?.words).toMatch(/% of \d+ calls to the judge failed/);
    expect(test("judge_failing", simulated)).toEqual([]);
  });

  it("stalled: a silence between two lines, and one before the end of a killed process", () => {
    const rows = [
      startLine({ time_secs: 0 }),
      metricsLine({ time_secs: 5000 }, 1, {}),
      metricsLine({ time_secs: 5010 }, 2, {}),
      metricsLine({ time_secs: 6010 }, 3, {}),
      metricsLine({ time_secs: 6020 }, 4, {}),
    ].map((line, k) => ({ id: k + 1, line }));
    const points = toPoints(rows);
    // The long way to the first step is no stall.
    expect(spans(backTest(cause("stalled"), points))).toEqual([[2, 2]]);
    expect(spans(backTest(cause("stalled"), points, new Map([[1, 9000]])))).toEqual([
      [2, 2],
      [4, 4],
    ]);
    const done = [...points, ...toPoints([{ id: 9, line: endLine({ time_secs: 6030 }, 4) }])];
    expect(spans(backTest(cause("stalled"), done, new Map([[1, 9000]])))).toEqual([[2, 2]]);
  });
});

describe("an episode", () => {
  it("fires once while a mean hovers about its border", () => {
    const random = makeRandom(7);
    const points = makeTallies(600, () => 9 + (random() - 0.5) * 0.4);
    expect(backTest(cause("no_signal"), points).length).toBe(1);
  });

  it("is the same however the rows come: at once, one by one, twice, or from another moment on", () => {
    const random = makeRandom(3);
    const points = makePoints(400, (step) => ({
      loss: random() < 0.01 ? "NaN" : 1,
      "completions/mean_length": step < 100 ? 50 : 200,
    }));
    const tallies = makeTallies(400, (step) => (random() < 0.05 ? 10 : 10 * (Math.floor(step / 60) % 2)));
    for (const kind of ["no_signal", "non_finite", "length_drift"] as const) {
      const of = selectPoints(kind, { rows: points, tallies });
      const whole = backTest(cause(kind), of);
      expect(whole.length).toBeGreaterThan(0);
      for (let cut = 0; cut <= of.length; cut += 37) {
        const found = new Map<string, AlertEpisode>();
        let state = startAlert;
        const take = (some: ReturnType<typeof selectPoints>) => {
          for (const point of some) {
            const fold = foldAlert(cause(kind), state, point);
            state = fold.state;
            for (const { episode } of fold.changes) found.set(episode.episode_id, episode);
          }
        };
        take(of.slice(0, cut));
        take(of.slice(Math.max(0, cut - 50), cut));
        take(of);
        expect([...found.values()]).toEqual(whole);
      }
    }
  });

  it("ends with its attempt, and one that goes on from an earlier step looks back on what counts", () => {
    const at = (window: number) =>
      backTest(cause("no_signal", { window }), [
        ...makeTallies(50, (step) => (step > 20 ? 10 : 0)),
        ...makeTallies(40, (step) => (step < 46 ? 0 : 10), 2, 21),
      ]).map(({ attempt, from_step, until_step }) => [attempt, from_step, until_step]);
    expect(at(20)).toEqual([[1, 38, 50]]);
    expect(at(10)).toEqual([
      [1, 29, 50],
      [2, 54, null],
    ]);
    const rows = [
      ...makePoints(8, (step) => ({ loss: step > 4 ? "NaN" : 1 })),
      ...toPoints(
        asRows(
          [
            startLine({ attempt: 2, time_secs: 100 }, { step: 4, path: "checkpoints/checkpoint-4" }),
            metricsLine({ attempt: 2, time_secs: 101 }, 5, { loss: "NaN" }),
          ],
          100,
        ),
      ),
    ];
    expect(backTest(cause("non_finite"), rows)).toMatchObject([
      { attempt: 1, from_step: 5, until_step: 8, ended_secs: 100 },
      { attempt: 2, from_step: 5, until_step: null },
    ]);
  });

  it("of a stall is the same whether one waited for it or reads of it later", () => {
    const points = makePoints(5, () => ({}));
    let state = startAlert;
    for (const point of points) ({ state } = foldAlert(cause("stalled"), state, point));
    expect(foldSilence(cause("stalled"), state, 5 + 599).changes).toEqual([]);
    const live = foldSilence(cause("stalled"), state, 5 + 603);
    expect(foldSilence(cause("stalled"), live.state, 5 + 900).changes).toEqual([]);
    const next = toPoints([{ id: 50, line: metricsLine({ time_secs: 2000 }, 6, {}) }]);
    const woken = next.flatMap((point) => foldAlert(cause("stalled"), live.state, point).changes);
    expect(woken.map(({ kind, episode }) => [kind, episode])).toEqual(
      backTest(cause("stalled"), [...points, ...next]).map((episode) => ["ended", episode]),
    );
  });
});

it("a rule is checked: unknown numbers, out of range, halves where whole ones are meant", () => {
  const rule = { name: "a", kind: "no_signal", scope: { kind: "all" }, webhook_ids: [] };
  const faults = (params: Record<string, number>) =>
    AlertRule.safeParse({ ...rule, params }).error?.issues.map(({ message }) => message) ?? [];
  expect(faults({ window: 10, at_least: 0.5 })).toEqual([]);
  expect(faults({ window: 2.5 })).toEqual(["Window is a whole number."]);
  expect(faults({ at_least: 2, factor: 1 })).toEqual([
    "No signal has no number called factor.",
    "Share at least is from 0 to 1.",
  ]);
});

it("a curve keeps its peaks when it is thinned", () => {
  const points = makePoints(5000, (step) => ({ "completions/mean_length": step === 3333 ? 900 : 100 }));
  const [line] = alertCurve("length_drift", points, 200);
  expect(line?.steps.length).toBeLessThanOrEqual(202);
  expect(line?.values).toContain(900);
});
