import { describe, expect, it } from "vitest";
import type { Triple } from "../perception/types.ts";
import { joinPieces } from "../traces/pieces.ts";
import {
  type Asked,
  findCited,
  formatAskPrompt,
  formatJudgePrompt,
  getThink,
  HEADING_QUESTION,
  judgeText,
  leaveOut,
  readHeadingStart,
  readJudgement,
  splitSentences,
  toggleStrike,
} from "./index.ts";

const triple = (index: number, action: Triple["action"], change: string): Triple => ({
  index,
  frame: 30 * index,
  time_secs: index,
  action,
  change,
  relevant: "",
  raw: change,
  problems: [],
});
const triples = [
  triple(0, null, "You face a bench."),
  triple(1, "rotate left", "A kiosk enters ahead. The bench leaves."),
  triple(2, "move forward", "Nothing changes."),
];
const question: Asked = { ...HEADING_QUESTION, gold: "D" };

describe("what is asked", () => {
  it("keeps the numbers of the frames that stay", () => {
    const { user } = formatAskPrompt(triples, [{ index: 1, sentence: null }], question);
    expect(user).toContain("Frame 0: Observe: You face a bench.");
    expect(user).not.toContain("Frame 1:");
    expect(user).toContain("Frame 2: After move forward, Observe: Nothing changes.");
    expect(user).toContain("\nD. west");
  });

  it("leaves out one sentence and keeps the action", () => {
    const { user } = formatAskPrompt(triples, [{ index: 1, sentence: "The bench leaves." }], question);
    expect(user).toContain("Frame 1: After rotate left, Observe: A kiosk enters ahead.\n");
    expect(leaveOut(triples, [])).toEqual(triples);
  });

  it("takes a strike back, and a whole triple takes its sentences along", () => {
    const one = toggleStrike([], { index: 1, sentence: "The bench leaves." });
    expect(toggleStrike(one, { index: 1, sentence: "The bench leaves." })).toEqual([]);
    expect(toggleStrike(one, { index: 1, sentence: null })).toEqual([{ index: 1, sentence: null }]);
  });

  it("cuts sentences of both scripts", () => {
    expect(splitSentences("A kiosk; ahead. Left 2.5 m!\n左侧有长椅。前方有门。")).toEqual([
      "A kiosk; ahead.",
      "Left 2.5 m!",
      "左侧有长椅。",
      "前方有门。",
    ]);
  });

  it("gives the judge the question and the reasoning, and nothing of the account", () => {
    const { user } = formatJudgePrompt(question, " I turned left. ");
    expect(user).toContain("Reasoning: I turned left.");
    expect(user).not.toContain("bench");
  });
});

describe("what came", () => {
  it("puts a separate reasoning between tags and leaves one that was cut open", () => {
    expect(
      joinPieces([
        { kind: "reasoning", text: "I turn " },
        { kind: "reasoning", text: "left." },
        { kind: "text", text: "<answer>D</answer>" },
      ]),
    ).toBe("<think>I turn left.</think>\n<answer>D</answer>");
    expect(joinPieces([{ kind: "reasoning", text: "I tu" }])).toBe("<think>I tu");
    expect(joinPieces([])).toBe("");
  });

  it("reads by both rule sets, and says when nothing is known to hold it to", () => {
    const text = "<think>so the answer is C.</think><answer>D</answer>";
    expect(judgeText(text, question, "sightline")).toMatchObject({ accuracy: 1, format: 1 });
    expect(judgeText(text, question, "embodied-r")).toMatchObject({ accuracy: 0, reading: { letter: "C" } });
    expect(judgeText(text, { ...question, gold: null }, "sightline")).toMatchObject({
      accuracy: null,
      reason: "the right answer is not known",
    });
    expect(getThink(text, question)).toBe("so the answer is C.");
    expect(getThink("<think> </think><answer>D</answer>", question)).toBeNull();
  });

  it("reads the judge's letter and never takes silence for agreement", () => {
    expect(readJudgement("D", "D", question, "m")).toMatchObject({ letter: "D", agrees: true, status: "ok" });
    expect(readJudgement("It can't be told", null, question, "m")).toMatchObject({
      letter: null,
      agrees: false,
      status: "unparsed",
    });
  });
});

describe("the heading question", () => {
  it("is known by its words and by the order of its options", () => {
    expect(readHeadingStart(HEADING_QUESTION)).toBe("north");
    const other = {
      ...HEADING_QUESTION,
      text: "The agent starts facing west. Which way does it face at the end?",
    };
    expect(readHeadingStart(other)).toBe("west");
    expect(readHeadingStart({ ...other, options: [...other.options].reverse() })).toBeNull();
    expect(readHeadingStart({ ...other, text: "Where is the kiosk?" })).toBeNull();
  });
});

describe("what is cited", () => {
  const turn = (index: number, action: Triple["action"], yaw_deg: number | null) => ({
    ...triple(index, action, ""),
    edits: 0,
    motion: {
      action: "unclear" as const,
      confidence: null,
      reason: "",
      yaw_deg,
      pitch_deg: null,
      roll_deg: null,
      matches: 0,
      inliers: 0,
    },
  });
  const walked = [
    turn(0, null, null),
    turn(1, "rotate left", -44),
    turn(2, "rotate left", -47),
    turn(3, "move forward", null),
    turn(4, "rotate right", 90),
  ];

  it("is found by name, within the key-frames that there are", () => {
    const text = "<think>In Frame 4 and frames 2-3, not Frame 9.</think>";
    const cited = findCited({ text, prompt: "Video content:", struck: [], triples: walked });
    expect(cited.map(({ index }) => index)).toEqual([4, 2, 3]);
  });

  it("is found by the moves of a tiny policy's chain: a slow turn is one move, made when it ends", () => {
    const text = "<think> 1 left west 2 forward west 3 right north </think>";
    const prompt = "start north 1 left 2 forward 3 right heading ?";
    expect(findCited({ text, prompt, struck: [], triples: walked }).map(({ index }) => index)).toEqual([
      2, 3, 4,
    ]);
  });

  it("leaves moves that only fill the prompt up uncited", () => {
    const text = "<think> 1 forward north 2 left west </think>";
    const prompt = "start north 1 forward 2 left heading ?";
    const cited = findCited({
      text,
      prompt,
      struck: [3, 4].map((index) => ({ index, sentence: null })),
      triples: walked,
    });
    expect(cited.map(({ index }) => index)).toEqual([2]);
    expect(cited.map(({ from, to }) => text.slice(from, to))).toEqual(["2"]);
  });
});
