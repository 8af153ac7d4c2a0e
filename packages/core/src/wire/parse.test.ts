import { describe, expect, it } from "vitest";
import { completionLine, metricsLine } from "../testing/index.ts";
import {
  parseLine,
  readAcceptedLine,
  readJson,
  readNumber,
  readStep,
  toNumber,
  toWireNumber,
} from "./index.ts";

const line = metricsLine({}, 3, { loss: 0.5 });

describe("parseLine", () => {
  it("says which field is wrong and never throws", () => {
    expect(parseLine("{")).toMatchObject({ kind: "bad" });
    expect(parseLine("null")).toMatchObject({ kind: "bad" });
    expect(parseLine("[]")).toMatchObject({ kind: "bad" });
    expect(parseLine(JSON.stringify({ ...line, seq: 0 }))).toMatchObject({ kind: "bad", reason: /^seq: / });
    expect(parseLine(JSON.stringify({ ...line, split: "test" }))).toMatchObject({
      kind: "bad",
      reason: /^split: /,
    });
    // A reward is a number whatever was not scored: the trainer counts a part that is null for nothing.
    expect(parseLine(JSON.stringify({ ...completionLine({}), reward: null }))).toMatchObject({
      kind: "bad",
      reason: 'reward: must be a number, or "NaN", "Infinity" or "-Infinity" as text',
    });
  });

  it("keeps a line of a type that it does not know, with all its fields", () => {
    const parsed = parseLine(JSON.stringify({ ...line, type: "novelty", extra: { a: 1 } }));
    expect(parsed).toMatchObject({ kind: "unknown", line: { type: "novelty", extra: { a: 1 } } });
  });

  it("reads the three strings for non-finite numbers", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.25])
      expect(toNumber(toWireNumber(value))).toBe(value);
  });
});

describe("numbers as loggers write them", () => {
  it("B23: a bare NaN token makes no line unreadable, and its value is a gap", () => {
    const text = JSON.stringify(line).replace('"loss":0.5', '"rewards/consistency/mean": NaN, "reward": 0.4');
    const parsed = parseLine(text);
    expect(parsed).toMatchObject({
      kind: "known",
      notes: ["loose_json"],
      line: { values: { "rewards/consistency/mean": "NaN", reward: 0.4 } },
    });
  });

  it("B33: text numbers are read as numbers and a text nan as a gap", () => {
    const values = { loss: "nan", reward: "0.7", kl: "1e-3" };
    const parsed = parseLine(JSON.stringify({ ...line, step: "3", values }));
    expect(parsed).toMatchObject({
      kind: "known",
      notes: ["text_numbers"],
      line: { step: 3, values: { loss: "NaN", reward: 0.7, kl: 0.001 } },
    });
    expect(readAcceptedLine(JSON.stringify({ ...line, step: "3", values }))).toMatchObject({ step: 3 });
    expect(readNumber("1d 0h 50m")).toBeNull();
    expect(readNumber("")).toBeNull();
  });

  it("B34: infinities are kept and travel as legal JSON", () => {
    const text = JSON.stringify(line).replace(
      '"loss":0.5',
      '"kl": Infinity, "grad_norm": -Infinity, "reward":0.3',
    );
    const parsed = parseLine(text);
    expect(parsed).toMatchObject({
      kind: "known",
      line: { values: { kl: "Infinity", grad_norm: "-Infinity" } },
    });
    const exported = JSON.stringify(readAcceptedLine(text));
    expect(JSON.parse(exported).values).toEqual({ kl: "Infinity", grad_norm: "-Infinity", reward: 0.3 });
  });

  it("leaves the same words inside strings alone", () => {
    expect(readJson('{"a": NaN, "b": "NaN, \\"Infinity\\" and -Infinity"}').value).toEqual({
      a: "NaN",
      b: 'NaN, "Infinity" and -Infinity',
    });
    expect(() => readJson("{nope}")).toThrow(SyntaxError);
  });

  it("B38: a step of all steps gives the step", () => {
    expect(readStep("10/120")).toEqual({ step: 10, max_steps: 120 });
    expect(readStep("20/120")).toEqual({ step: 20, max_steps: 120 });
    expect(readStep("7")).toEqual({ step: 7, max_steps: null });
    expect(readStep("x")).toBeNull();
  });

  it("B40: truth values and text numbers are read, absent ones stay absent", () => {
    expect(readNumber("True")).toBe(1);
    expect(readNumber(false)).toBe(0);
    expect(readNumber("1.0")).toBe(1);
    expect(readNumber(undefined)).toBeNull();
    expect(readNumber(null)).toBeNull();
  });
});
