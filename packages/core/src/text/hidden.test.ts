import { describe, expect, it } from "vitest";
import { countHidden, showHidden } from "./index.ts";

describe("what cannot be seen", () => {
  it("B21: zero-width characters and turns of the writing are named, and nothing is lost (sanitised)", () => {
    const text = "a\u200Bb\u202EC\u202C <b>d</b>\n\uFEFFe\u0007";
    const pieces = showHidden(text);
    expect(pieces.map((piece) => piece.text).join("")).toBe(text);
    expect(pieces.flatMap(({ name }) => name ?? [])).toEqual([
      "zero-width space",
      "right-to-left override",
      "end of direction",
      "line end",
      "byte order mark",
      "U+0007",
    ]);
    expect(countHidden(text)).toBe(5);
  });

  it("leaves what can be seen alone: letters, marks on letters, pictures, halves told apart", () => {
    expect(showHidden("Frame 7: 第3帧 é 😀")).toEqual([{ text: "Frame 7: 第3帧 é 😀", name: null }]);
    expect(showHidden("x\uD83D")).toEqual([
      { text: "x", name: null },
      { text: "\uD83D", name: "U+D83D" },
    ]);
    expect(showHidden("")).toEqual([]);
  });
});
