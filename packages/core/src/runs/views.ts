import { ownRewards } from "../schedules/schedule.ts";
import { REWARD_PARTS, type RewardPart, type RewardWeights } from "../wire/index.ts";
import type { RunSeries, StageMark } from "./fold.ts";
import { countUpTo, stepsOf, valuesOf } from "./points.ts";
import type { StepTally } from "./types.ts";

/** A line to draw: steps only rise within it. NaN is a gap, an infinity a marker. */
export type MetricPath = {
  attempt: number;
  segment: number;
  /** True for rows that a newer attempt replaced. */
  rolled_back: boolean;
  steps: Float64Array;
  values: Float64Array;
};

/**
 * The last step of an attempt that still counts: where the earliest-resuming newer attempt went on from.
 *
 * @returns Infinity when no newer attempt exists.
 */
export function lastStepInForce(series: RunSeries, attempt: number): number {
  return lastStepKept(series.attempts, attempt);
}

/** As `lastStepInForce`, from what is known of the attempts alone. */
export function lastStepKept(
  attempts: readonly { attempt: number; resume_step: number | null; first_step: number | null }[],
  attempt: number,
): number {
  let last = Number.POSITIVE_INFINITY;
  for (const newer of attempts) {
    if (newer.attempt <= attempt) continue;
    if (newer.resume_step !== null) last = Math.min(last, newer.resume_step);
    if (newer.first_step !== null) last = Math.min(last, newer.first_step - 1);
  }
  return last;
}

/** All paths of a metric: those that count in the order of attempts, then those that were rolled back. */
export function metricPaths(series: RunSeries, name: string): MetricPath[] {
  const counting: MetricPath[] = [];
  const rolledBack: MetricPath[] = [];
  const stretches = [...(series.metrics.get(name) ?? [])].sort(
    (a, b) => a.attempt - b.attempt || a.segment - b.segment,
  );
  for (const { attempt, segment, points } of stretches) {
    const kept = countUpTo(points, lastStepInForce(series, attempt));
    if (kept > 0)
      counting.push({
        attempt,
        segment,
        rolled_back: false,
        steps: stepsOf(points, 0, kept),
        values: valuesOf(points, 0, kept),
      });
    if (kept < points.length)
      rolledBack.push({
        attempt,
        segment,
        rolled_back: true,
        steps: stepsOf(points, kept),
        values: valuesOf(points, kept),
      });
  }
  return [...counting, ...rolledBack];
}

/** A line of means. */
export type MeanPath = MetricPath & {
  /** Steps that a point stands for, of which `counts` had a value. */
  widths: Float64Array;
  counts: Float64Array;
};

/**
 * As `metricPaths`, with one point a bucket where the past is bucketed: its mean, at the bucket's first step. Metrics
 * of the same rows then have the same steps, so they can be added up.
 */
export function meanPaths(series: RunSeries, name: string): MeanPath[] {
  const paths: MeanPath[] = [];
  for (const stretch of series.metrics.get(name) ?? []) {
    const { attempt, segment, past, past_length, points } = stretch;
    const steps: number[] = [];
    const values: number[] = [];
    const counts: number[] = [];
    past?.index.forEach((index, i) => {
      const n = past.n[i] ?? 0;
      steps.push(Math.max(1, index * past.width));
      values.push(n === 0 ? Number.NaN : (past.sum[i] ?? 0) / n);
      counts.push(n);
    });
    const widths = steps.map(() => past?.width ?? 1);
    steps.push(...stepsOf(points, past_length));
    values.push(...valuesOf(points, past_length));
    while (counts.length < steps.length) {
      widths.push(1);
      counts.push(1);
    }
    const last = lastStepInForce(series, attempt);
    const kept = steps.filter((step) => step <= last).length;
    const cut = (from: number, to: number, rolled_back: boolean) => {
      if (from < to)
        paths.push({
          attempt,
          segment,
          rolled_back,
          steps: Float64Array.from(steps.slice(from, to)),
          values: Float64Array.from(values.slice(from, to)),
          widths: Float64Array.from(widths.slice(from, to)),
          counts: Float64Array.from(counts.slice(from, to)),
        });
    };
    cut(0, kept, false);
    cut(kept, steps.length, true);
  }
  return paths.sort((a, b) => a.attempt - b.attempt || a.segment - b.segment);
}

/** A stage with the steps that it rules: [from_step, to_step), open-ended (null) for the newest. */
export type StageBand = StageMark & { to_step: number | null };

/** The stages that count, in the order of their steps, each ending where the next begins. */
export function stageBands(series: RunSeries): StageBand[] {
  const counting = series.stages.filter(
    (stage) => stage.from_step <= lastStepInForce(series, stage.attempt) + 1,
  );
  const byStart = new Map<number, StageMark>();
  for (const stage of counting) byStart.set(stage.from_step, stage);
  const ordered = [...byStart.values()].sort((a, b) => a.from_step - b.from_step);
  const merged = ordered.filter((stage, i) => ordered[i - 1]?.index !== stage.index);
  return merged.map((stage, i) => ({ ...stage, to_step: merged[i + 1]?.from_step ?? null }));
}

