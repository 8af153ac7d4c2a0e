import { describe, expect, it } from "vitest";
import {
  importRows,
  parseRows,
  splitByScene,
  splitInlineOptions,
  toClipKey,
  toOwnRow,
  toReleasedRow,
} from "./index.ts";

const urban = (question: string, answer: string, id = 1) => ({
  Question_id: id,
  video_id: "EmbodiedCity_18_0.mp4",
  question_category: "Action Generation",
  question,
  answer,
});
const list = (count: number) =>
  Array.from({ length: count }, (_, index) => `${"ABCDEFGH".charAt(index)}. option ${index}`).join("\n");

describe("splitInlineOptions", () => {
  it.each([
    ["choose on its own line", "Question: Where to?  \nchoose:  \nA. Left.  \nB. Right.  "],
    ["A on the header's line", "Question: Where to?  \nChoices: A. Left.  \n         B. Right.  "],
    ["bold header", "Question: Where to?\n**choose:**\nA. Left.\nB. Right."],
    ["a fence around it", "```\nQuestion: Where to?\nOptions:\nA. Left.\nB. Right.\n```"],
    ["no header", "Where to?\nA. Left.\nB. Right."],
    ["brackets", "Where to?\nOption:\n(A) Left.\n(B) Right."],
    ["windows line ends", "Where to?\r\nChoice:\r\nA. Left.\r\nB. Right."],
  ])("S04: %s", (_, text) => {
    expect(splitInlineOptions(text)).toMatchObject({ stem: "Where to?", options: ["Left.", "Right."] });
  });

  it("S04: 'choose' inside question and option is no header", () => {
    const text =
      "If you choose to rise, what then?\nChoices:\nA. If I choose: A detour.\nB. If I choose to stay, none.";
    expect(splitInlineOptions(text)).toMatchObject({
      stem: "If you choose to rise, what then?",
      options: ["If I choose: A detour.", "If I choose to stay, none."],
    });
  });
});

