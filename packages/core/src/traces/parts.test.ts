import { expect, test } from "vitest";
import { syntheticTrace } from "../testing/index.ts";
import { addGrowth, cutFirstPart, markTrace, tellGrowth } from "./parts.ts";
import type { Trace, TracePart } from "./types.ts";

const make = (text: string, state: Trace["state"] = "done") =>
  ({ trace_id: "t", text, state, problem: null, judgement: null }) as Trace;

function follow(trace: Trace, from: TracePart, mark = markTrace(from, from.text.length)) {
  let [here, count, told] = [from, 0, mark];
  for (const [next, growth] of tellGrowth(trace, mark)) {
    here = addGrowth(here, growth);
    told = next;
    count += 1;
  }
  return { here, count, told };
}

test("a short trace is all there at once, and nothing is told of it again", () => {
  const trace = make("<think>a</think><answer>B</answer>");
  const first = cutFirstPart(trace);
  expect(first).toEqual({ ...trace, chars: trace.text.length });
  expect(follow(trace, first).count).toBe(0);
});

test("a long trace comes in parts that give the text again, also where a part ends within a character", () => {
  const trace = make(`a${"😀".repeat(5_000_000)}${syntheticTrace(10_000_000)}`);
  const first = cutFirstPart(trace);
  expect(first.text.length).toBeLessThan(trace.text.length);
  const { here, count, told } = follow(trace, first);
  expect(here.text === trace.text).toBe(true);
  expect(count).toBe(3);
  expect(follow(trace, here, told).count).toBe(0);
});

test("what grows is told from where it was; an end and a judgement are told without text", () => {
  const first = cutFirstPart(make("<think>a", "streaming"));
  const grown = make("<think>a b", "streaming");
  const { here, told } = follow(grown, first);
  expect([here.text, here.chars]).toEqual(["<think>a b", 10]);
  const [[, end] = []] = [...tellGrowth(make("<think>a b"), told)];
  expect(end).toMatchObject({ text: "", from: 10, state: "done" });
});

test("a mark that is none is told from the start", () => {
  const trace = make("abc");
  for (const mark of ["", "NaN", "99 done undefined", "-4"])
    expect(follow(trace, { ...trace, text: "", chars: 0 }, mark).here.chars).toBe(3);
  expect(follow(trace, { ...trace, text: "", chars: 0 }, "").here.text).toBe("abc");
});
