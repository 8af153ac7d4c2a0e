import { getWilsonInterval } from "../stats/wilson.ts";
import type { EvaluationRow, EvaluationTally, Tally } from "./types.ts";

function tallyRows(rows: readonly EvaluationRow[]): Tally {
  const counted = rows.filter(
    ({ state, gold }) => gold !== null && (state === "answered" || state === "failed"),
  );
  const n = counted.length;
  const sum = counted.reduce((total, { accuracy }) => total + (accuracy ?? 0), 0);
  const judged = counted.filter(({ accuracy, agrees }) => accuracy === 1 && agrees !== null);
  return {
    n,
    accuracy: n === 0 ? null : sum / n,
    interval: getWilsonInterval(sum, n),
    judged: judged.length,
    consistent: judged.filter(({ agrees }) => agrees).length,
  };
}

/**
 * Accuracy per task and over all. A question that was asked stays in the denominator whatever came back; one that could
 * not be asked, or has no gold answer, is in none.
 */
export function tallyEvaluation(rows: readonly EvaluationRow[]): EvaluationTally {
  const names = [...new Set(rows.map(({ task }) => task))].sort();
  const tasks = names.map((task) => ({ task, ...tallyRows(rows.filter((row) => row.task === task)) }));
  const known = tasks.flatMap(({ accuracy }) => (accuracy === null ? [] : [accuracy]));
  return {
    tasks,
    micro: tallyRows(rows),
    macro: known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length,
  };
}
