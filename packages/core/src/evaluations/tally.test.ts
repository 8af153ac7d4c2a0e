import { expect, it } from "vitest";
import { type EvaluationRow, tallyEvaluation } from "./index.ts";

const row = (task: string, change: Partial<EvaluationRow>): EvaluationRow => ({
  question_id: "q",
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
  agrees: null,
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

it("says nothing of nothing", () => {
  expect(tallyEvaluation([])).toEqual({
    tasks: [],
    micro: { n: 0, accuracy: null, interval: null, judged: 0, consistent: 0 },
    macro: null,
  });
});
