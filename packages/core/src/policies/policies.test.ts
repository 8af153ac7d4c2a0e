import { expect, it } from "vitest";
import {
  formatTinyPrompt,
  HEADINGS,
  makeHeadingSet,
  type Step,
  toHeadingLetter,
  toMoves,
} from "../worlds/index.ts";
import {
  checkPrompt,
  getMoveRange,
  type Leg,
  PolicyCard,
  readHeadingPrompt,
  solveHeadingPrompt,
  spaceTags,
  toHeadingQuestion,
} from "./index.ts";

const WORDS = [
  ..."<pad> <eos> <unk> <think> </think> <answer> </answer> 1 2 3 4 ? A B C D".split(" "),
  ..."around east forward heading left north right south start west".split(" "),
];

/** The card of a policy that learned headings of 2 to 4 moves, as the trainer writes it. */
const CARD = PolicyCard.parse({
  version: 1,
  run_id: "r1",
  name: "tiny",
  step: 192,
  seed: 1,
  is_tiny: true,
  parameters: 644_352,
  vocabulary: WORDS,
  levels: [
    {
      task: "heading",
      example: "start north 1 forward 2 left heading ?",
      words: [8, 12],
      options: [...HEADINGS],
    },
  ],
  max_completion_tokens: 48,
  has_reference: true,
  held_out: null,
  made_secs: 1,
});

const left: Leg = { action: "rotate left", yaw_deg: -90 };
const right: Leg = { action: "rotate right", yaw_deg: 90 };
const walk: Leg = { action: "move forward", yaw_deg: null };

function ask(legs: Leg[]) {
  const { question, reason } = toHeadingQuestion(CARD, legs);
  if (question === null) throw new Error(reason);
  return question;
}

it("reads every question of the training set and solves it as the world does", () => {
  const set = makeHeadingSet(3, { train: 200, eval: 1, warm: 1 });
  const lengths = set.train.map(({ prompt }) => prompt.split(" ").length);
  const words: [number, number] = [Math.min(...lengths), Math.max(...lengths)];
  const card = {
    ...CARD,
    vocabulary: [...WORDS, "5"],
    levels: CARD.levels.map((level) => ({ ...level, words })),
  };
  for (const { prompt, gold } of set.train) {
    expect([prompt, checkPrompt(card, prompt).can_read]).toEqual([prompt, true]);
    const read = readHeadingPrompt(prompt);
    expect(read && toHeadingLetter(solveHeadingPrompt(read))).toBe(gold);
    expect(read && formatTinyPrompt(read.start, read.moves)).toBe(prompt);
  }
});

it.each([
  ["start north 1 left 3 left heading ?", "not numbered in order"],
  ["start north left right heading ?", "not numbered"],
  ["start up 1 left 2 left heading ?", "no heading"],
  ["start north 1 left 2 heading ?", "a number without a move"],
  ["1 left 2 left heading ?", "no start"],
])("%s is no heading prompt: %s", (prompt) => {
  expect(readHeadingPrompt(prompt)).toBeNull();
  expect(checkPrompt(CARD, prompt).can_read).toBe(false);
});

it("refuses words that it does not know by name, and says what it can answer", () => {
  const check = checkPrompt(CARD, "Which way does the red chair face? A. left B. right");
  expect(check).toMatchObject({
    can_read: false,
    unknown: ["Which", "way", "does", "the", "red", "chair", "face?", "A.", "B."],
    reason:
      "This policy knows 26 words, and not “Which”, “way”, “does”, “the”, “red”, “chair” and 3 more. It can tell the heading after 2 to 4 moves.",
  });
});

it("refuses known words in an order that is no question, more moves than it learned, and nothing", () => {
  const reason = (prompt: string) => {
    const check = checkPrompt(CARD, prompt);
    return check.can_read ? null : check.reason;
  };
  expect(reason("left left north ?")).toMatch(/not learned questions of this kind/);
  expect(reason("start north 1 left heading ?")).toBe(
    "This policy has not learned 1 move. It can tell the heading after 2 to 4 moves.",
  );
  expect(reason("start north 1 left 2 left 3 left 4 left 5 left heading ?")).toMatch(/not “5”/);
  expect(reason("   ")).toMatch(/nothing to read/);
});

it("reads prompts of another task by words and length alone", () => {
  const card = {
    ...CARD,
    levels: [{ task: "count", example: "left left ?", words: [3, 4] as [number, number], options: null }],
  };
  expect(getMoveRange(card)).toBeNull();
  expect(checkPrompt(card, "left right right ?").can_read).toBe(true);
  expect(checkPrompt(card, "left right right right ?")).toMatchObject({
    reason: "This policy has not learned questions of 5 words. It learned questions like “left left ?”.",
  });
  expect(toHeadingQuestion(card, [left]).reason).toMatch(/not learned to tell a heading/);
});

it("adds up turns between walks and rounds them to quarters", () => {
  const slow: Leg[] = [-28, -31, -33].map((yaw_deg) => ({ action: "rotate left", yaw_deg }));
  expect(ask([walk, ...slow, walk])).toMatchObject({
    prompt: "start north 1 forward 2 left 3 forward heading ?",
    gold: "D",
    unclear: [],
    added_up: [],
  });
});

it("agrees with a world's own moves", () => {
  const steps: Step[] = [
    { action: "rotate right", amount: 90 },
    { action: "move forward", amount: 2 },
    { action: "rotate right", amount: 180 },
    { action: "tilt upward", amount: 20 },
  ];
  const legs = steps.map(({ action, amount }): Leg => ({ action, yaw_deg: amount }));
  expect(ask(legs).moves).toEqual(toMoves(steps));
});

it("fills up what is too short with moves that turn nothing", () => {
  expect(ask([right])).toMatchObject({ prompt: "start north 1 forward 2 right heading ?", gold: "B" });
  expect(ask([{ action: "tilt upward", yaw_deg: null }]).prompt).toBe(
    "start north 1 forward 2 forward heading ?",
  );
});

it("adds up into the start what is too long, and the answer stays the same", () => {
  const legs = [left, walk, left, walk, right, walk, left];
  const question = ask(legs);
  expect(question).toMatchObject({
    prompt: "start south 1 forward 2 right 3 forward 4 left heading ?",
    added_up: ["left", "forward", "left"],
    gold: "C",
  });
  expect(checkPrompt(CARD, question.prompt).can_read).toBe(true);
});

it("names the legs that nothing is known of, and invents no turn for them", () => {
  const legs: Leg[] = [
    { action: null, yaw_deg: null },
    { action: "unclear", yaw_deg: null },
    { action: "rotate left", yaw_deg: null },
    right,
  ];
  expect(ask(legs)).toMatchObject({ unclear: [0, 1, 2], moves: ["forward", "right"] });
  expect(toHeadingQuestion(CARD, legs.slice(0, 3))).toEqual({
    question: null,
    reason: "No action of this clip is clear, so nothing can be said of its heading.",
  });
});

it("counts the turn of a walk that ends in one, where only the turn is clear", () => {
  const legs: Leg[] = [walk, { action: "unclear", yaw_deg: -52 }, { action: "rotate left", yaw_deg: -40 }];
  expect(ask(legs)).toMatchObject({ unclear: [], moves: ["forward", "left"] });
});

it("puts white space around tags, as the trainer does", () => {
  expect(spaceTags("heading ? <think>1 left</think><answer>")).toBe(
    "heading ? <think> 1 left </think> <answer>",
  );
});
