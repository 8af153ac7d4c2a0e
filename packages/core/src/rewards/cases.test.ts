import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type RuleSet, scoreCompletion } from "./index.ts";

type Case = {
  id: string;
  case: string | null;
  rule_set: RuleSet;
  kind: "choice" | "number";
  prompt: string | null;
  completion: string;
  gold: string | null;
  options: { count: number; texts: string[] };
  expect: {
    format: number;
    accuracy: number | null;
    letter: string | null;
    rule?: string;
    think?: string;
    answer?: string;
    reason?: string;
    problems?: string[];
  };
};

const file = new URL("../../../../fixtures/rewards/cases.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: Case[] };

describe("reward rules, the table shared with Python", () => {
  it.each(cases.map((one) => [one.case ? `${one.case}: ${one.id}` : one.id, one] as const))(
    "%s",
    (_, one) => {
      const score = scoreCompletion(
        one.completion,
        { answer: one.gold, options: one.options, kind: one.kind },
        one.rule_set,
        one.prompt,
      );
      const wanted = one.expect;
      expect(score.format.raw).toBe(wanted.format);
      if (wanted.accuracy === null) expect(score.accuracy.raw).toBeNull();
      else expect(score.accuracy.raw).toBeCloseTo(wanted.accuracy, 12);
      expect(score.reading.letter).toBe(wanted.letter);
      if (wanted.rule !== undefined) expect(score.reading.rule).toBe(wanted.rule);
      if (wanted.reason !== undefined) expect(score.accuracy.reason).toBe(wanted.reason);
      if (wanted.problems !== undefined) expect(score.reading.problems).toEqual(wanted.problems);
      const { think, answer } = score.reading;
      if (wanted.think !== undefined) expect(think && one.completion.slice(...think)).toBe(wanted.think);
      if (wanted.answer !== undefined) expect(answer && one.completion.slice(...answer)).toBe(wanted.answer);
    },
  );
});