/** The weights in force at a step, summing to 1; null before the first stage. */
export function weightsInForce(bands: readonly StageBand[], step: number): RewardWeights | null {
  let found: StageBand | null = null;
  for (const band of bands) if (band.from_step <= step) found = band;
  return found?.normalised ?? null;
}

/** What each part adds to the reward, step by step. */
export type WeightedPath = {
  attempt: number;
  rolled_back: boolean;
  steps: Float64Array;
  shares: Record<RewardPart, Float64Array>;
  /** The same of a person's own rewards, by name. */
  own: ReadonlyMap<string, Float64Array>;
  /** Sum of the shares, those of a person's own rewards included: the reward by the weights in force. */
  total: Float64Array;
  /** `reward` as the trainer logged it; NaN where it did not. */
  logged: Float64Array;
  /**
   * Steps at which the logged reward is neither the weighted sum nor absent. A mean of several steps is held to it only
   * where the weights did not change within, and nothing was missing.
   */
  mismatches: number[];
};

/** Name under which a part's mean is logged. */
export function partMean(part: string): string {
  return `rewards/${part}/mean`;
}

/** Rewards that a person wrote: those that a stage weighs first, then those that are only recorded. */
export function ownRewardsOf(series: RunSeries): string[] {
  const weighed = stageBands(series).flatMap(({ normalised }) => ownRewards(normalised));
  return [...new Set([...weighed, ...listOwnMeans(series.metrics.keys())])];
}

/** Names of a person's own rewards among the names of metrics, in the order of the alphabet. */
export function listOwnMeans(names: Iterable<string>): string[] {
  return [...names]
    .flatMap((name) => /^rewards\/(.+)\/mean$/.exec(name)?.[1] ?? [])
    .filter((part) => !(REWARD_PARTS as readonly string[]).includes(part))
    .sort();
}

type Mean = { value: number; width: number; n: number };

/** Weighted shares of the reward parts. A part that was not measured at a step, or weighs nothing, adds 0. */
export function weightedShares(series: RunSeries): WeightedPath[] {
  const bands = stageBands(series);
  const own = [...new Set(bands.flatMap((band) => ownRewards(band.normalised)))];
  const byKey = new Map<string, Map<string, Map<number, Mean>>>();
  const keyOf = (path: MetricPath) => `${path.attempt}:${path.segment}:${path.rolled_back}`;
  const collect = (part: string, name: string) => {
    for (const path of meanPaths(series, name)) {
      const parts = byKey.get(keyOf(path)) ?? new Map<string, Map<number, Mean>>();
      byKey.set(keyOf(path), parts);
      const column = new Map<number, Mean>();
      path.steps.forEach((step, i) => {
        const [value = Number.NaN, width = 1, n = 0] = [path.values[i], path.widths[i], path.counts[i]];
        column.set(step, { value, width, n });
      });
      parts.set(part, column);
    }
  };
  for (const part of [...REWARD_PARTS, ...own]) collect(part, partMean(part));
  collect("reward", "reward");

  const paths: WeightedPath[] = [];
  for (const [key, parts] of byKey) {
    const [attempt = "", , rolledBack] = key.split(":");
    const steps = new Set<number>();
    for (const part of REWARD_PARTS) for (const step of parts.get(part)?.keys() ?? []) steps.add(step);
    const ordered = Float64Array.from([...steps].sort((a, b) => a - b));
    if (ordered.length === 0) continue;
    const column = () => new Float64Array(ordered.length);
    const path: WeightedPath = {
      attempt: Number(attempt),
      rolled_back: rolledBack === "true",
      steps: ordered,
      shares: { format: column(), accuracy: column(), consistency: column() },
      own: new Map(own.map((name) => [name, column()])),
      total: column(),
      logged: column(),
      mismatches: [],
    };
    ordered.forEach((step, i) => {
      const weights = weightsInForce(bands, step);
      let total = weights ? 0 : Number.NaN;
      for (const part of REWARD_PARTS) {
        const mean = parts.get(part)?.get(step)?.value ?? Number.NaN;
        const weight = weights?.[part] ?? Number.NaN;
        const share = weight === 0 || Number.isNaN(mean) ? 0 : weight * mean;
        path.shares[part][i] = share;
        total += share;
      }
      for (const name of own) {
        const mean = parts.get(name)?.get(step)?.value ?? Number.NaN;
        const share = weights?.[name] && !Number.isNaN(mean) ? weights[name] * mean : 0;
        (path.own.get(name) as Float64Array)[i] = share;
        total += share;
      }
      const reward = parts.get("reward")?.get(step);
      const logged = reward?.value ?? Number.NaN;
      path.total[i] = total;
      path.logged[i] = logged;
      const { width, n } = reward ?? { width: 1, n: 0 };
      const isOne =
        width === 1 ||
        (bands.every(({ from_step }) => from_step <= step || from_step >= step + width) &&
          [...REWARD_PARTS, ...own].every((part) => !weights?.[part] || parts.get(part)?.get(step)?.n === n));
      if (
        isOne &&
        Number.isFinite(total) &&
        Number.isFinite(logged) &&
        Math.abs(total - logged) > 1e-3 + 1e-3 * Math.abs(total)
      )
        path.mismatches.push(step);
    });
    paths.push(path);
  }
  return paths.sort((a, b) => a.attempt - b.attempt);
}

