import { describe, expect, it } from "vitest";
import {
  findActions,
  findCitations,
  formatFrame,
  formatVideoText,
  leaksAnswer,
  parseDescription,
} from "./index.ts";

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
