import type { StoredQuestion } from "@sightline/core/benchmarks";
import type { RunDetail, RunSummary } from "@sightline/core/runs";
import { completionLine } from "@sightline/core/testing";
import type { LineOf } from "@sightline/core/wire";
import { expect, test } from "vitest";
import { makeCard, nameQuestions } from "./card.ts";
import { createOnHosts } from "./on-hosts.ts";

const run = (change: Partial<RunSummary> = {}) =>
  ({
    run_id: "e1",
    name: "tiny at 64",
    engine: "evaluate",
    state: "running",
    problem: null,
    host_id: "local",
    step: 2,
    max_steps: 3,
    created_secs: 5,
    ...change,
  }) as RunSummary;

const group = (question_id: string, letter: string, gold: string, change: object = {}) => {
  const line = completionLine({}, { question_id, gold });
  const accuracy = { raw: letter === gold ? 1 : 0, weight: 0, null_reason: null };
  const completions = [
    { ...line, parse: { ...line.parse, letter }, rewards: { ...line.rewards, accuracy }, tokens: 9 },
  ];
  return {
    attempt: 1,
    question_id,
    clip_id: null,
    task: "heading",
    gold,
    prompt: "start north",
    completions,
    ...change,
  };
};

function open(
  summary = run(),
  settings: Record<string, unknown> = { checkpoint: "trained/64" },
  groups = [group("q1", "A", "A"), group("q2", "B", "A"), group("q1", "B", "A")],
  questions: Partial<StoredQuestion>[] | null = null,
  phase: LineOf<"phase"> | null = null,
) {
  const asked: [string, number][] = [];
  const onHosts = createOnHosts({
    listRuns: () => [summary, run({ run_id: "t", engine: "grpo" })],
    getRun: () => ({ run: summary, spec: { settings } }) as unknown as RunDetail,
    completions(run_id, step) {
      asked.push([run_id, step]);
      // The same question from two attempts: a kill came between writing it and knowing so.
      return groups as never;
    },
    findPhase: () => phase,
    findCard: () =>
      ({
        hash: "h1",
        values: { seed: 3, temperature: 0, questions: "by prompts" },
      }) as unknown as LineOf<"config">,
    findQuestions: (set_id) => (set_id === "set" ? (questions as StoredQuestion[]) : null),
    readAsked: () => [{ question_id: "q1", gold: "A" }],
  });
  return { onHosts, asked };
}

test("runs of the engine evaluate are evaluations, and no others", () => {
  const { onHosts } = open();
  expect(onHosts.list()).toEqual([
    expect.objectContaining({
      evaluation_id: "run:e1",
      state: "working",
      questions: 3,
      waiting: 1,
      reasoner: expect.objectContaining({ kind: "host", checkpoint: "trained/64", run_id: "e1" }),
    }),
  ]);
  expect(onHosts.runOf("run:t")).toBeNull();
  expect(onHosts.get("run:t")).toBeNull();
  expect(onHosts.get("e1")).toBeNull();
});

test("answers count as soon as they end, while their batch is on its way", () => {
  const phase = (name: string, done: number) =>
    ({ type: "phase", name, done, total: 3 }) as unknown as LineOf<"phase">;
  const waiting = (state: RunSummary["state"], said: LineOf<"phase"> | null, step: number | null = 1) =>
    open(run({ state, step }), undefined, undefined, null, said).onHosts.list()[0]?.waiting;
  expect(waiting("running", phase("evaluate", 2))).toBe(1);
  expect(waiting("running", phase("evaluate", 0), null)).toBe(3);
  expect(waiting("running", phase("load_model", 1))).toBe(2);
  expect(waiting("stopped", phase("evaluate", 2))).toBe(2);
});

test("a row per question, each once, from the lines of the checkpoint's step", () => {
  const { onHosts, asked } = open();
  const rows = onHosts.get("run:e1")?.rows ?? [];
  expect(asked).toEqual([["e1", 64]]);
  expect(
    rows.map(({ question_id, letter, accuracy, tokens }) => [question_id, letter, accuracy, tokens]),
  ).toEqual([
    ["q1", "A", 1, 9],
    ["q2", "B", 0, 9],
  ]);
});

test("the state of an evaluation is its run's", () => {
  const states = (["done", "stopped", "failed", "interrupted", "queued", "stopping"] as const).map(
    (state) => open(run({ state })).onHosts.list()[0]?.state,
  );
  expect(states).toEqual(["done", "cancelled", "failed", "failed", "working", "cancelling"]);
});

test("the untrained policy is asked at step 0", () => {
  const { onHosts, asked } = open(run(), { checkpoint: "" });
  expect(onHosts.get("run:e1")?.reasoner).toMatchObject({ checkpoint: null });
  expect(asked).toEqual([["e1", 0]]);
});

test("the card names what is asked as evaluations of endpoints do, and no seed where nothing is drawn", () => {
  const plain = open().onHosts.get("run:e1")?.card;
  expect(plain?.values).toEqual({ questions: "by prompts", temperature: 0 });
  const ofSet = open(run(), { checkpoint: "", eval_file: "f".repeat(64) }).onHosts.get("run:e1")?.card;
  expect(ofSet).toEqual(
    makeCard({ temperature: 0, questions: nameQuestions([{ question_id: "q1", gold: "A" }]) }),
  );
  expect(ofSet?.hash).not.toBe(plain?.hash);
});

test("the label prior goes by task and number of options, which the prompts tell", () => {
  const four = "Question: Which?\nChoices:\nA. a\nB. b\nC. c\nD. d";
  const two = "Question: Which?\nChoices:\nA. a\nB. b";
  const groups = [
    ...Array.from({ length: 20 }, (_, at) =>
      group(`two-${at}`, "A", "B", { prompt: two, clip_id: `c${at}` }),
    ),
    ...Array.from({ length: 30 }, (_, at) =>
      group(`four-${at}`, "A", "D", { prompt: four, clip_id: `c${at}` }),
    ),
  ];
  const rows = open(run(), { checkpoint: "" }, groups).onHosts.get("run:e1")?.rows ?? [];
  expect(new Set(rows.slice(0, 20).map(({ prior }) => prior))).toEqual(new Set(["B"]));
  expect(new Set(rows.slice(20).map(({ prior }) => prior))).toEqual(new Set(["D"]));
});

test("of a set of the library the prior is learned from its training side, and the words are its own", () => {
  const known = (question_id: string, gold: string, split: "train" | "test") => ({
    question_id,
    text: `Which ${question_id}?`,
    task: "heading",
    options: ["a", "b", "c"],
    gold,
    kind: "choice" as const,
    dataset: "set",
    scene: null,
    split,
  });
  const set = [known("t1", "C", "train"), known("t2", "C", "train"), known("q1", "A", "test")];
  const settings = {
    checkpoint: "",
    set_id: "set",
    side: "test",
    set_aside: "2 without triples of their clip",
  };
  const shown = open(run(), settings, undefined, set).onHosts.get("run:e1");
  expect(shown).toMatchObject({ set_id: "set", side: "test", reasoner: { set_aside: settings.set_aside } });
  expect(shown?.rows[0]).toMatchObject({ question_id: "q1", text: "Which q1?", prior: "C" });
  expect(shown?.rows[1]).toMatchObject({ question_id: "q2", text: "start north", prior: null });
});
