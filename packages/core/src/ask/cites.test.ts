import { describe, expect, it } from "vitest";
import { formatTinyPrompt, generateWorld, toHeadingRow } from "../worlds/index.ts";
import { findCites, listWorldFrames, type TraceFrame } from "./index.ts";

const world = generateWorld(1_001_847, "room", { min_steps: 1, max_steps: 5, moves: "quarter" });
const { prompt, chain } = toHeadingRow(world);

describe("pictures that a text names", () => {
  it("takes the number of a move for the view after it", () => {
    const frames = listWorldFrames(world);
    expect(frames).toHaveLength(world.steps.length + 1);
    const text = `<think> ${chain} </think>`;
    const cites = findCites({ text, prompt }, frames, null, world);
    expect(cites.map(({ point, index }) => [point, index])).toEqual(
      world.steps.map((_, at) => [at + 1, at + 1]),
    );
    for (const { from, to, point } of cites) expect(text.slice(from, to)).toBe(String(point));
  });

  it("names no picture of a move that was never told", () => {
    const text = "9 left north 77 around south";
    expect(findCites({ text, prompt }, listWorldFrames(world), null, world)).toEqual([]);
    expect(
      findCites({ text: "1 left", prompt: formatTinyPrompt("north", ["left"]) }, [], null, null),
    ).toEqual([]);
  });

  it("takes frames by their number where the prompt numbers frames", () => {
    const frames: TraceFrame[] = [0, 1, 2].map((index) => ({
      index,
      frame: index * 10,
      time_secs: index,
      triple: null,
    }));
    const text = "In Frame 2 I turned; frame 7 is none, 1 left neither.";
    expect(findCites({ text, prompt: "Frame 0: Observe: a bench." }, frames, null, null)).toEqual([
      { from: 9, to: 10, point: 2, index: 2 },
    ]);
    expect(findCites({ text, prompt: null }, frames, null, null)).toHaveLength(1);
  });
});