/** Tallies that count, in the order of their steps. */
export function talliesInForce(series: RunSeries): StepTally[] {
  return series.tallies
    .filter((tally) => tally.step <= lastStepInForce(series, tally.attempt))
    .sort((a, b) => a.step - b.step);
}

/** P(consistent | correct) at one step. */
export type ConsistencyPoint = {
  step: number;
  /** NaN where nobody was judged. */
  rate: number;
  /** How many completions the rate rests on: correct and judged. */
  n: number;
  correct: number;
  /** True when the judge saw only a part of the correct ones. */
  sampled: boolean;
};

/** The logical-consistency rate: judge agrees ÷ correct and judged. */
export function consistencyRate(series: RunSeries): ConsistencyPoint[] {
  return talliesInForce(series).map(({ step, judged, agreed, correct }) => ({
    step,
    rate: judged === 0 ? Number.NaN : agreed / judged,
    n: judged,
    correct,
    sampled: judged < correct,
  }));
}

/**
 * Rates of the tallies by the name under which other runs' are asked for: what is counted, and of how many. Steps at
 * which the second is 0 have no rate.
 */
export const TALLY_RATES = {
  "tally/consistent": ["agreed", "judged"],
  "tally/tied": ["tied_groups", "groups"],
} as const satisfies Record<string, readonly [keyof StepTally, keyof StepTally]>;

/** Accuracy of each task, by its name; steps at which the task was not asked have no point. */
export function taskAccuracy(
  series: RunSeries,
): Map<string, { step: number; accuracy: number; n: number }[]> {
  const tasks = new Map<string, { step: number; accuracy: number; n: number }[]>();
  for (const tally of talliesInForce(series)) {
    for (const task in tally.tasks) {
      const count = tally.tasks[task];
      if (!count || count.n === 0) continue;
      const points = tasks.get(task) ?? [];
      points.push({ step: tally.step, accuracy: count.correct / count.n, n: count.n });
      tasks.set(task, points);
    }
  }
  return tasks;
}

/** Shares of groups without a signal at one step, by why all their rewards are equal. */
export type TiedPoint = { step: number; right: number; wrong: number; error: number; n: number };

/** Groups that teach nothing: all right, all wrong, or equal for another reason (not all could be scored). */
export function tiedGroups(series: RunSeries): TiedPoint[] {
  return talliesInForce(series).map(({ step, groups: n, tied_groups, tied_right, tied_wrong }) => ({
    step,
    n,
    right: n === 0 ? Number.NaN : tied_right / n,
    wrong: n === 0 ? Number.NaN : tied_wrong / n,
    error: n === 0 ? Number.NaN : (tied_groups - tied_right - tied_wrong) / n,
  }));
}

/** Shares that one of the tallies' counts holds at each step. */
export type SharePoints = { steps: number[]; n: number[]; shares: Map<string, number[]> };

/** What share of the completions had each letter, gold or rule; 0 at steps where it was not among them. */
export function countShares(series: RunSeries, what: "letters" | "golds" | "rules"): SharePoints {
  const tallies = talliesInForce(series).filter((tally) => Object.keys(tally[what]).length > 0);
  const names = [...new Set(tallies.flatMap((tally) => Object.keys(tally[what])))].sort();
  const n = tallies.map((tally) => Object.values(tally[what]).reduce((sum, count) => sum + count, 0));
  return {
    steps: tallies.map(({ step }) => step),
    n,
    shares: new Map(
      names.map((name) => [name, tallies.map((tally, k) => (tally[what][name] ?? 0) / (n[k] ?? 1))]),
    ),
  };
}

/** How often the judge failed, of the times that it was asked. */
export type JudgePoint = { step: number; asked: number; failed: number };

const FAILED = ["timeout", "http_error", "unparsed"] as const;

/** Steps at which the judge was asked. A completion that it was not to see, or that had no reasoning, asks nothing. */
export function judgeFailures(series: RunSeries): JudgePoint[] {
  return talliesInForce(series).flatMap(({ step, judges }) => {
    const failed = FAILED.reduce((sum, status) => sum + (judges[status] ?? 0), 0);
    const asked = failed + (judges.ok ?? 0);
    return asked === 0 ? [] : [{ step, asked, failed }];
  });
}

/** Since when the judge has failed at everything that it was asked; null while it answers. */
export function deadJudge(series: RunSeries): { since_step: number; asked: number } | null {
  let since: JudgePoint | null = null;
  let asked = 0;
  for (const point of judgeFailures(series).reverse()) {
    if (point.failed < point.asked) break;
    since = point;
    asked += point.asked;
  }
  return since === null ? null : { since_step: since.step, asked };
}
