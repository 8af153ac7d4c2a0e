import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { cutTrace, RawText, TraceText } from "./index.tsx";

const hostile = "<think>a < b & <img src=x onerror=alert(1)></think><answer>B</answer>";

describe("trace text", () => {
  it("B21: shows every character as text, runs nothing, and still knows the tags", () => {
    const think: [number, number] = [7, hostile.indexOf("</think>")];
    const at = hostile.indexOf("B</answer>");
    const pieces = cutTrace(hostile, { think, answer: [at, at + 1], letter: [at, at + 1] });
    expect(pieces.map((piece) => piece.text).join("")).toBe(hostile);
    expect(pieces.map((piece) => piece.kind)).toEqual(["tag", "think", "tag", "tag", "letter", "tag"]);
    const html = renderToStaticMarkup(
      createElement(TraceText, { text: hostile, think, answer: [at, at + 1] }),
    );
    expect(html).not.toContain("<img");
    expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;");
    expect(html).toContain("&lt;think&gt;");
  });

  it("cuts cited frames out, inside the reasoning too", () => {
    const text = "<think>In Frame 7 I turned.</think>";
    const at = text.indexOf("7");
    const pieces = cutTrace(text, { think: [7, 27], answer: null, letter: null }, [[at, at + 1]]);
    expect(pieces.map(({ kind, text: piece }) => `${kind}:${piece}`)).toEqual([
      "tag:<think>",
      "think:In Frame ",
      "citation:7",
      "think: I turned.",
      "tag:</think>",
    ]);
  });

  it("holds any text whole, whatever its spans say", () => {
    const texts = [
      "",
      "x",
      "no tags at all",
      "<think>open",
      "</think></think><answer>",
      "😀<answer>A</answer>",
    ];
    for (const text of texts)
      for (const span of [null, [0, 1], [3, 900], [-4, 2]] as const)
        expect(
          cutTrace(text, { think: span, answer: span, letter: null })
            .map((piece) => piece.text)
            .join(""),
        ).toBe(text);
  });

  it("B21: the raw view names what cannot be seen, and markup stays text (sanitised)", () => {
    const html = renderToStaticMarkup(
      createElement(RawText, { text: "a\u200B\u202E<script>alert(1)</script>\n<b>x</b>" }),
    );
    expect(html).not.toMatch(/<script|<b>/);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).toContain("zero-width space");
    expect(html).toContain("right-to-left override");
    expect(html).not.toMatch(/[\u200B\u202E]/);
    expect(html).toContain("⏎");
  });

  it("marks what differs and leaves a letter or a citation in there what it is", () => {
    const text = "<think>1 left</think><answer>B</answer>";
    const answer: [number, number] = [29, 30];
    const pieces = cutTrace(
      text,
      { think: [7, 13], answer, letter: answer },
      [[7, 8]],
      [],
      [
        [7, 13],
        [29, 30],
      ],
    );
    expect(pieces.map(({ kind, text: piece }) => `${kind}:${piece}`)).toEqual([
      "tag:<think>",
      "citation:1",
      "differs: left",
      "tag:</think>",
      "tag:<answer>",
      "letter:B",
      "tag:</answer>",
    ]);
  });
});