describe("importRows", () => {
  it("B16: seven and eight options import; a row without options is named and the import goes on", () => {
    const report = importRows([
      urban(`Next?\nchoose:\n${list(7)}`, "G", 1),
      urban(`Next?\nchoose:\n${list(8)}`, "H", 2),
      urban("Describe the way.", "A", 3),
      urban(`Next?\nchoose:\n${list(5)}`, "E", 4),
    ]);
    expect(
      report.questions.map((question) => [question.question_id, question.gold, question.options.length]),
    ).toEqual([
      ["1", "G", 7],
      ["2", "H", 8],
      ["4", "E", 5],
    ]);
    expect(report.set_aside).toEqual([{ row: 3, id: "3", reason: "no options found", question: null }]);
    expect(report.questions[0]?.scene).toBe("EmbodiedCity_18");
  });

  it.each([
    ["EmbodiedCity_18_0.mp4", "EmbodiedCity_18"],
    ["EmbodiedCity_20.mp4", "EmbodiedCity_20"],
    ["AerialVLN_58_3EFE17QCRL3VAA9SKMA2BQTMDFHHSH.mp4", "AerialVLN_3EFE17QCRL3VAA9SKMA2BQTMDFHHSH"],
    ["AerialVLN_62_3EFE17QCRL3VAA9SKMA2BQTMDFHHSH_4.mp4", "AerialVLN_3EFE17QCRL3VAA9SKMA2BQTMDFHHSH"],
    ["RealWorld_12.mp4", "RealWorld_12"],
    ["RealWorld_RN_12_13.mp4", "RealWorld_12"],
  ])("keeps the clips of one place together: %s", (video_id, scene) => {
    const [question] = importRows([{ ...urban(`Next?\nchoose:\n${list(3)}`, "A"), video_id }]).questions;
    expect(question?.scene).toBe(scene);
  });

  it("sets aside a gold that is no option, a double id and what is no object", () => {
    const report = importRows([
      urban(`Next?\nchoose:\n${list(3)}`, "D", 1),
      urban(`Next?\nchoose:\n${list(3)}`, "C", 2),
      urban(`Next?\nchoose:\n${list(3)}`, "C", 2),
      7,
    ]);
    expect(report.questions).toHaveLength(1);
    expect(report.set_aside.map((remark) => remark.reason)).toEqual([
      "gold D is not among the 3 options",
      "the id was used before",
      "not an object",
    ]);
  });

  it("reads our own rows with a gold as letter, text or number, or without one", () => {
    const report = importRows([
      { question_id: "a", question: "Where?", options: ["A. left", "B. right"], gold: "right", task: "x" },
      { question_id: "b", question: "How far?", options: [], gold: "2.5" },
      { question_id: "c", question: "Where?", options: ["left", "right"], gold: null },
      { question_id: "d", question: "Where?", options: ["left", "right"], gold: "see figure" },
      { question_id: "e", question: "Where?", options: ["left"], gold: "A" },
      { question_id: "f", question: "Where?", options: [], gold: null },
    ]);
    expect(report.questions.map((question) => [question.gold, question.kind])).toEqual([
      ["B", "choice"],
      ["2.5", "number"],
      [null, "choice"],
    ]);
    expect(report.remarks).toEqual([{ row: 3, id: "c", reason: "no gold answer" }]);
    expect(report.set_aside.map(({ id, reason }) => [id, reason])).toEqual([
      ["d", 'gold "see figure" is neither a letter nor an option'],
      ["e", "1 option; 2 to 8 are needed"],
      ["f", "no options found"],
    ]);
  });

  it("S04: a row whose options have no plain header waits for a person, with what was read of it", () => {
    const report = importRows([
      urban("**Question:** Seen?\n**choose:**\nA. Left.\nB. Right.", "B", 1),
      urban("Question: Seen?\nchoose:\nA. Left.\nB. Right.", "B", 2),
      urban("Seen?\nA. Left.\nB. Right.", "A", 3),
    ]);
    expect(report.questions.map(({ question_id }) => question_id)).toEqual(["2"]);
    expect(report.set_aside.map(({ id, question }) => [id, question?.text, question?.gold])).toEqual([
      ["1", "Seen?", "B"],
      ["3", "Seen?", "A"],
    ]);
  });

  it("keeps an option that happens to begin with a letter and a full stop", () => {
    const [question] = importRows([
      { id: "a", question: "Who?", options: ["A. Smith", "A. Jones"], gold: "B" },
    ]).questions;
    expect(question?.options).toEqual(["A. Smith", "A. Jones"]);
  });

  it("reads what GRPO trains on as released: the question alone, the gold out of its tag", () => {
    const content =
      "Video content:\n<\nFrame 0: Observe: a street.\n>\n  Question: Where is the kiosk?\nChoices:\nA. Left\nB. Right";
    const report = importRows([{ messages: [{ role: "user", content }], solution: "<answer>B</answer>" }]);
    expect(report.questions).toMatchObject([
      { text: "Where is the kiosk?", options: ["Left", "Right"], gold: "B", clip_name: null },
    ]);
  });

  it("reads its own export back, question for question, and the released layout where it can say as much", () => {
    const { questions } = importRows([
      urban(`Next?\nchoose:\n${list(7)}`, "G", 1),
      { question_id: "x" },
      urban(`Next, "so to say"?\nchoose:\n${list(5)}`, "A", 2),
    ]);
    const own = importRows([
      { question_id: "b", question: "How far?", options: [], gold: "2.5", from_secs: 1, to_secs: 2.5 },
      { question_id: "c", question: "Where?", options: ["left", "right"], gold: null, clip_name: "a/b.mp4" },
      { question_id: "d", question: "How far?", options: [], gold: null, kind: "number" },
    ]).questions;
    const all = [...questions, ...own];
    expect(all).toHaveLength(5);
    const text = all.map((question) => JSON.stringify(toOwnRow(question))).join("\n");
    expect(importRows(parseRows(text).rows).questions).toEqual(all);
    expect(importRows(questions.map(toReleasedRow)).questions).toEqual(questions);
    expect(own.map(toReleasedRow)).toEqual([null, null, null]);
  });

  it("joins EgoSchema with answers that come apart", () => {
    const row = {
      q_uid: "u",
      question: "What?",
      "option 0": "a",
      "option 1": "b",
      "option 2": "c",
      "option 3": "d",
      "option 4": "e",
    };
    expect(importRows([row], { u: 3 }).questions[0]?.gold).toBe("D");
    expect(importRows([row]).remarks[0]?.reason).toBe("no gold answer");
  });
});

