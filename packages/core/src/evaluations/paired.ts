import type { EvaluationRow } from "./types.ts";

/** Two evaluations on the questions that both asked. */
export type PairedTally = {
  n: number;
  /** Accuracy in [0, 1] over those; null when n is 0. */
  one: number | null;
  other: number | null;
  /** Questions that only the one, or only the other, has right. */
  only_one: number;
  only_other: number;
};

const isAsked = ({ state, gold }: EvaluationRow) =>
  gold !== null && (state === "answered" || state === "failed");

/** Holds the answers of two evaluations against each other, question by question. */
export function tallyPairs(one: readonly EvaluationRow[], other: readonly EvaluationRow[]): PairedTally {
  const theirs = new Map(other.filter(isAsked).map((row) => [row.question_id, row.accuracy ?? 0]));
  const pairs = one.filter(isAsked).flatMap(({ question_id, accuracy }) => {
    const value = theirs.get(question_id);
    return value === undefined ? [] : [{ one: accuracy ?? 0, other: value }];
  });
  const mean = (values: number[]) =>
    values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    n: pairs.length,
    one: mean(pairs.map((pair) => pair.one)),
    other: mean(pairs.map((pair) => pair.other)),
    only_one: pairs.filter((pair) => pair.one === 1 && pair.other !== 1).length,
    only_other: pairs.filter((pair) => pair.other === 1 && pair.one !== 1).length,
  };
}
