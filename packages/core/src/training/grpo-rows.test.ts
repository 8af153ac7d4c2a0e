import { expect, test } from "vitest";
import { makeHeadingSet } from "../worlds/index.ts";
import { hashQuestion, isGrpoRow, isReadable, readGrpoRow, readQuestionFile, toGrpoRow } from "./index.ts";

const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);
const toFile = (rows: readonly unknown[]) =>
  new TextEncoder().encode(rows.map((row) => JSON.stringify(row)).join("\n"));

const PROMPT =
  "Video content:\n<\nFrame 0: Observe: a street.\n>\nQuestion: Where is the kiosk?\nChoices:\nA. left\nB. right";
const row = {
  question_id: "q-1",
  clip_id: "c-1",
  task: "landmark_position",
  prompt: PROMPT,
  question: "Where is the kiosk?\nChoices:\nA. left\nB. right",
  options: ["left", "right"],
  gold: "B",
  kind: "choice" as const,
  chain: "it enters right",
};

test("a question goes out and comes back whole", () => {
  const file = readQuestionFile(toFile([toGrpoRow(row, "train")]), decode);
  expect(file.problems).toEqual([]);
  expect(file.rows).toEqual([row]);
});

test("a number and a task of one's own come back as they went out", () => {
  const count = {
    ...row,
    task: "Object Counting",
    prompt: "Video content:\n<\n>\nQuestion: How many chairs are there?",
    question: "How many chairs are there?",
    options: [],
    gold: "4.5",
    kind: "number" as const,
  };
  const { rows, problems } = readQuestionFile(toFile([toGrpoRow(count, "train")]), decode);
  expect(problems).toEqual([]);
  expect(rows).toEqual([count]);
});

test.each([0, 1, 2, 8, 9])(
  "with %i options a row is readable exactly where the file's reader takes it",
  (count) => {
    const options = Array.from({ length: count }, (_, at) => `place ${at}`);
    const out = toGrpoRow({ ...row, options, gold: "A" }, "train");
    expect(isReadable(out)).toBe(count >= 2 && count <= 8);
    expect(readQuestionFile(toFile([out]), decode).problems.length === 0).toBe(isReadable(out));
  },
);

test("every question of a world set comes back with its prompt, options and answer", () => {
  const { train } = makeHeadingSet(3, { train: 40, eval: 4, warm: 0 });
  const { rows, problems } = readQuestionFile(toFile(train.map((one) => toGrpoRow(one, "train"))), decode);
  expect(problems).toEqual([]);
  const plain = ({ question_id, prompt, options, gold, chain, task }: (typeof train)[number]) => {
    return { question_id, prompt, options, gold, chain, task };
  };
  expect(rows.map(plain)).toEqual(train.map(plain));
});

test("a released row without our columns is joined again by the hash of its question", () => {
  const { messages, solution } = toGrpoRow(row, "train");
  const known = new Map([[hashQuestion(PROMPT), { question_id: "q-1", task: row.task, clip_id: "c-1" }]]);
  const file = readQuestionFile(
    toFile([{ messages, solution: `<answer>${solution}</answer>` }]),
    decode,
    known,
  );
  expect(file.problems).toEqual([]);
  expect(file.rows).toEqual([{ ...row, chain: null }]);
  const stranger = readQuestionFile(toFile([{ messages, solution }]), decode);
  expect(stranger.problems).toEqual([{ line: 1, reason: "task is missing" }]);
});

test("the hash knows a question by what is asked, not by its layout", () => {
  const other = "question:  where is the KIOSK?\nOptions:\nA) left\nB) right";
  expect(hashQuestion(other)).toBe(hashQuestion(PROMPT));
  expect(hashQuestion(PROMPT.replace("right", "ahead"))).not.toBe(hashQuestion(PROMPT));
});

test("what is no row of the layout is left to others, and a turn without text is a gap", () => {
  expect(isGrpoRow({ question: "x" })).toBe(false);
  expect(
    readGrpoRow({ messages: [null, { role: "system", content: "x" }], solution: "A" }, new Map()),
  ).toEqual({});
  const file = readQuestionFile(toFile([{ messages: [], solution: "A" }]), decode);
  expect(file.problems).toEqual([{ line: 1, reason: "question is missing" }]);
});
