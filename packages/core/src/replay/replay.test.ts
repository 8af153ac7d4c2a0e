import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parseExpressionAt } from "acorn";
import { beforeAll, describe, expect, it } from "vitest";
import { completionLine } from "../testing/index.ts";
import { type LineOf, readAcceptedLine } from "../wire/index.ts";
import {
  compileFormula,
  createReplayTally,
  type FormulaNode,
  isSamePlan,
  NOT_ASKED,
  type QuestionFacts,
  type Replayer,
  type ReplayPlan,
  readQuestionFacts,
  replayGroups,
} from "./index.ts";

type Line = LineOf<"completion">;
const AS_RUN: ReplayPlan = { rules: "as_run", weights: null, formula: null };
const parse = (text: string) =>
  parseExpressionAt(text, 0, { ecmaVersion: 2022, preserveParens: true }) as unknown as FormulaNode;
const four: QuestionFacts = {
  options: { count: 4, texts: ["north", "east", "south", "west"] },
  kind: "choice",
};

function plan(change: Partial<ReplayPlan>) {
  const whole = { ...AS_RUN, ...change };
  const formula = whole.formula === null ? null : compileFormula(whole.formula, parse).formula;
  if (whole.formula !== null && formula === null) throw new Error("the formula of the test is wrong");
  return { plan: whole, formula, own_rules: "sightline" as const, scale: "group" as const };
}

function replayGroup(lines: readonly Line[], replayer: Replayer, question: QuestionFacts | null) {
  const [replayed] = replayGroups([{ lines, question }], replayer);
  if (!replayed) throw new Error("no group came back");
  return replayed;
}

function group(...changes: Parameters<typeof completionLine>[1][]): Line[] {
  return changes.map((change, k) => completionLine({ seq: k + 1 }, { k, ...change }));
}

const raw = (value: number | null, weight: number, null_reason: string | null = null) => ({
  raw: value,
  weight,
  null_reason,
});
const judged = (letter: string | null, status: Line["judges"][number]["status"], variant = "paper") => [
  { variant, letter, agrees: letter === null ? null : true, status, ms: 1, cached: false },
];

describe("a recorded run, replayed", () => {
  let groups: Line[][] = [];
  let questions = new Map<string, QuestionFacts>();
  beforeAll(() => {
    const file = new URL("../../../../fixtures/recorded/tiny.json.gz", import.meta.url);
    const { files } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as {
      files: Record<string, string>;
    };
    questions = readQuestionFacts(`${files["data/train.jsonl"]}${files["data/eval.jsonl"]}`);
    const found = new Map<string, Line[]>();
    for (const text of (files["attempts/001/completions-00001.jsonl"] ?? "").trim().split("\n")) {
      const line = readAcceptedLine(text) as Line;
      const key = `${line.step} ${line.group_id}`;
      found.set(key, [...(found.get(key) ?? []), line]);
    }
    groups = [...found.values()];
  });

  const replay = (change: Partial<ReplayPlan>, known = true) => {
    const replayer = plan(change);
    const tally = createReplayTally(isSamePlan(replayer.plan, replayer.own_rules));
    for (const lines of groups)
      tally.add(
        lines.map(({ seq }) => seq),
        lines,
        replayGroup(lines, replayer, known ? (questions.get(lines[0]?.question_id ?? "") ?? null) : null),
      );
    return tally.summary();
  };

  it.each(["as_run", "sightline"] as const)(
    "gives every reward and advantage that the run emitted, by the rules %s",
    (rules) => {
      const summary = replay({ rules });
      expect(summary).toMatchObject({ completions: 12_288, groups: 1536, last_step: 192, is_same: true });
      expect(summary.mismatches).toEqual({ rewards: 0, advantages: 0, first: [] });
      expect(Object.values(summary.flips).reduce((sum, n) => sum + n, 0)).toBe(0);
      expect(summary.rewards_changed).toBe(0);
      expect(summary.total.tied.before).toBe(summary.total.tied.after);
      expect(summary.held_out.map(({ n }) => n)).toEqual([132, 132, 132, 132]);
    },
  );

  it("keeps the reading of answers in words where the options are lost, and says how many", () => {
    const summary = replay({ rules: "sightline" }, false);
    expect(summary.mismatches).toEqual({ rewards: 0, advantages: 0, first: [] });
    expect(summary.without_options).toBeGreaterThan(1000);
  });

  it("pays no tied group by other weights, and turns no verdict over", () => {
    const summary = replay({ weights: [{ format: 0, accuracy: 1, consistency: 0 }] });
    expect(summary.is_same).toBe(false);
    expect(summary.flips).toMatchObject({ accuracy_lost: 0, accuracy_gained: 0, format_lost: 0 });
    expect(summary.rewards_changed).toBeGreaterThan(1000);
    // By accuracy alone the reward is the accuracy, and each group of one accuracy is tied.
    expect(summary.total.reward.after).toBeCloseTo(summary.total.accuracy.after ?? Number.NaN, 12);
    expect(summary.total.tied.after).toBeGreaterThan(summary.total.tied.before);
  });

  it("invents no consistency where the judge saw one group in eight", () => {
    const summary = replay({ weights: [{ format: 1, accuracy: 7, consistency: 2 }] });
    const unseen = summary.unknown.find(({ reason }) => reason.includes("a sample of the groups"));
    expect(unseen?.n).toBe(7168);
    expect(summary.total.unknown).toBe(7168 / 8);
    // In the first two stages the means are of the groups that it saw, before and after alike.
    const first = summary.steps[0];
    expect(first).toMatchObject({ n: 64, groups: 8, unknown: 7 });
    expect(first?.tied.before).toBeLessThanOrEqual(1);
    // The last stage had these weights and is the same as before.
    for (const step of summary.steps.filter((one) => one.step > 128)) {
      expect(step.unknown).toBe(0);
      expect(step.reward.after).toBeCloseTo(step.reward.before ?? Number.NaN, 12);
    }
  });
});

