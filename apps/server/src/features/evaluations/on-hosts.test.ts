import type { RunDetail, RunSummary } from "@sightline/core/runs";
import { completionLine } from "@sightline/core/testing";
import type { LineOf } from "@sightline/core/wire";
import { expect, test } from "vitest";
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

function open(summary = run(), settings: Record<string, unknown> = { checkpoint: "trained/64" }) {
  const asked: [string, number][] = [];
  const onHosts = createOnHosts({
    listRuns: () => [summary, run({ run_id: "t", engine: "grpo" })],
    getRun: () => ({ run: summary, spec: { settings } }) as unknown as RunDetail,
    completions(run_id, step) {
      asked.push([run_id, step]);
      // The same question from two attempts: a kill came between writing it and knowing so.
      return [group("q1", "A", "A"), group("q2", "B", "A"), group("q1", "B", "A")] as never;
    },
    findCard: () => ({ hash: "h1", values: { temperature: 0 } }) as unknown as LineOf<"config">,
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
      card: { hash: "h1", values: { temperature: 0 } },
      reasoner: expect.objectContaining({ kind: "host", checkpoint: "trained/64", run_id: "e1" }),
    }),
  ]);
  expect(onHosts.runOf("run:t")).toBeNull();
  expect(onHosts.get("run:t")).toBeNull();
  expect(onHosts.get("e1")).toBeNull();
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
  const states = (["done", "stopped", "failed", "interrupted", "queued"] as const).map(
    (state) => open(run({ state })).onHosts.list()[0]?.state,
  );
  expect(states).toEqual(["done", "cancelled", "failed", "failed", "working"]);
});

test("the untrained policy is asked at step 0", () => {
  const { onHosts, asked } = open(run(), { checkpoint: "" });
  expect(onHosts.get("run:e1")?.reasoner).toMatchObject({ checkpoint: null });
  expect(asked).toEqual([["e1", 0]]);
});
