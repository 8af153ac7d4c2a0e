import { expect, test } from "vitest";
import { listRewardNames } from "./index.ts";

test("rewards are the functions at the margin whose names don't begin with a line", () => {
  const source = [
    '"""Rewards.',
    "def in_words(completion): it is only told of",
    '"""',
    "import re",
    "def brevity(completion):",
    "    def inner(x): return x",
    "    return 1.0",
    "def _helper(x): return x",
    "class Box:",
    "    def method(self): pass",
    "def  names_places (completion) -> float:",
    "    return 0",
    "# def commented(completion):",
  ].join("\r\n");
  expect(listRewardNames(source)).toEqual(["brevity", "names_places"]);
  expect(listRewardNames("")).toEqual([]);
});
