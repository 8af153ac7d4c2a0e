import { describe, expect, it } from "vitest";
import type { Motion } from "../motion/types.ts";
import { ACTIONS } from "../worlds/types.ts";
import {
  differ,
  findActions,
  findCitations,
  formatFrame,
  formatVideoText,
  leaksAnswer,
  parseDescription,
  readTriplesFile,
  tallyTriples,
  writeFirstPrompt,
  writePairPrompt,
} from "./index.ts";

const STILL: Motion = {
  action: "unclear",
  confidence: null,
  reason: "",
  yaw_deg: null,
  pitch_deg: null,
  roll_deg: null,
  matches: 0,
  inliers: 0,
};
const parse = (raw: string) => parseDescription(raw, false);
const points = {
  action: "move forward",
  change: "A bench enters on the left.",
  relevant: "The kiosk is ahead.",
};

describe("parseDescription", () => {
  it.each([
    ["plain", "1. Move forward\n2. A bench enters on the left.\n3. The kiosk is ahead."],
    ["bold", "**1.** Move forward\n**2.** A bench enters on the left.\n**3.** The kiosk is ahead."],
    [
      "bold inside",
      "**1**. **Move forward**\n**2**. A bench enters on the left.\n**3**. The kiosk is ahead.",
    ],
    ["bracket", "1) move forward\n2) A bench enters on the left.\n3) The kiosk is ahead."],
    [
      "heading",
      "### 1. Action: Move forward\n### 2. Change: A bench enters on the left.\n### 3. The kiosk is ahead.",
    ],
    ["one line", "1. Move forward. 2. A bench enters on the left. 3. The kiosk is ahead."],
    ["bold on one line", "**1.** Move forward **2.** A bench enters on the left. **3.** The kiosk is ahead."],
    ["fenced", "```\n1. Move forward\n2. A bench enters on the left.\n3. The kiosk is ahead.\n```"],
    [
      "JSON",
      '{"action": "Move forward", "change": "A bench enters on the left.", "relevant": "The kiosk is ahead."}',
    ],
    [
      "fenced JSON",
      '```json\n{"1": "move forward", "2": "A bench enters on the left.", "3": "The kiosk is ahead."}\n```',
    ],
    ["labels", "Action: move forward\nChange: A bench enters on the left.\nRelevant: The kiosk is ahead."],
    ["windows line ends", "1. Move forward\r\n2. A bench enters on the left.\r\n3. The kiosk is ahead."],
  ])("reads %s", (_, raw) => {
    const triple = parse(raw);
    expect(triple).toMatchObject({ ...points, problems: [] });
    expect(triple.raw).toBe(raw);
  });

  it("reads Chinese", () => {
    expect(parse("1、向左旋转\n2、左侧出现一张长椅。\n3、售货亭在前方。")).toMatchObject({
      action: "rotate left",
      change: "左侧出现一张长椅。",
      relevant: "售货亭在前方。",
      problems: [],
    });
    expect(parse("一、前进\n二、出现长椅\n三、无")).toMatchObject({ action: "move forward", relevant: "无" });
  });

  it("keeps a nested list inside its point", () => {
    const triple = parse(
      "1. Rotate right\n2. New things:\n   1. a red bin\n   2. a tall lamp\n3. The gate is behind.",
    );
    expect(triple.action).toBe("rotate right");
    expect(triple.change).toContain("a red bin");
    expect(triple.change).toContain("a tall lamp");
    expect(triple.relevant).toBe("The gate is behind.");
  });

  it("says what is missing and fills nothing in", () => {
    expect(parse("1. Move left\n2. A bin enters.")).toMatchObject({
      relevant: "",
      problems: ["no_relevant"],
    });
    expect(parse("1. Hover\n2. A bin enters.\n3. nothing")).toMatchObject({
      action: null,
      problems: ["unknown_action"],
    });
    expect(parse("1. Move left and rotate right\n2. x\n3. y").problems).toEqual(["several_actions"]);
  });

  it("keeps what it can't place raw and marked, never None", () => {
    const triple = parse("The view widens and a street can be seen.");
    expect(triple).toMatchObject({ action: null, change: "", problems: ["unplaced"] });
    const line = formatFrame(triple, 3);
    expect(line).toBe("Frame 3: Observe: The view widens and a street can be seen.");
    expect(line).not.toContain("None");
  });

  it("marks a leaked answer", () => {
    expect(parse("1. Move left\n2. This fits Option B.\n3. nothing").problems).toEqual(["leaked_answer"]);
    expect(leaksAnswer("The best option is to go on")).toBe(true);
    expect(leaksAnswer("A bench with an optional cushion")).toBe(false);
  });

  it("does not take decimals for points", () => {
    expect(
      parse("1. Move upward\n2. The roof is 2.5 m away; 3.1 m of wall shows.\n3. The gate."),
    ).toMatchObject({
      action: "move upward",
      change: "The roof is 2.5 m away; 3.1 m of wall shows.",
      relevant: "The gate.",
    });
  });
});

describe("findActions", () => {
  it.each([
    ["Camera Tilt Downward", "tilt downward"],
    ["The agent turns to the left", "rotate left"],
    ["ascends", "move upward"],
    ["flies straight ahead", "move forward"],
    ["steps back", "move backward"],
    ["strafes right", "move right"],
    ["**Move Forward**", "move forward"],
  ])("reads %s", (text, action) => {
    expect(findActions(text)).toEqual([action]);
  });

  it("finds none in a view", () => {
    expect(findActions("a wide street with trees")).toEqual([]);
  });
});

