import type { Alert } from "@sightline/core/alerts";
import type { RunSpec } from "@sightline/core/runs";
import {
  consistencyRate,
  countShares,
  judgeFailures,
  lastStepInForce,
  type MetricPath,
  metricPaths,
  ownRewardsOf,
  partMean,
  type RunSeries,
  stageBands,
  taskAccuracy,
  tiedGroups,
  type WeightedPath,
  weightedShares,
  weightsInForce,
} from "@sightline/core/runs";
import { stageSteps, totalEpochs } from "@sightline/core/schedules";
import { getWilsonInterval } from "@sightline/core/stats";
import { REWARD_PARTS, toNumber } from "@sightline/core/wire";
import { type CurveColor, type CurveMark, type CurveSeries, POINT } from "@sightline/ui/curve";
import type { BandStage } from "@sightline/ui/stage-band";

/** How a metric is drawn. */
export type Look = {
  label: string;
  color: CurveColor;
  dash?: CurveSeries["dash"];
  /** gap: NaN means that nothing was measured; mark: it is a number gone wrong and is marked. */
  nan?: "gap" | "mark";
};

/** One metric by the trainer's own name as a line; null when the run never logged it. */
export function getMetric(series: RunSeries, name: string, look: Look): CurveSeries | null {
  const paths = metricPaths(series, name);
  if (paths.length === 0) return null;
  const basis = getBasis(series, name);
  return { ...joinPaths(name, paths, look), ...(basis ? { basis } : {}) };
}

/** The means that a moving average runs over, where the past of a metric came in buckets; null where it did not. */
function getBasis(series: RunSeries, name: string): NonNullable<CurveSeries["basis"]> | null {
  const stretches = [...(series.metrics.get(name) ?? [])].sort(
    (a, b) => a.attempt - b.attempt || a.segment - b.segment,
  );
  if (!stretches.some((stretch) => stretch.past !== null)) return null;
  const x: number[] = [];
  const values: number[] = [];
  const counts: number[] = [];
  const add = (step: number, value: number, count: number) => {
    x.push(step);
    values.push(value);
    counts.push(count);
  };
  for (const { attempt, past, past_length, points } of stretches) {
    const last = lastStepInForce(series, attempt);
    past?.index.forEach((_, k) => {
      const n = past.n[k] ?? 0;
      const middle = ((past.first_step[k] ?? 0) + (past.last_step[k] ?? 0)) / 2;
      if (n > 0 && (past.first_step[k] ?? 0) <= last) add(middle, (past.sum[k] ?? 0) / n, n);
    });
    for (let k = past_length; k < points.length; k += 1) {
      const step = points.store.steps[k] as number;
      if (step <= last) add(step, points.store.values[k] as number, 1);
    }
  }
  return { x: Float64Array.from(x), values: Float64Array.from(values), counts: Float64Array.from(counts) };
}

/** Joins the paths of a metric in the order in which they were written. */
export function joinPaths(id: string, paths: readonly MetricPath[], look: Look): CurveSeries {
  const ordered = [...paths].sort(
    (a, b) => a.attempt - b.attempt || a.segment - b.segment || Number(a.rolled_back) - Number(b.rolled_back),
  );
  const length = ordered.reduce((sum, path) => sum + path.steps.length, 0);
  const x = new Float64Array(length);
  const values = new Float64Array(length);
  const flags = new Uint8Array(length);
  let at = 0;
  for (const path of ordered) {
    x.set(path.steps, at);
    values.set(path.values, at);
    for (let k = 0; k < path.steps.length; k += 1)
      flags[at + k] =
        (path.rolled_back ? POINT.rolled_back : 0) |
        (look.nan !== "mark" && Number.isNaN(path.values[k]) ? POINT.missing : 0);
    at += path.steps.length;
  }
  const { label, color, dash } = look;
  return { id, label, color, ...(dash ? { dash } : {}), x, values, flags };
}

/** A metric with the band between two others, for instance the mean length between the shortest and the longest. */
export function getBanded(
  series: RunSeries,
  names: { value: string; low: string; high: string },
  look: Look,
): CurveSeries | null {
  const line = getMetric(series, names.value, look);
  if (!line) return null;
  const low = byStep(series, names.low);
  const high = byStep(series, names.high);
  if (low.size === 0 || high.size === 0) return line;
  return {
    ...line,
    low: line.x.map((step) => low.get(step) ?? Number.NaN),
    high: line.x.map((step) => high.get(step) ?? Number.NaN),
  };
}

/** A metric with plus and minus another one around it. */
export function getSpreadOf(series: RunSeries, name: string, sd: string, look: Look): CurveSeries | null {
  const line = getMetric(series, name, look);
  if (!line) return null;
  const spread = byStep(series, sd);
  if (spread.size === 0) return line;
  const at = (step: number) => spread.get(step) ?? Number.NaN;
  return {
    ...line,
    low: line.values.map((value, k) => value - at(line.x[k] as number)),
    high: line.values.map((value, k) => value + at(line.x[k] as number)),
  };
}

