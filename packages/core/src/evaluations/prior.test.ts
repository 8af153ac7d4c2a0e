import { expect, it } from "vitest";
import { guessByPrior } from "./prior.ts";

type Asked = Parameters<typeof guessByPrior>[0][number];

const question = (at: number, change: Partial<Asked> = {}): Asked => ({
  dataset: "d",
  question_id: `${at}`,
  scene: `scene ${at}`,
  task: "action",
  options: ["a", "b", "c"],
  gold: "B",
  kind: "choice",
  split: null,
  ...change,
});
const many = (count: number, change: (at: number) => Partial<Asked>) =>
  Array.from({ length: count }, (_, at) => question(at, change(at)));

it("guesses the most frequent letter of the same task and number of options", () => {
  const set = many(40, (at) => ({
    task: at % 2 === 0 ? "action" : "progress",
    gold: at % 2 === 0 ? (at % 8 === 0 ? "A" : "C") : "B",
  }));
  expect(new Set(guessByPrior(set).filter((_, at) => at % 2 === 0))).toEqual(new Set(["C"]));
  expect(new Set(guessByPrior(set).filter((_, at) => at % 2 === 1))).toEqual(new Set(["B"]));
});

it("never learns from a question's own scene", () => {
  const alone = [
    ...many(10, () => ({ scene: "one" })),
    ...many(3, (at) => ({ question_id: `o${at}`, gold: "C" })),
  ];
  expect(guessByPrior(alone).slice(0, 10)).toEqual(Array.from({ length: 10 }, () => "C"));
  expect(guessByPrior(many(4, () => ({ scene: "one" })))).toEqual([null, null, null, null]);
});

it("learns from the training side of a split alone", () => {
  const set = many(6, (at) => ({ split: at < 2 ? "train" : "test", gold: at < 2 ? "A" : "C" }));
  expect(new Set(guessByPrior(set))).toEqual(new Set(["A"]));
});

it("guesses no number and learns nothing from a question without gold", () => {
  const set = [...many(6, () => ({ gold: null })), question(7, { kind: "number", options: [], gold: "4" })];
  expect(guessByPrior(set)).toEqual(Array.from({ length: 7 }, () => null));
});
