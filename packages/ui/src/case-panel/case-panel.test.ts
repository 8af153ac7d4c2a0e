import { describe, expect, it } from "vitest";
import { type Case, drawCase } from "./draw.ts";
import { measure, wrap } from "./wrap.ts";

const PIXEL = "data:image/jpeg;base64,/9j/4AAQ";

const chain = "<think>In Frame 1 I turned left & went on.</think><answer>D</answer>";
const one: Case = {
  title: "walk <1>.mp4",
  about: "tiny policy over embedded triples",
  frames: Array.from({ length: 10 }, (_, index) => ({
    index,
    frame: 30 * index,
    time_secs: index,
    image: PIXEL,
    is_cited: index === 1,
    is_struck: index === 2,
  })),
  aspect: 16 / 9,
  question: "Which way do you face?",
  options: ["north", "east", "south", "west"],
  gold: "D",
  answered: "D",
  judged: "C",
  is_consistent: false,
  told: [
    { text: "Frame 0: Observe: a bench", is_struck: false },
    { text: "Frame 1: After rotate left, Observe: 左侧出现一张长椅。".repeat(6), is_struck: true },
  ],
  chain,
  think: [7, chain.indexOf("</think>")],
  answer: [chain.indexOf("D<"), chain.indexOf("D<") + 1],
  citations: [[chain.indexOf("1"), chain.indexOf("1") + 1]],
};

describe("the case panel", () => {
  const svg = drawCase(one);

  it("holds all that led to the answer, and nothing from elsewhere", () => {
    expect(svg.match(/<image /g)).toHaveLength(10);
    expect(svg.match(/data-cited="true"/g)).toHaveLength(1);
    expect(svg).toContain("walk &lt;1&gt;.mp4");
    expect(svg).toContain("D. west  (right answer, answered)");
    expect(svg).toContain("C. south  (judge)");
    expect(svg).toContain("judge C · consistent ✗");
    const hrefs = [...svg.matchAll(/href="([^"]*)"/g)].map((match) => match[1] ?? "");
    expect(hrefs.every((href) => href.startsWith("data:image/"))).toBe(true);
    expect(svg).not.toMatch(/url\(|<script|<foreignObject/);
  });

  it("keeps everything inside its edges", () => {
    const height = Number(/ height="(\d+)" viewBox/.exec(svg)?.[1]);
    const baselines = [...svg.matchAll(/<text x="[\d.]+" y="([\d.]+)"/g)].map((match) => Number(match[1]));
    expect(Math.max(...baselines)).toBeLessThan(height);
  });

  it("is well-formed whatever the texts hold", () => {
    const hostile = `</text><script>alert(1)</script>\u0000\ud800 "&'`;
    const bad = drawCase({
      ...one,
      title: hostile,
      chain: hostile,
      think: [0, 999],
      answer: null,
      options: [hostile],
    });
    expect(bad).not.toContain("<script>");
    expect(bad).not.toContain("\u0000");
    const open = bad.match(/<(?!\/|rect|image|line)[a-z]+[^>]*(?<!\/)>/g) ?? [];
    const closed = bad.match(/<\/[a-z]+>/g) ?? [];
    expect(open).toHaveLength(closed.length);
  });
});

describe("wrap", () => {
  it("fits every line and loses nothing but what it breaks at", () => {
    const text = `A kiosk enters on the left, ${"x".repeat(200)} and 左侧出现一张长椅 😀\nnext`;
    const lines = wrap(text, 120, 12);
    for (const { from, to } of lines) expect(measure(text.slice(from, to), 12)).toBeLessThanOrEqual(120);
    const kept = lines.map(({ from, to }) => text.slice(from, to)).join("");
    expect(kept.replace(/[ \n]/g, "")).toBe(text.replace(/[ \n]/g, ""));
    expect(wrap("", 100, 12)).toEqual([{ from: 0, to: 0 }]);
  });
});