function byStep(series: RunSeries, name: string): Map<number, number> {
  const values = new Map<number, number>();
  for (const { rolled_back, steps, values: column } of metricPaths(series, name)) {
    if (rolled_back) continue;
    for (let k = 0; k < steps.length; k += 1) values.set(steps[k] as number, column[k] as number);
  }
  return values;
}

/**
 * A reward part as a line. While it weighs nothing only some groups are scored: those steps are sampled, and steps
 * without a score are left out rather than shown as a gap.
 */
export function getPart(series: RunSeries, part: string, look: Look): CurveSeries | null {
  const line = getMetric(series, partMean(part), look);
  return line && thinSampled(line, getIsUnweighted(series, part));
}

/** True at steps where a part weighs nothing. */
function getIsUnweighted(series: RunSeries, part: string): (step: number) => boolean {
  const bands = stageBands(series);
  return (step) => weightsInForce(bands, step)?.[part] === 0;
}

function thinSampled(line: CurveSeries, isSampled: (step: number) => boolean): CurveSeries {
  const flag = (k: number) => line.flags?.[k] ?? 0;
  const kept = [...line.x.keys()].filter((k) => !(flag(k) & POINT.missing && isSampled(line.x[k] as number)));
  const pick = (array: Float64Array | undefined) =>
    array && Float64Array.from(kept, (k) => array[k] as number);
  const optional = { low: pick(line.low), high: pick(line.high), n: pick(line.n) };
  return {
    ...line,
    ...(optional.low && optional.high ? { low: optional.low, high: optional.high } : {}),
    ...(optional.n ? { n: optional.n } : {}),
    x: Float64Array.from(kept, (k) => line.x[k] as number),
    values: Float64Array.from(kept, (k) => line.values[k] as number),
    flags: Uint8Array.from(kept, (k) => flag(k) | (isSampled(line.x[k] as number) ? POINT.sampled : 0)),
  };
}

/** P(consistent | correct) with its 95 % interval and N; hollow where the judge saw only a part. */
export function getConsistency(series: RunSeries): CurveSeries {
  const points = consistencyRate(series);
  const intervals = points.map(({ rate, n }) => getWilsonInterval(Math.round(rate * n), n));
  const line: CurveSeries = {
    id: "consistency-rate",
    label: "consistent | correct",
    color: "consistency",
    x: Float64Array.from(points, ({ step }) => step),
    values: Float64Array.from(points, ({ rate }) => rate),
    low: Float64Array.from(intervals, (interval) => interval?.[0] ?? Number.NaN),
    high: Float64Array.from(intervals, (interval) => interval?.[1] ?? Number.NaN),
    n: Float64Array.from(points, ({ n }) => n),
    flags: Uint8Array.from(points, ({ n, sampled }) =>
      n === 0 ? POINT.missing : sampled ? POINT.sampled : 0,
    ),
  };
  return thinSampled(line, getIsUnweighted(series, "consistency"));
}

/** Accuracy on the held-out questions at each evaluation, with the interval that came with it and its N. */
export function getHeldOut(series: RunSeries): CurveSeries | null {
  const found = series.marks.flatMap((mark) =>
    mark.kind === "evaluation" && mark.step <= lastStepInForce(series, mark.attempt) ? [mark] : [],
  );
  if (found.length === 0) return null;
  const column = (name: string) =>
    Float64Array.from(found, ({ evaluation }) => toNumber(evaluation.overall[name] ?? "NaN"));
  return {
    id: "held-out",
    label: "held-out accuracy",
    color: "accuracy",
    x: Float64Array.from(found, ({ step }) => step),
    values: column("accuracy"),
    low: column("low"),
    high: column("high"),
    n: column("n"),
  };
}

const DASHES = ["solid", "dashed", "dotted"] as const;
/** Of rewards that a person wrote: none of the colours that carry a meaning. Beyond three their dashes differ. */
const OWN_COLORS = ["series-9", "series-4", "series-5"] as const;

/** A reward that a person wrote, as a line. @param k  Its place among them. */
function lookOfOwn(name: string, k: number) {
  const dash = DASHES[(k + Math.floor(k / OWN_COLORS.length)) % DASHES.length] ?? "solid";
  return { label: name, color: OWN_COLORS[k % OWN_COLORS.length] ?? OWN_COLORS[0], dash };
}

/** Each reward that a person wrote as a line of its means, weighed or not. */
export function getOwnParts(series: RunSeries): CurveSeries[] {
  return ownRewardsOf(series).flatMap((name, k) => getPart(series, name, lookOfOwn(name, k)) ?? []);
}

