import { describe, expect, it } from "vitest";
import { cutBlocks } from "./blocks.ts";
import { cutTrace } from "./pieces.ts";

describe("cutBlocks", () => {
  it("loses and doubles nothing, whatever the text, and keeps the size", () => {
    const texts = [
      "a line\n".repeat(5000),
      "word ".repeat(9000),
      "x".repeat(40_000),
      "🙂".repeat(20_000),
      `<think>${"left then right. ".repeat(4000)}</think>\n<answer>B</answer>`,
    ];
    for (const text of texts)
      for (const size of [100, 1001, 8000]) {
        const think: [number, number] = [7, text.length - 30];
        const blocks = cutBlocks(cutTrace(text, { think, answer: null, letter: null }), size);
        expect(blocks.flatMap((block) => block.map((piece) => piece.text)).join("")).toBe(text);
        let at = 0;
        for (const block of blocks)
          for (const piece of block) {
            expect(piece.from).toBe(at);
            at += piece.text.length;
          }
        for (const block of blocks)
          expect(block.reduce((sum, { text: part }) => sum + part.length, 0)).toBeLessThanOrEqual(size);
      }
  });

  it("cuts behind line ends and never within a character", () => {
    const lines = cutBlocks([{ kind: "think", text: "abcdef\n".repeat(30), from: 0 }], 50);
    for (const block of lines) expect(block.at(-1)?.text.endsWith("\n")).toBe(true);
    for (const block of cutBlocks([{ kind: "think", text: "🙂".repeat(99), from: 0 }], 25))
      expect(() => encodeURIComponent(block.map(({ text }) => text).join(""))).not.toThrow();
  });
});
