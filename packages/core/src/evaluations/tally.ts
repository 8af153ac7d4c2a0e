import { getClusteredInterval } from "../stats/clustered.ts";
import type { EvaluationRow, EvaluationTally, Tally } from "./types.ts";

const isCounted = ({ state, gold }: EvaluationRow) =>
  gold !== null && (state === "answered" || state === "failed");

function getMean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function getMedian(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.floor(sorted.length / 2)];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

const isKnown = <T>(value: T | null): value is T => value !== null;

function tallyRows(rows: readonly EvaluationRow[]): Tally {
  const counted = rows.filter(isCounted);
  const values = counted.map(({ accuracy, clip_id, question_id }) => ({
    value: accuracy ?? 0,
    cluster: clip_id ?? question_id,
  }));
  const judged = counted.filter(({ accuracy, agrees }) => accuracy === 1 && agrees !== null);
  return {
    n: counted.length,
    accuracy: getMean(values.map(({ value }) => value)),
    interval: getClusteredInterval(values),
    clips: new Set(values.map(({ cluster }) => cluster)).size,
    prior: counted.some(({ prior }) => prior !== null)
      ? getMean(counted.map(({ prior, gold }) => Number(prior === gold)))
      : null,
    format: getMean(counted.map(({ format }) => format).filter(isKnown)),
    tokens: getMedian(counted.map(({ tokens }) => tokens).filter(isKnown)),
    judged: judged.length,
    consistent: judged.filter(({ agrees }) => agrees).length,
  };
}

function countLetters(rows: readonly EvaluationRow[]): EvaluationTally["letters"] {
  const counted = rows.filter(isCounted);
  return [..."ABCDEFGH"]
    .map((letter) => ({
      letter,
      answered: counted.filter((row) => row.letter === letter).length,
      gold: counted.filter((row) => row.gold === letter).length,
    }))
    .filter(({ answered, gold }) => answered + gold > 0);
}

/**
 * Accuracy per task and over all. A question that was asked stays in the denominator whatever came back; one that could
 * not be asked, or has no gold answer, is in none.
 */
export function tallyEvaluation(rows: readonly EvaluationRow[]): EvaluationTally {
  const names = [...new Set(rows.map(({ task }) => task))].sort();
  const tasks = names.map((task) => ({ task, ...tallyRows(rows.filter((row) => row.task === task)) }));
  return {
    tasks,
    micro: tallyRows(rows),
    macro: getMean(tasks.map(({ accuracy }) => accuracy).filter(isKnown)),
    macro_prior: getMean(tasks.map(({ prior }) => prior).filter(isKnown)),
    letters: countLetters(rows),
  };
}