describe("scoring anew", () => {
  const weights = (format: number, accuracy: number, consistency: number) => ({
    format,
    accuracy,
    consistency,
  });

  it("B19, S05: the rule set embodied-r stands beside ours and turns over what it reads elsewhere", () => {
    const [one] = replayGroup(
      group({
        text: "<think>Option A. is wrong, because a shop</think><answer>C</answer>",
        gold: "C",
        parse: { think: [7, 41], answer: [57, 58], letter: "C", rule: "lone_letter" },
        rewards: { format: raw(1, 0.5), accuracy: raw(1, 0.5), consistency: raw(1, 0) },
        judges: judged("C", "ok"),
      }),
      plan({ rules: "embodied-r" }),
      four,
    ).completions;
    expect(one?.flips).toEqual(["accuracy_lost", "consistency_lost"]);
    expect(one?.before.letter).toBe("C");
    expect(one?.after).toMatchObject({ letter: "A", accuracy: 0, consistency: 0, format: 1, reward: 0.5 });
  });

  it("gives no verdict of the judge where an answer becomes right that it never saw", () => {
    const wrong = {
      text: "<think>so the answer is C.</think><answer>B</answer>",
      gold: "C",
      parse: {
        think: [7, 26] as [number, number],
        answer: [42, 43] as [number, number],
        letter: "B",
        rule: "x",
      },
      rewards: { format: raw(1, 0.1), accuracy: raw(0, 0.7), consistency: raw(0, 0.2) },
      reward: 0.1,
    };
    const lines = group({ ...wrong, judges: judged(null, "skipped_wrong_answer") });
    const [one] = replayGroup(lines, plan({ rules: "embodied-r" }), four).completions;
    expect(one?.after).toMatchObject({ accuracy: 1, consistency: null, reward: null, advantage: null });
    expect(one?.after.reason).toContain(NOT_ASKED);
    expect(one?.flips).toEqual(["accuracy_gained", "consistency_unknown"]);
    // Asked of every answer, its letter is stored and needs no second question.
    const asked = group({ ...wrong, judges: judged("C", "ok", "unconditional") });
    expect(replayGroup(asked, plan({ rules: "embodied-r" }), four).completions[0]?.after.consistency).toBe(1);
  });

  it("counts a failed judge for nothing in the whole group, as the trainer does, and keeps it null", () => {
    const failed = raw(null, 0.2, "judge failed in the group");
    const lines = group(
      { rewards: { format: raw(1, 0.1), accuracy: raw(1, 0.7), consistency: failed }, reward: 0.8 },
      { rewards: { format: raw(1, 0.1), accuracy: raw(0, 0.7), consistency: failed }, reward: 0.1 },
    );
    const { completions } = replayGroup(lines, plan({ weights: [weights(1, 7, 2)] }), four);
    expect(completions.map(({ after }) => after.reward?.toFixed(6))).toEqual(["0.800000", "0.100000"]);
    expect(completions[0]?.after).toMatchObject({ consistency: null, reason: "judge failed in the group" });
  });

  it("takes the weights of a completion's stage", () => {
    const parts = { format: raw(1, 0.5), accuracy: raw(0, 0.5), consistency: raw(0, 0) };
    const by = plan({ weights: [weights(7, 3, 0), weights(1, 7, 2)] });
    const at = (stage: number) =>
      replayGroup(group({ stage, rewards: parts }), by, four).completions[0]?.after.reward;
    expect([at(0), at(1), at(5)].map((one) => one?.toFixed(3))).toEqual(["0.700", "0.100", "0.100"]);
  });

  it("keeps a person's own rewards as the run emitted them, and lets weights by name leave them out", () => {
    const parts = {
      format: raw(1, 0.25),
      accuracy: raw(1, 0.5),
      consistency: raw(0, 0),
      brevity: raw(0.5, 0.25),
    };
    const of = (change: Partial<ReplayPlan>) =>
      replayGroup(group({ rewards: parts }), plan(change), four).completions[0]?.after.reward;
    expect(of({})).toBeCloseTo(0.875, 12);
    expect(of({ weights: [weights(1, 1, 0)] })).toBeCloseTo(1, 12);
    expect(of({ weights: [{ ...weights(1, 1, 0), brevity: 2 }] })).toBeCloseTo(0.75, 12);
    expect(of({ formula: "weighted" })).toBeCloseTo(0.875, 12);
  });

  it("blames a part that is not known for what a formula can't give, and none where there is no number at all", () => {
    const parts = { format: raw(1, 1), accuracy: raw(1, 0), consistency: raw(null, 0, "not_sampled") };
    const reason = (formula: string) =>
      replayGroup(group({ rewards: parts }), plan({ formula }), four).completions[0]?.after.reason;
    expect(reason("accuracy + consistency")).toContain("consistency is not known");
    expect(reason("1 / 0")).toBe("the formula gives null or no finite number");
  });

  it("leaves advantages as distances from the mean where the run did not scale them", () => {
    const parts = (format: number) => ({
      format: raw(format, 1),
      accuracy: raw(0, 0),
      consistency: raw(0, 0),
    });
    const lines = group({ rewards: parts(1) }, { rewards: parts(0) });
    const { completions } = replayGroup(lines, { ...plan({}), scale: "none" }, four);
    expect(completions.map(({ after }) => after.advantage)).toEqual([0.5, -0.5]);
  });

  it("divides by the deviation of the whole generation where the run does, and says nothing where that is unknown", () => {
    const parts = (accuracy: number | null) => ({
      format: raw(1, 0.5),
      accuracy: raw(accuracy, 0.5, accuracy === null ? "not scored" : null),
      consistency: raw(0, 0),
    });
    const of = (...values: (number | null)[]) => ({
      lines: group(...values.map((value) => ({ rewards: parts(value) }))),
      question: four,
    });
    const by = { ...plan({}), scale: "batch" as const };
    const advantages = (groups: ReturnType<typeof of>[]) =>
      replayGroups(groups, by).map(({ completions }) => completions.map(({ after }) => after.advantage));
    // The rewards 1, 0.5, 0.5, 0.5 have the standard deviation 0.25.
    const [spread, tied] = advantages([of(1, 0), of(0, 0)]);
    expect(spread?.[0]).toBeCloseTo(0.25 / 0.2501, 12);
    expect(spread?.[1]).toBeCloseTo(-0.25 / 0.2501, 12);
    expect(tied).toEqual([0, 0]);
    expect(advantages([of(1, 0), of(null, 0)])).toEqual([
      [null, null],
      [null, null],
    ]);
    // Held-out answers have no reward and take nothing away.
    const held = { ...of(1), lines: group({ split: "eval" }) };
    expect(advantages([of(1, 0), of(0, 0), held])[0]?.[0]).toBeCloseTo(0.25 / 0.2501, 12);
  });

  it("names the line where a run's own numbers are not what its rules give", () => {
    const tally = createReplayTally(true);
    const lines = group({
      step: 7,
      k: 3,
      rewards: { format: raw(1, 0.5), accuracy: raw(1, 0.5), consistency: raw(0, 0) },
      reward: 0.4,
      advantage: 0,
    });
    tally.add([41], lines, replayGroup(lines, plan({}), four));
    expect(tally.summary().mismatches).toEqual({
      rewards: 1,
      advantages: 0,
      first: [{ completion_id: 41, step: 7, k: 3, what: "reward", emitted: 0.4, replayed: 1 }],
    });
  });

  it("holds a bounded number of steps, whose means stay those of all completions", () => {
    const tally = createReplayTally(false);
    for (let step = 1; step <= 5000; step++) {
      const lines = group({
        step,
        rewards: { format: raw(step % 2, 1), accuracy: raw(0, 0), consistency: raw(0, 0) },
      });
      tally.add([step], lines, replayGroup(lines, plan({}), four));
    }
    const { steps, width, total } = tally.summary();
    expect(width).toBe(4);
    expect(steps.length).toBe(1251);
    expect(steps[10]).toMatchObject({ step: 40, n: 4, format: { before: 0.5, after: 0.5 } });
    expect(total.format.after).toBe(0.5);
  });
});

