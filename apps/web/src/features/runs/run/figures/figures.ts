import { PAPER_CONSISTENT, PAPER_CURVES } from "@sightline/core/figures";
import { lastStepInForce, makeXMap, type RunSeries } from "@sightline/core/runs";
import { getWilsonInterval } from "@sightline/core/stats";
import type { LineOf } from "@sightline/core/wire";
import type { CurveProps, CurveSeries, Extent } from "@sightline/ui/curve";
import { getConsistency, getMetric, getPart } from "../curves.ts";
import { describeX, moveSeries } from "../x-axis.ts";
import { drawLevel, drawPaper } from "./reference.ts";

/** One of the paper's figures, drawn from a run. */
export type Figure = {
  letter: string;
  title: string;
  series: CurveSeries[];
  /** What the run lacks; null where it has its own line. */
  lacks: string | null;
  /** What the paper shows, and what to be careful of. */
  paper: string;
  caveats: readonly string[];
  y_at_least?: Extent;
  x_label?: string;
  formatX?: CurveProps["formatX"];
  is_over_steps: boolean;
};

const RATE = [0, 1] as const;
const number = (value: unknown) => (typeof value === "number" ? value : Number.NaN);

/** The evaluations that count, one a step. */
function listEvaluations(series: RunSeries): LineOf<"evaluation">[] {
  const byStep = new Map<number, LineOf<"evaluation">>();
  for (const mark of series.marks)
    if (
      mark.kind === "evaluation" &&
      mark.evaluation.step <= lastStepInForce(series, mark.evaluation.attempt)
    )
      byStep.set(mark.evaluation.step, mark.evaluation);
  return [...byStep.values()].sort((a, b) => a.step - b.step);
}

function drawHeldOut(evaluations: readonly LineOf<"evaluation">[]): CurveSeries {
  const read = (field: string) => Float64Array.from(evaluations, ({ overall }) => number(overall[field]));
  return {
    id: "held-out",
    label: "held-out questions",
    color: "total",
    dash: "dotted",
    x: Float64Array.from(evaluations, ({ step }) => step),
    values: read("accuracy"),
    low: read("low"),
    high: read("high"),
    n: read("n"),
  };
}

function drawConsistent(evaluations: readonly LineOf<"evaluation">[]): CurveSeries | null {
  const judged = evaluations.filter(({ overall }) => number(overall["consistency/judged"]) > 0);
  if (judged.length === 0) return null;
  const n = judged.map(({ overall }) => number(overall["consistency/judged"]));
  const agree = judged.map(({ overall }) => number(overall["consistency/agree"]));
  const ends = n.map((all, k) => getWilsonInterval(agree[k] ?? 0, all));
  return {
    id: "consistent",
    label: "this run, held out",
    color: "consistency",
    x: Float64Array.from(judged, ({ step }) => step),
    values: Float64Array.from(n, (all, k) => (agree[k] ?? 0) / all),
    low: Float64Array.from(ends, (end) => end?.[0] ?? Number.NaN),
    high: Float64Array.from(ends, (end) => end?.[1] ?? Number.NaN),
    n: Float64Array.from(n),
  };
}

const hasValues = (line: CurveSeries | null): line is CurveSeries =>
  line?.values.some(Number.isFinite) ?? false;

/**
 * The six training figures of the paper from one run.
 *
 * @param borders  Steps at which the run's stages begin, and its last step.
 * @param second  Another run, for figure e; null without one.
 */
