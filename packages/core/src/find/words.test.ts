import { describe, expect, it } from "vitest";
import { cutSnippet, findHits, parseWords } from "./words.ts";

describe("parseWords", () => {
  it("tells words, phrases, beginnings and exclusions apart", () => {
    expect(parseWords(`left "Frame 7, I turned" -kiosk bench*`)).toEqual([
      { words: ["left"], is_prefix: false, is_excluded: false },
      { words: ["Frame", "7", "I", "turned"], is_prefix: false, is_excluded: false },
      { words: ["kiosk"], is_prefix: false, is_excluded: true },
      { words: ["bench"], is_prefix: true, is_excluded: false },
    ]);
  });

  it("takes anything that a person may type", () => {
    for (const query of ["", "   ", '"', '""', "-", "*", "-*", "<think>", 'a"b', "(((", "NEAR(", "*-\"'"])
      expect(() => findHits("a b", parseWords(query))).not.toThrow();
    expect(parseWords("<think>")).toEqual([{ words: ["think"], is_prefix: false, is_excluded: false }]);
  });
});

describe("findHits", () => {
  it("finds whole words in any case, and phrases over what stands between", () => {
    const text = "Left of the kiosk, left-over: leftmost. In Frame 7 — I turned.";
    const show = (query: string) =>
      findHits(text, parseWords(query)).map(([from, to]) => text.slice(from, to));
    expect(show("left")).toEqual(["Left", "left"]);
    expect(show("left*")).toEqual(["Left", "left", "leftmost"]);
    expect(show('"frame 7 i turned"')).toEqual(["Frame 7 — I turned"]);
    expect(show("-left")).toEqual([]);
  });
});

describe("cutSnippet", () => {
  it("shows the first hit and never half a character", () => {
    const text = `${"🙂".repeat(200)} kiosk ${"🙂".repeat(200)}`;
    const { text: piece, hits, cut_before, cut_after } = cutSnippet(text, parseWords("kiosk"), 61);
    expect(hits.map(([from, to]) => piece.slice(from, to))).toEqual(["kiosk"]);
    expect([cut_before, cut_after]).toEqual([true, true]);
    expect(encodeURIComponent(piece)).not.toBe("");
  });
});
