import { describe, expect, it } from "vitest";
import { holdOut, readQuestionFile as readWith } from "./index.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });
const readQuestionFile = (file: Uint8Array) => readWith(file, (line) => decoder.decode(line));

const bytes = (text: string) => new TextEncoder().encode(text);
const row = (changes: Record<string, unknown> = {}) =>
  JSON.stringify({
    question: "Where is the kiosk?",
    options: ["left", "right"],
    gold: "B",
    task: "landmark_position",
    triples: [
      { change: "A street." },
      { action: "move forward", change: "A kiosk enters right.", relevant: "" },
    ],
    ...changes,
  });

describe("readQuestionFile", () => {
  it("lays triples out as the reasoner reads them", () => {
    const { rows, problems } = readQuestionFile(bytes(`${row()}\n${row({ gold: "left" })}\n`));
    expect(problems).toEqual([]);
    expect(rows.map((one) => [one.question_id, one.gold])).toEqual([
      ["line-1", "B"],
      ["line-2", "A"],
    ]);
    expect(rows[0]?.prompt).toContain("Frame 1: After move forward, Observe: A kiosk enters right.");
    expect(rows[0]?.prompt).toContain("Question: Where is the kiosk?\nChoices:\nA. left\nB. right");
  });

  it("keeps frames for a policy that sees them, with triples or without", () => {
    const frames = ["/data/1.png", "/data/2.png"];
    const { rows, problems } = readQuestionFile(
      bytes(`${row({ frames })}\n${row({ frames, triples: undefined })}\n${row({ frames: [] })}\n${row()}\n`),
    );
    expect(problems).toEqual([{ line: 3, reason: "frames must be a list of files" }]);
    expect(rows.map((one) => one.frames)).toEqual([frames, frames, undefined]);
    expect(rows[1]?.prompt).toBe(rows[1]?.question);
  });

  it("names every bad line and what is wrong with it", () => {
    const bad = bytes("");
    const lines = [
      row({ gold: undefined }),
      row({ task: "cooking" }),
      row({ options: Array.from({ length: 9 }, (_, index) => `option ${index}`) }),
      '{"question": "Where',
      row({ gold: "C" }),
      row({ triples: undefined }),
      "7",
    ];
    const text = bytes(`${lines.join("\n")}\n`);
    const withBadBytes = new Uint8Array([...text, 0x7b, 0xff, 0x7d, 0x0a, ...bad]);
    const { problems } = readQuestionFile(withBadBytes);
    expect(problems.map(({ line, reason }) => [line, reason.split(/[:;]/)[0]])).toEqual([
      [1, "gold is missing"],
      [2, 'unknown task "cooking"'],
      [3, "9 options"],
      [4, "not a whole JSON object"],
      [5, 'gold "C" is none of the 2 options'],
      [6, "no triples"],
      [7, "not an object"],
      [8, "not UTF-8"],
    ]);
  });

  it("takes numbers, which have no options, and tasks that the library knows", () => {
    const number = { kind: "number", options: undefined };
    const lines = [
      row({ ...number, gold: 4.5 }),
      row({ ...number, gold: "1e2", task: "Object Counting" }),
      row({ ...number, gold: "many" }),
      row({ kind: "number", gold: 2 }),
    ];
    const known = new Map([["0", { question_id: "q", task: "Object Counting", clip_id: null }]]);
    const { rows, problems } = readWith(bytes(lines.join("\n")), (line) => decoder.decode(line), known);
    expect(rows.map(({ gold, kind, options, question }) => ({ gold, kind, options, question }))).toEqual(
      ["4.5", "1e2"].map((gold) => ({ gold, kind: "number", options: [], question: "Where is the kiosk?" })),
    );
    expect(problems).toEqual([
      { line: 3, reason: 'gold "many" is no number' },
      { line: 4, reason: "2 options; a question of kind number has none" },
    ]);
  });

  it("names a double id and an empty file", () => {
    const twice = readQuestionFile(bytes(`${row({ question_id: "a" })}\n${row({ question_id: "a" })}`));
    expect(twice.problems).toEqual([{ line: 2, reason: "question_id a stands on line 1 already" }]);
    expect(readQuestionFile(bytes("\n\n")).problems).toHaveLength(1);
  });
});

describe("holdOut", () => {
  it("splits once and for all by seed, whatever the order", () => {
    const { rows } = readQuestionFile(bytes(Array.from({ length: 50 }, () => row()).join("\n")));
    const split = holdOut(rows, 4);
    expect([split.train.length, split.eval.length]).toEqual([40, 10]);
    expect(holdOut([...rows].reverse(), 4)).toEqual(split);
  });
});