/** The accuracy of each task with its N, the most asked first. */
export function getTasks(series: RunSeries): CurveSeries[] {
  return [...taskAccuracy(series)]
    .map(([task, points]) => ({ task, points, n: points.reduce((sum, point) => sum + point.n, 0) }))
    .sort((a, b) => b.n - a.n || a.task.localeCompare(b.task))
    .map(({ task, points }, k) => ({
      id: task,
      label: task.replaceAll("_", " "),
      color: `series-${k}` as const,
      dash: DASHES[k % DASHES.length],
      x: Float64Array.from(points, ({ step }) => step),
      values: Float64Array.from(points, ({ accuracy }) => accuracy),
      n: Float64Array.from(points, ({ n }) => n),
    }));
}

/** How often the judge failed, of the times it was asked: what makes a dead judge look like one. */
export function getJudgeFailures(series: RunSeries): CurveSeries {
  const points = judgeFailures(series);
  return {
    id: "judge-failed",
    label: "judge failed",
    color: "wrong",
    dash: "dotted",
    x: Float64Array.from(points, ({ step }) => step),
    values: Float64Array.from(points, ({ asked, failed }) => failed / asked),
    n: Float64Array.from(points, ({ asked }) => asked),
  };
}

/** The weights in force as a line of steps, each part's own; empty before the first stage. */
export function getWeights(series: RunSeries): CurveSeries[] {
  const bands = stageBands(series);
  const end = Math.max(series.step ?? 0, series.max_steps ?? 0);
  const x = Float64Array.from(
    bands.flatMap(({ from_step, to_step }) => [from_step, to_step ?? Math.max(end, from_step)]),
  );
  return bands.length === 0
    ? []
    : [
        ...REWARD_PARTS.map((part, k) => ({ label: part, color: part, dash: DASHES[k] ?? "solid" })),
        ...ownRewardsOf(series).map(lookOfOwn),
      ].map((look) => ({
        ...look,
        id: look.label,
        x,
        values: Float64Array.from(
          bands.flatMap(({ normalised }) => Array<number>(2).fill(normalised[look.label as "format"] ?? 0)),
        ),
      }));
}

/** Groups without a signal as shares of all groups, by their cause; they stack. */
export function getTied(series: RunSeries): CurveSeries[] {
  const points = tiedGroups(series);
  if (points.length === 0) return [];
  const x = Float64Array.from(points, ({ step }) => step);
  const n = Float64Array.from(points, (point) => point.n);
  return (
    [
      ["right", "all right", "accuracy"],
      ["wrong", "all wrong", "wrong"],
      ["error", "not scored", "unknown"],
    ] as const
  ).map(([id, label, color]) => ({
    id,
    label,
    color,
    x,
    n,
    values: Float64Array.from(points, (point) => point[id]),
  }));
}

/** By which rule letters were read, as shares that stack; the most frequent first. */
export function getRules(series: RunSeries): CurveSeries[] {
  const { steps, n, shares } = countShares(series, "rules");
  const x = Float64Array.from(steps);
  const counts = Float64Array.from(n);
  const total = (values: readonly number[]) => values.reduce((sum, value, k) => sum + value * (n[k] ?? 0), 0);
  return [...shares]
    .sort((a, b) => total(b[1]) - total(a[1]))
    .map(([rule, values], k) => ({
      id: rule,
      label: rule === "" ? "not recorded" : rule.replaceAll("_", " "),
      color: rule === "none" ? ("unknown" as const) : (`series-${k}` as const),
      x,
      n: counts,
      values: Float64Array.from(values),
    }));
}

/** How often each letter was answered, and, dotted, how often it was right to. */
export function getLetters(series: RunSeries): CurveSeries[] {
  const answered = countShares(series, "letters");
  const gold = countShares(series, "golds");
  const letters = [...new Set([...answered.shares.keys(), ...gold.shares.keys()])].sort((a, b) =>
    a === "" ? 1 : b === "" ? -1 : a.localeCompare(b),
  );
  const line = (
    { steps, n }: typeof answered,
    values: number[],
    rest: Pick<CurveSeries, "id" | "label" | "color" | "dash">,
  ) => ({
    ...rest,
    x: Float64Array.from(steps),
    n: Float64Array.from(n),
    values: Float64Array.from(values),
  });
  return letters.flatMap((letter, k): CurveSeries[] => {
    const color = letter === "" ? "unknown" : (`series-${k}` as const);
    const name = letter === "" ? "none" : letter;
    const given = answered.shares.get(letter);
    const right = gold.shares.get(letter);
    return [
      ...(given
        ? [line(answered, given, { id: `answered-${letter}`, label: name, color, dash: "solid" })]
        : []),
      ...(right && letter !== ""
        ? [line(gold, right, { id: `gold-${letter}`, label: `gold ${name}`, color, dash: "dotted" })]
        : []),
    ];
  });
}

