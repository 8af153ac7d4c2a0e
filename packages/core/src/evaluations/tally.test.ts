import { expect, it } from "vitest";
import { type EvaluationRow, tallyEvaluation } from "./index.ts";

let made = 0;
const row = (task: string, change: Partial<EvaluationRow>): EvaluationRow => ({
  question_id: `q${made++}`,
  place: 0,
  clip_id: null,
  task,
  text: "",
  gold: "A",
  state: "answered",
  problem: null,
  trace_id: "t",
  letter: "A",
  accuracy: 1,
  format: 1,
  tokens: 10,
  agrees: null,
  prior: "A",
  ...change,
});

it("S06: keeps what could not be read or broke off in the denominator, and what was never asked out of it", () => {
  const { tasks, micro, macro } = tallyEvaluation([
    row("a", { agrees: true }),
    row("a", { agrees: false }),
    row("a", { letter: null, accuracy: 0 }),
    row("a", { state: "failed", accuracy: null }),
    row("a", { state: "waiting", accuracy: null }),
    row("a", { state: "left_out", accuracy: null }),
    row("a", { gold: null, accuracy: null }),
    row("b", { accuracy: 0, agrees: true }),
  ]);
  expect(tasks).toMatchObject([
    { task: "a", n: 4, accuracy: 0.5, judged: 2, consistent: 1 },
    { task: "b", n: 1, accuracy: 0, judged: 0 },
  ]);
  expect(micro).toMatchObject({ n: 5, accuracy: 0.4 });
  expect(macro).toBe(0.25);
  // Wilson 1927, 2 of 4.
  expect(tasks[0]?.interval?.[0]).toBeCloseTo(0.15, 3);
  expect(tasks[0]?.interval?.[1]).toBeCloseTo(0.85, 3);
});

it("widens the interval where answers stand on the same clips", () => {
  const spread = tallyEvaluation([0, 1, 0, 1].map((accuracy) => row("a", { accuracy })));
  const together = tallyEvaluation(
    [0, 1, 0, 1].map((accuracy) => row("a", { accuracy, clip_id: `clip ${accuracy}` })),
  );
  const width = ([low, high]: readonly [number, number]) => high - low;
  expect([spread.micro.clips, together.micro.clips]).toEqual([4, 2]);
  expect(width(together.micro.interval ?? [0, 0])).toBeGreaterThan(width(spread.micro.interval ?? [0, 0]));
});

it("holds the label prior, formats, lengths and letters beside the answers", () => {
  const { micro, macro_prior, letters } = tallyEvaluation([
    row("a", { letter: "B", accuracy: 0, format: 0, tokens: 30 }),
    row("a", { gold: "C", letter: null, accuracy: 0, tokens: null, prior: null }),
    row("b", { gold: "C", letter: "C", tokens: 20 }),
    row("b", { state: "left_out", gold: "D", letter: null, accuracy: null, format: null, tokens: null }),
  ]);
  expect(micro).toMatchObject({ n: 3, prior: 1 / 3, format: 2 / 3, tokens: 25 });
  expect(macro_prior).toBe(0.25);
  expect(letters).toEqual([
    { letter: "A", answered: 0, gold: 1 },
    { letter: "B", answered: 1, gold: 0 },
    { letter: "C", answered: 1, gold: 2 },
  ]);
});

it("says nothing of nothing", () => {
  const nothing = { accuracy: null, interval: null, prior: null, format: null, tokens: null };
  expect(tallyEvaluation([])).toEqual({
    tasks: [],
    micro: { n: 0, clips: 0, ...nothing, judged: 0, consistent: 0 },
    macro: null,
    macro_prior: null,
    letters: [],
  });
});