describe("parseRows", () => {
  it("names the line that is broken and keeps the others", () => {
    const { rows, bad_lines } = parseRows('{"a":1}\n{"a":\n\n{"a":3}\n');
    expect(rows).toEqual([{ a: 1 }, { a: 3 }]);
    expect(bad_lines.map((bad) => bad.line)).toEqual([2]);
  });

  it("takes a .json file with one object a line, and a list inside an object", () => {
    expect(parseRows('{"a":1}\n{"a":2}').rows).toHaveLength(2);
    expect(parseRows('{"name":"x","questions":[{"a":1},{"a":2}]}').rows).toHaveLength(2);
  });

  it("names the line at which a list breaks, and says of what is neither JSON nor CSV that it is", () => {
    expect(parseRows('[\n{"a":1},\n{"a":\n]').bad_lines.map(({ line }) => line)).toEqual([4]);
    expect(parseRows("hello").bad_lines[0]?.reason).toContain("neither JSON nor CSV");
    expect(parseRows("").bad_lines[0]?.reason).toBe("the file is empty");
  });
});

describe("parseCsv", () => {
  it("reads quotes, separators and line ends inside fields, lists, and names the lines that don't fit", () => {
    const text =
      '\uFEFFquestion_id;question;options;gold\r\n1;"Where; or ""when""?\nSay.";"[""left"",""right""]";B\r\n\r\n2;x;y\r\n3;"never closed;;';
    expect(parseRows(text)).toEqual({
      rows: [
        { question_id: "1", question: 'Where; or "when"?\nSay.', options: ["left", "right"], gold: "B" },
      ],
      bad_lines: [
        { line: 5, reason: "3 fields instead of 4" },
        { line: 6, reason: "a quote is never closed" },
      ],
    });
  });

  it("takes options in columns, commas and tabs", () => {
    for (const separator of [",", "\t"]) {
      const text = ["id,question,option_a,option_b,gold", "7,Where?,left,right,A"]
        .join("\n")
        .replaceAll(",", separator);
      expect(importRows(parseRows(text).rows).questions).toMatchObject([
        { question_id: "7", options: ["left", "right"], gold: "A" },
      ]);
    }
  });
});

describe("toClipKey", () => {
  it("drops folders, extension and case, and nothing of a name with points", () => {
    expect(["a/B_1.MP4", "c:\\x\\b_1.webm", "b_1"].map(toClipKey)).toEqual(["b_1", "b_1", "b_1"]);
    expect(toClipKey("walk.2024-01-03 12.30")).toBe("walk.2024-01-03 12");
    expect(toClipKey("  ")).toBeNull();
  });
});

describe("splitByScene", () => {
  it("keeps scenes together and does not hang on the order", () => {
    const rows = Array.from({ length: 60 }, (_, index) => ({
      ...urban(`Next?\nchoose:\n${list(3)}`, "A", index),
      video_id: `City_${index % 20}_${index}.mp4`,
    }));
    const { questions } = importRows(rows);
    const split = splitByScene(questions, 7, { train: 0.6, val: 0.2 });
    const reversed = splitByScene([...questions].reverse(), 7, { train: 0.6, val: 0.2 }).reverse();
    expect(reversed).toEqual(split);
    const sides = new Map<string | null, Set<string>>();
    questions.forEach((question, index) => {
      sides.set(question.scene, (sides.get(question.scene) ?? new Set()).add(split[index] ?? ""));
    });
    expect([...sides.values()].every((side) => side.size === 1)).toBe(true);
    expect(new Set(split)).toEqual(new Set(["train", "val", "test"]));
  });
});
