import { deadJudge, listOwnMeans, partMean, type RunSeries } from "@sightline/core/runs";
import { REWARD_PARTS } from "@sightline/core/wire";
import { type CurveProps, type CurveSeries, formatValue } from "@sightline/ui/curve";
import {
  getBanded,
  getConsistency,
  getHeldOut,
  getJudgeFailures,
  getLetters,
  getMetric,
  getOwnParts,
  getPart,
  getRules,
  getShares,
  getSpreadOf,
  getTasks,
  getTied,
  getWeights,
  type Look,
} from "./curves.ts";

/** One chart of the run page. */
export type Chart = {
  id: string;
  title: string;
  /** The metrics that it shows, so that the rest can be listed as the rest. */
  names: readonly string[];
  /** What is drawn of other runs: metrics, or rates of the tallies by name; `names` when left out. */
  beside?: readonly string[];
  /** What that is, where it is less than what is drawn of this run. */
  beside_note?: string;
  draw(series: RunSeries): Drawing;
  y_at_least?: CurveProps["y_at_least"];
  kind?: CurveProps["kind"];
  can_log?: boolean;
  empty?: string;
  /** A value in the readout. */
  formatY?: CurveProps["formatY"];
  /** Takes the page's smoothing. */
  is_smoothed?: boolean;
};

export type Drawing = { series: CurveSeries[]; over?: CurveSeries[]; note?: string };

const RATE = [0, 1] as const;
/** Three decimals throughout, so that a rate does not change its width. */
const formatRate = (value: number) => (Number.isFinite(value) ? value.toFixed(3) : formatValue(value));
const PART_DASHES = { format: "solid", accuracy: "dashed", consistency: "dotted" } as const;

const lines = (entries: readonly (readonly [name: string, look: Look])[]) => (series: RunSeries) => ({
  series: entries.flatMap(([name, look]) => getMetric(series, name, look) ?? []),
});
const one = (line: CurveSeries | null): Drawing => ({ series: line ? [line] : [] });

function chart(id: string, title: string, name: string, look: Look, more: Partial<Chart> = {}): Chart {
  return { id, title, names: [name], draw: lines([[name, look]]), is_smoothed: true, ...more };
}

export type Section = { title: string; charts: readonly Chart[] };

