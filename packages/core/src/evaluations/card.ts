import type { EvaluationCard } from "./types.ts";

/** One entry in which two cards differ; `absent` where one does not say it. */
export type CardDifference = { name: string; one: string; other: string };

const ABSENT = "not said";

const say = (value: EvaluationCard[string] | undefined) =>
  value === undefined || value === null || value === "" ? ABSENT : String(value);

/** In what two evaluations were asked differently, by name; none where they can be compared. */
export function diffCards(one: EvaluationCard, other: EvaluationCard): CardDifference[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .sort()
    .map((name) => ({ name, one: say(one[name]), other: say(other[name]) }))
    .filter((entry) => entry.one !== entry.other);
}
