import { expect, test } from "vitest";
import { diffCards, type EvaluationRow, tallyPairs } from "./index.ts";

test("cards that say the same do not differ, in whatever order", () => {
  expect(diffCards({ a: 1, b: "x" }, { b: "x", a: 1 })).toEqual([]);
  expect(diffCards({ frames: "" }, {})).toEqual([]);
});

test("each entry that differs is named with both values", () => {
  expect(diffCards({ temperature: 1, frames: "8" }, { temperature: 0, rule_set: "sightline" })).toEqual([
    { name: "frames", one: "8", other: "not said" },
    { name: "rule_set", one: "not said", other: "sightline" },
    { name: "temperature", one: "1", other: "0" },
  ]);
});

const row = (question_id: string, accuracy: number | null, change: Partial<EvaluationRow> = {}) =>
  ({ question_id, accuracy, gold: "A", state: "answered", ...change }) as EvaluationRow;

test("only questions that both asked are held against each other", () => {
  const one = [row("a", 1), row("b", 0), row("c", 1), row("d", 1, { state: "left_out" })];
  const other = [row("a", 0), row("b", 0), row("e", 1), row("d", 1)];
  expect(tallyPairs(one, other)).toEqual({ n: 2, one: 0.5, other: 0, only_one: 1, only_other: 0 });
  expect(tallyPairs(one, [])).toMatchObject({ n: 0, one: null });
  const failed = [row("a", null, { state: "failed" })];
  expect(tallyPairs(failed, one)).toMatchObject({ n: 1, one: 0, other: 1, only_other: 1 });
});