describe("a formula", () => {
  const facts = {
    format: 1,
    accuracy: 0.5,
    consistency: null,
    weighted: 0.6,
    tokens: 200,
    truncated: true,
    think_chars: 90,
    answer_chars: 1,
    letter: "B",
    gold: "B",
    task: "route",
    step: 3,
    epoch: 0.5,
    stage: 1,
  };
  const count = (text: string) => compileFormula(text, parse).formula?.(facts);
  const fault = (text: string) => {
    const { fault: found } = compileFormula(text, parse);
    return found && { ...found, words: text.slice(found.from, found.to) };
  };

  it.each([
    ["0.1 * format + 0.9 * accuracy", 0.55],
    ["(format + accuracy) / 2", 0.75],
    ["truncated ? 0 : weighted", 0],
    ["weighted - 0.001 * max(0, tokens - 100)", 0.5],
    ["letter == gold && !truncated", 0],
    ["accuracy * (tokens <= 200)", 0.5],
    ["consistency ?? 0.25", 0.25],
    ["consistency", null],
    ["accuracy + consistency", null],
    ["1 / 0", null],
    ["consistency > 0 && false", 0],
    ["letter == null ? 0 : clamp(tokens, 0, 3)", 3],
    [`task == "route" ? 2 ** 3 % 5 : -1`, 3],
    ["((((accuracy))))", 0.5],
  ])("%s", (text, wanted) => {
    if (wanted === null) expect(count(text)).toBeNull();
    else expect(count(text)).toBeCloseTo(wanted, 12);
  });

  it.each([
    ["", "", /Write a formula/],
    ["format +", "", /not finished/],
    ["format accuracy", "accuracy", /operator is missing/],
    ["1 + leng", "leng", /no value called leng/],
    ["1 + constructor", "constructor", /no value called/],
    ["format = 1", "format = 1", /can't set a value/],
    ["process.exit()", "process.exit", /no such function/],
    ["format.constructor", "format.constructor", /no parts/],
    ["eval('1')", "eval", /no such function/],
    ["(() => 1)()", "(() => 1)", /no such function/],
    ["1 + letter", "letter", /is a text/],
    ["max()", "max()", /takes 1 to 8 numbers, not 0/],
    ["letter", "letter", /gives a text/],
    ["letter == 3", "letter == 3", /compared with/],
    ["`a`", "`a`", /quotes/],
    ["/a/", "/a/", /Only numbers/],
    ["1n", "1n", /Only numbers/],
    ["typeof format", "typeof format", /not part of a formula/],
    ["this", "this", /Only numbers/],
    ["3 $ 4", "$ 4", /operator is missing/],
    ["3 # 4", "", /operator is missing|can't be read/],
  ])("refuses %s and names the place", (text, words, message) => {
    const found = fault(text);
    expect(found?.message).toMatch(message);
    expect(found?.words.startsWith(words)).toBe(true);
  });

  it("refuses what is too long or too deep, and lives", () => {
    expect(fault("1+".repeat(1500))?.message).toMatch(/2000 characters at most/);
    const deep = fault(`${"(".repeat(990)}1${")".repeat(990)}`);
    if (deep !== null) expect(deep.message).toMatch(/nested too deeply/);
    expect(fault(`${"-".repeat(1)}${"!".repeat(1900)}1`)?.message ?? "fine").toMatch(
      /fine|nested too deeply/,
    );
  });
});
