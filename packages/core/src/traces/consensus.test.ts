import { describe, expect, it } from "vitest";
import { findDifferences } from "./index.ts";

const mark = (texts: string[], against: number | null = null) =>
  findDifferences(texts, against)?.map((spans, index) => spans.map((span) => texts[index]?.slice(...span)));

describe("what differs in a group", () => {
  it("marks what fewer than half of the others say, and nothing where all agree", () => {
    expect(mark(["1 left west", "1 left west", "1 left north", "1 left west"])).toEqual([
      [],
      [],
      ["north"],
      [],
    ]);
    expect(mark(["same", "same"])).toEqual([[], []]);
    expect(mark(["alone"])).toEqual([[]]);
    expect(mark([])).toEqual([]);
  });

  it("holds all against one, when asked", () => {
    const texts = ["1 left west", "1 left west", "1 left north", "1 left west"];
    expect(mark(texts, 2)).toEqual(
      [["west"], ["west"], ["north"], ["west"]].map((words, at) => (at === 2 ? ["north"] : words)),
    );
  });

  it("gives offsets of the text as it stands, tags, emoji and line ends included", () => {
    const texts = ["<think>😀 a\nb</think>", "<think>😀 a\nc</think>", "<think>😀 a\nb</think>"];
    expect(mark(texts)).toEqual([[], ["c"], []]);
  });

  it("says that texts are too long rather than holding the page up", () => {
    const long = "word ".repeat(10_000);
    expect(findDifferences([long, `${long}x`])).toBeNull();
  });
});