describe("formatVideoText", () => {
  it("writes the released frame lines", () => {
    const first = parseDescription("A grey tower ahead.", true);
    const second = parse("1. Move forward\n2. The plaza appears\nbelow.\n3. nothing");
    const lines = formatVideoText([first, second], "Where?").split("\n");
    expect(lines).toContain("Frame 0: Observe: A grey tower ahead.");
    expect(lines).toContain("Frame 1: After move forward, Observe: The plaza appears below. nothing");
    expect(lines.at(-1)).toBe("Question: Where?");
  });
});

describe("findCitations", () => {
  it("links every number that is a frame", () => {
    const text =
      "In Frame 7 I turned; frames 3 and 4 show it, Frame 99 does not exist. I saw 5 chairs. 第2帧";
    expect(findCitations(text, 8).map(({ from, to, index }) => [text.slice(from, to), index])).toEqual([
      ["7", 7],
      ["3", 3],
      ["4", 4],
      ["2", 2],
    ]);
  });
});

describe("readTriplesFile", () => {
  const row = (lines: string[]) =>
    JSON.stringify([
      {
        Question_id: 7,
        video_id: "walk_2.mp4",
        question: `You are an agent.\n<\n${lines.join("\n")}\n>\nQuestion: Where?\nA. here`,
      },
    ]);
  const read = (lines: string[]) => readTriplesFile(row(lines)).descriptions[0];

  it("reads the released layout", () => {
    expect(
      read(["Frame 0: Observe: A street.", "Frame 1: After Move forward, Observe: A kiosk\ncloser now."]),
    ).toEqual({
      id: "7",
      clip_name: "walk_2.mp4",
      question: "Where?\nA. here",
      triples: [
        {
          index: 0,
          frame: null,
          action: null,
          change: "A street.",
          relevant: "",
          raw: "Frame 0: Observe: A street.",
          problems: [],
        },
        {
          index: 1,
          frame: null,
          action: "move forward",
          change: "A kiosk\ncloser now.",
          relevant: "",
          raw: "Frame 1: After Move forward, Observe: A kiosk\ncloser now.",
          problems: [],
        },
      ],
    });
  });

  it("reads what the released reader could not part, and keeps no None", () => {
    const triples = read([
      "Frame 0: Observe: A street.",
      "Frame 1: After None, Observe: **1.** Rotate left **2.** A bench. **3.** nothing",
      "Frame 2: After None, Observe: None",
      "Frame 3: After None, Observe: The view widens.",
    ])?.triples;
    expect(triples?.[1]).toMatchObject({ action: "rotate left", change: "A bench.", relevant: "nothing" });
    expect(triples?.[2]).toMatchObject({ action: null, change: "", problems: ["no_action", "no_change"] });
    expect(triples?.[3]).toMatchObject({ problems: ["unplaced"] });
    for (const [index, triple] of (triples ?? []).entries())
      expect(formatFrame(triple, index)).not.toContain("None");
  });

  it("takes no frame for a line that only speaks of one", () => {
    expect(
      read(["Frame 0: Observe: A street. Frame 1: no line.", "Frame 1: After rotate left, Observe: x"])
        ?.triples,
    ).toHaveLength(2);
  });

  it("sets aside what has no triples, and says why", () => {
    expect(readTriplesFile('[{"question": "Where?"}, {"image_id": 3}]').set_aside).toEqual([
      { id: "row 1", reason: "Its text has no line that begins with “Frame 0:”." },
      { id: "row 2", reason: "It has no text of a video: no “question” and no “triples”." },
    ]);
    expect(() => readTriplesFile("no JSON")).toThrow("no JSON");
  });
});

describe("differ", () => {
  it("marks the words that only one side has, and loses nothing", () => {
    const [a, b] = ["A red kiosk, to the left.", "A blue kiosk to the far left."];
    const { left, right } = differ(a, b);
    expect(left.map(({ text }) => text).join("")).toBe(a);
    expect(right.map(({ text }) => text).join("")).toBe(b);
    expect(left.filter((piece) => !piece.is_shared).map(({ text }) => text)).toEqual(["red", ","]);
    expect(right.filter((piece) => !piece.is_shared).map(({ text }) => text.trim())).toEqual(["blue", "far"]);
  });
});

describe("tallyTriples", () => {
  it("shows at a glance a model that says one thing only, leaks, and what the pictures contradict", () => {
    const motion = { ...STILL, action: "rotate left" } as const;
    const triples = Array.from({ length: 5 }, (_, index) => ({
      index,
      action: index === 0 ? null : ("move forward" as const),
      problems: index === 2 ? ["leaked_answer" as const] : [],
      motion: index === 0 ? null : index === 4 ? STILL : motion,
    }));
    expect(tallyTriples(triples)).toEqual({
      steps: 4,
      actions: [{ action: "move forward", count: 4 }],
      leaks: 1,
      triples: 5,
      contradictions: 3,
      compared: 3,
    });
  });
});

describe("prompts", () => {
  it("name the ten actions and the question, and say that it is not to be answered", () => {
    const prompt = writePairPrompt("Where is the kiosk?\nA. ahead");
    for (const action of ACTIONS) expect(prompt).toContain(action);
    expect(prompt).toContain("Where is the kiosk?");
    expect(prompt).toContain("Don't answer it");
    expect(writePairPrompt(" ")).not.toContain("answer it");
    expect(writeFirstPrompt("Where?")).not.toMatch(/^1\./m);
  });
});