/** The weighted shares that count, on one x array, and what the trainer logged as the total. */
export type Shares = { parts: CurveSeries[]; logged: CurveSeries; mismatches: number };

export function getShares(series: RunSeries): Shares | null {
  const paths = weightedShares(series).filter((path) => !path.rolled_back);
  if (paths.length === 0) return null;
  const join = (pick: (path: WeightedPath) => Float64Array) =>
    Float64Array.from(paths.flatMap((path) => [...pick(path)]));
  const x = join((path) => path.steps);
  const own = ownRewardsOf(series).filter((name) => paths.some((path) => path.own.has(name)));
  const parts = [
    ...REWARD_PARTS.map((part) => ({
      id: part,
      label: part,
      color: part,
      x,
      values: join((path) => path.shares[part]),
    })),
    ...own.map((name, k) => ({
      id: name,
      label: name,
      color: lookOfOwn(name, k).color,
      x,
      values: join((path) => path.own.get(name) ?? new Float64Array(path.steps.length)),
    })),
  ];
  const logged = join((path) => path.logged);
  return {
    parts,
    logged: {
      id: "logged",
      label: "reward as logged",
      color: "total",
      x,
      values: logged,
      flags: Uint8Array.from(logged, (value) => (Number.isNaN(value) ? POINT.missing : 0)),
    },
    mismatches: paths.reduce((sum, path) => sum + path.mismatches.length, 0),
  };
}

/** The stages that the run went through, then those that its spec still plans. */
export function getBandStages(series: RunSeries, spec: RunSpec | null): BandStage[] {
  const seen = stageBands(series);
  const stages: BandStage[] = seen.map((band) => ({
    id: `${band.index}`,
    name: band.name,
    weights: band.weights,
    from: band.from_step,
    to: band.to_step,
  }));
  const epochs = spec ? totalEpochs(spec.stages) : 0;
  if (!spec || series.max_steps === null || epochs <= 0) return stages;
  const reached = seen.at(-1)?.index ?? -1;
  const planned = stageSteps(spec.stages, getStepsPerEpoch(series, epochs));
  spec.stages.forEach((stage, index) => {
    const steps = planned[index];
    if (index <= reached || !steps || steps.from_step > (series.max_steps ?? 0)) return;
    const last = stages.at(-1);
    if (last && last.to === null) last.to = steps.from_step;
    stages.push({
      id: `${index}`,
      name: stage.name,
      weights: stage.weights,
      from: steps.from_step,
      to: index === spec.stages.length - 1 ? null : steps.to_step,
    });
  });
  return stages;
}

/** The stages of a run that has not said yet how many steps it has, over its epochs. */
export function getPlannedStages(spec: RunSpec): BandStage[] {
  return spec.stages.map(({ name, weights, from_epoch, to_epoch }, index) => ({
    id: `${index}`,
    name,
    weights,
    from: from_epoch,
    to: to_epoch,
  }));
}

function getStepsPerEpoch(series: RunSeries, epochs: number): number {
  if (series.step && series.epoch) return series.step / series.epoch;
  return (series.max_steps ?? 0) / epochs;
}

/** The marks of a run with those at which rules fired. */
export function addAlertMarks(marks: readonly CurveMark[], alerts: readonly Alert[]): readonly CurveMark[] {
  if (alerts.length === 0) return marks;
  const fired = alerts.map(({ alert_id, from_step, rule_name, words }): CurveMark => {
    return { id: `alert ${alert_id}`, x: from_step, kind: "alert", label: `alert: ${rule_name}. ${words}` };
  });
  return [...marks, ...fired].sort((a, b) => a.x - b.x);
}

/** What happened, as marks on the charts. */
export function getMarks(series: RunSeries): CurveMark[] {
  const marks: CurveMark[] = [];
  for (const mark of series.marks) {
    const id = String(mark.id);
    if (mark.kind === "checkpoint" && mark.complete)
      marks.push({ id, x: mark.step, kind: "checkpoint", label: `checkpoint, step ${mark.step}` });
    else if (mark.kind === "start" && mark.attempt > 1) {
      const from = mark.resume_step ?? 0;
      marks.push({ id, x: from, kind: "restart", label: `attempt ${mark.attempt}, from step ${from}` });
    } else if (mark.kind === "warn") marks.push({ id, x: mark.step, kind: "warning", label: mark.message });
    else if (mark.kind === "error") marks.push({ id, x: mark.step, kind: "error", label: mark.message });
    else if (mark.kind === "evaluation")
      marks.push({ id, x: mark.step, kind: "evaluation", label: `evaluation, step ${mark.step}` });
    else if (mark.kind === "went_back")
      marks.push({ id, x: mark.step, kind: "restart", label: `steps went back from ${mark.from_step}` });
  }
  return marks.sort((a, b) => a.x - b.x);
}