export function drawFigures(
  series: RunSeries,
  borders: readonly number[],
  second: { name: string; series: RunSeries } | null,
): Figure[] {
  const last = borders.at(-1) ?? 1;
  const evaluations = listEvaluations(series);
  const accuracy = getPart(series, "accuracy", { label: "this run, training", color: "accuracy" });
  const format = getPart(series, "format", { label: "this run, training", color: "format" });
  const ratio = getConsistency(series);
  const length = getMetric(series, "completions/mean_length", { label: "this run, mean", color: "accent" });
  const map = makeXMap(series, "time");
  const consistent = drawConsistent(evaluations);
  const words = describeX("time");
  const overTime = (run: RunSeries, look: Parameters<typeof getPart>[2], id: string): CurveSeries[] => {
    const [line, time] = [getPart(run, "accuracy", look), makeXMap(run, "time")];
    return line && time ? [{ ...moveSeries(line, time), id }] : [];
  };
  const own = (line: CurveSeries | null) => (hasValues(line) ? [line] : []);
  const rewards = "This run has logged no rewards yet.";
  return [
    {
      letter: "a",
      title: "Accuracy reward",
      series: [
        ...own(accuracy),
        ...(evaluations.length > 0 ? [drawHeldOut(evaluations)] : []),
        drawPaper(PAPER_CURVES.accuracy, borders, ""),
      ],
      lacks: hasValues(accuracy) ? null : rewards,
      paper:
        "Paper: 0.27 at first, 0.55 to 0.59 in stage 2, a dip to 0.48 to 0.50 after the consistency reward comes in, 0.65 to 0.72 at the end.",
      caveats: [
        "The project page calls it the validation reward; it ends about 15 points above the test accuracy of 51.1 %.",
        "Other questions, another model: the shape can be compared, the height can't.",
      ],
      y_at_least: RATE,
      is_over_steps: true,
    },
    {
      letter: "b",
      title: "Format reward",
      series: [...own(format), drawPaper(PAPER_CURVES.format, borders, "")],
      lacks: hasValues(format) ? null : rewards,
      paper: "Paper: 0.53 at first, about 1.0 within a few hundred steps, then flat.",
      caveats: ["A warm start teaches the format before step 1, so a run that has one begins higher."],
      y_at_least: RATE,
      is_over_steps: true,
    },
    {
      letter: "c",
      title: "Consistency reward ÷ accuracy reward",
      series: [...own(ratio), drawPaper(PAPER_CURVES.consistency, borders, "")],
      lacks: hasValues(ratio) ? null : "No judge answered for any right answer of this run.",
      paper:
        "Paper: 0 until the consistency reward comes in with stage 3, about 0.5 there, 0.95 by 6,000 steps, 0.99 at the end.",
      caveats: [
        "The paper's 0 means that the judge was not asked. Here the judge sees a sample before stage 3, drawn hollow.",
        "Reasoning that states the letter lets the judge copy it: a high ratio says that the answer is the one stated.",
      ],
      y_at_least: RATE,
      is_over_steps: true,
    },
    {
      letter: "d",
      title: "Completion length, tokens",
      series: [...own(length), drawPaper(PAPER_CURVES.length, borders, " tokens")],
      lacks: hasValues(length) ? null : "This run has logged no lengths yet.",
      paper:
        "Paper: about 205 falling to 190, 145 in stage 2, 130 when stage 3 begins, about 105 from 6,000 steps on.",
      caveats: [
        "The two drops fall on the two changes of weights.",
        "Where in stage 2 the 145 lies was not read; it is drawn in the middle. Tokens of another tokenizer are not as long.",
      ],
      is_over_steps: true,
    },
    {
      letter: "e",
      title: "Accuracy over time of training",
      series: [
        ...overTime(series, { label: "this run", color: "series-0" }, "own"),
        ...(second
          ? overTime(second.series, { label: second.name, color: "series-1", dash: "dashed" }, "second")
          : []),
      ],
      lacks: map === null || !hasValues(accuracy) ? rewards : null,
      paper:
        "Paper: the language model and the vision model trained by RL, over 90 hours. No values were read from these curves, so none are drawn.",
      caveats: [
        "At the end the text gives 51.1 % on the test set for the language model and 43.8 % for RL on the vision model itself.",
        "The paper says 90 hours in one place and 90 GPU hours in another; the steps fit 90 hours on the clock.",
      ],
      y_at_least: RATE,
      x_label: words.label,
      formatX: words.format,
      is_over_steps: false,
    },
    {
      letter: "f",
      title: "Logically consistent outputs",
      series: [
        ...(consistent ? [consistent] : []),
        drawLevel(
          "paper-with",
          "paper, with the consistency reward: 99.43 %",
          PAPER_CONSISTENT.with,
          last,
          "dashed",
        ),
        drawLevel("paper-without", "paper, without: 46.01 %", PAPER_CONSISTENT.without, last, "dotted"),
      ],
      lacks: consistent
        ? null
        : evaluations.length === 0
          ? "This run has no evaluation on held-out questions."
          : "The judge was not asked in this run's evaluations.",
      paper:
        "Paper: 46.01 % of test outputs without the consistency reward, 99.43 % with it, in two trainings.",
      caveats: [
        "There GPT-4o judged; here the run's own judge, and right answers alone.",
        "This is one run over its steps, before and after the consistency reward comes in, and not two trainings.",
        "The paper's pair of example outputs can't be redrawn here: open a group to see outputs of this run.",
      ],
      y_at_least: RATE,
      is_over_steps: true,
    },
  ];
}