/** The charts in the order of a page: what is rewarded, what is answered, how it learns. */
const SECTIONS: readonly Section[] = [
  {
    title: "Rewards",
    charts: [
      {
        id: "parts",
        title: "Reward parts",
        names: ["rewards/format/mean", "rewards/accuracy/mean", "rewards/consistency/mean"],
        draw: (series) => ({
          series: [
            ...REWARD_PARTS.flatMap(
              (part) => getPart(series, part, { label: part, color: part, dash: PART_DASHES[part] }) ?? [],
            ),
            ...getOwnParts(series),
          ],
        }),
        y_at_least: RATE,
        formatY: formatRate,
        is_smoothed: true,
        empty: "No rewards yet: the first come with step 1.",
      },
      {
        id: "shares",
        title: "Weighted shares, stacked",
        names: ["reward", "rewards/format/mean", "rewards/accuracy/mean", "rewards/consistency/mean"],
        beside: ["reward"],
        beside_note: "Of the other runs: the reward as logged.",
        kind: "stacked",
        draw(series) {
          const shares = getShares(series);
          if (!shares) return { series: [] };
          const { parts, logged, mismatches } = shares;
          return {
            series: parts,
            over: [logged],
            ...(mismatches > 0
              ? {
                  note: `At ${mismatches} ${mismatches === 1 ? "step" : "steps"} the logged reward is not the weighted sum.`,
                }
              : {}),
          };
        },
        y_at_least: RATE,
        formatY: formatRate,
        empty: "The shares of the total come with the first rewards.",
      },
      {
        id: "weights",
        title: "Weights in force",
        names: [],
        draw: (series) => ({ series: getWeights(series) }),
        y_at_least: RATE,
        formatY: formatRate,
        empty: "The weights come with the first stage.",
      },
      {
        id: "reward",
        title: "Total reward",
        names: ["reward", "reward_std"],
        beside: ["reward"],
        draw: (series) =>
          one(
            getSpreadOf(series, "reward", "reward_std", {
              label: "mean ± sd within groups",
              color: "total",
              nan: "mark",
            }),
          ),
        y_at_least: RATE,
        formatY: formatRate,
        is_smoothed: true,
      },
      {
        id: "consistency",
        title: "P(consistent | correct)",
        names: ["consistency/correct", "consistency/judged", "consistency/agree", "consistency/failed"],
        beside: ["tally/consistent"],
        draw(series) {
          const dead = deadJudge(series);
          const failed = getJudgeFailures(series);
          return {
            series: failed.values.some((share) => share > 0)
              ? [getConsistency(series), failed]
              : [getConsistency(series)],
            ...(dead && {
              note: `The judge has failed at all ${dead.asked} it was asked since step ${dead.since_step}: what is missing here says nothing of consistency.`,
            }),
          };
        },
        y_at_least: RATE,
        formatY: formatRate,
        is_smoothed: true,
        empty: "Nothing was judged yet.",
      },
      {
        id: "signal",
        title: "Groups without a signal",
        names: ["frac_reward_zero_std"],
        beside: ["tally/tied"],
        beside_note: "Of the other runs: all groups without a signal.",
        kind: "stacked",
        draw: (series) => ({ series: getTied(series) }),
        y_at_least: RATE,
        formatY: formatRate,
        empty: "No groups yet.",
      },
    ],
  },
  {
    title: "Answers",
    charts: [
      {
        id: "tasks",
        title: "Accuracy per task",
        names: [],
        draw: (series) => ({ series: getTasks(series) }),
        y_at_least: RATE,
        formatY: formatRate,
        is_smoothed: true,
        empty: "No answers yet.",
      },
      {
        id: "held-out",
        title: "Accuracy on held-out questions",
        names: [],
        draw: (series) => one(getHeldOut(series)),
        y_at_least: RATE,
        formatY: formatRate,
        empty: "No evaluation yet.",
      },
      {
        id: "letters",
        title: "Letters answered, against the gold's",
        names: [],
        draw: (series) => ({ series: getLetters(series) }),
        formatY: formatRate,
        is_smoothed: true,
        empty: "No answers yet.",
      },
      {
        id: "rules",
        title: "How the letter was read",
        names: [],
        kind: "stacked",
        draw: (series) => ({ series: getRules(series) }),
        y_at_least: RATE,
        formatY: formatRate,
        empty: "No answers yet.",
      },
      {
        id: "length",
        title: "Completion length, tokens",
        names: ["completions/mean_length", "completions/min_length", "completions/max_length"],
        beside: ["completions/mean_length"],
        draw: (series) =>
          one(
            getBanded(
              series,
              {
                value: "completions/mean_length",
                low: "completions/min_length",
                high: "completions/max_length",
              },
              { label: "mean, shortest to longest", color: "accent" },
            ),
          ),
        is_smoothed: true,
      },
      chart(
        "clipped",
        "Completions cut",
        "completions/clipped_ratio",
        { label: "cut at the longest length", color: "wrong" },
        { y_at_least: RATE, formatY: formatRate },
      ),
      {
        id: "judge",
        title: "Judge calls",
        names: ["judge/calls", "judge/cached", "judge/failed"],
        draw: lines([
          ["judge/calls", { label: "asked", color: "consistency" }],
          ["judge/cached", { label: "from cache", color: "unknown", dash: "dashed" }],
          ["judge/failed", { label: "failed", color: "wrong", dash: "dotted" }],
        ]),
      },
    ],
  },
  {
    title: "Learning and pace",
    charts: [
      chart(
        "kl",
        "KL to the reference",
        "kl",
        { label: "kl", color: "accent", nan: "mark" },
        {
          can_log: true,
          empty: "Nothing logged yet. Where β is 0 nothing will be: there is no reference model.",
        },
      ),
      chart("entropy", "Entropy", "entropy", { label: "entropy", color: "accent", nan: "mark" }),
      chart(
        "grad_norm",
        "Gradient norm",
        "grad_norm",
        { label: "grad_norm", color: "accent", nan: "mark" },
        { can_log: true },
      ),
      chart("loss", "Loss", "loss", { label: "loss", color: "accent", nan: "mark" }),
      chart(
        "learning_rate",
        "Learning rate",
        "learning_rate",
        { label: "learning_rate", color: "accent" },
        { is_smoothed: false, can_log: true },
      ),
      {
        id: "step_time",
        title: "Seconds per step",
        names: ["step_time", "generation/generate_secs", "generation/score_secs"],
        beside: ["step_time"],
        draw: lines([
          ["step_time", { label: "whole step", color: "accent" }],
          ["generation/generate_secs", { label: "generate", color: "format", dash: "dashed" }],
          ["generation/score_secs", { label: "score", color: "consistency", dash: "dotted" }],
        ]),
        is_smoothed: true,
      },
    ],
  },
];

const SHOWN = new Set(SECTIONS.flatMap(({ charts }) => charts.flatMap(({ names }) => names)));
/** Counts that other charts are computed from. */
const COUNTS = /^(clock\/.*|task\/.*\/(n|correct)|generation\/tokens|judge\/secs)$/;

/** Those in which a person's own rewards have a line as well. */
const WITH_OWN = ["parts", "shares"];

/** The charts of a run in their order. @param names  Of all that it has logged. */
export function getSections(names: readonly string[]): readonly Section[] {
  const own = listOwnMeans(names).map(partMean);
  if (own.length === 0) return SECTIONS;
  const extend = (chart: Chart) =>
    WITH_OWN.includes(chart.id) ? { ...chart, names: [...chart.names, ...own] } : chart;
  return SECTIONS.map(({ title, charts }) => ({ title, charts: charts.map(extend) }));
}

/** One chart for each metric that no other chart shows. */
export function getOtherCharts(names: readonly string[]): Chart[] {
  const own = new Set(listOwnMeans(names).map(partMean));
  return names
    .filter((name) => !SHOWN.has(name) && !own.has(name) && !COUNTS.test(name))
    .sort()
    .map((name) =>
      chart(`other-${name}`, name, name, {
        label: name.split("/").at(-1) ?? name,
        color: "accent",
        nan: "mark",
      }),
    );
}
