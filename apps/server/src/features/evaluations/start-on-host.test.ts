import { formatHeadingQuestion } from "@sightline/core/ask";
import type { StoredQuestion } from "@sightline/core/benchmarks";
import type { TripleSet } from "@sightline/core/perception";
import type { PolicyCard } from "@sightline/core/policies";
import type { RunDetail } from "@sightline/core/runs";
import { HEADINGS, type TrainingRow } from "@sightline/core/worlds";
import { expect, test } from "vitest";
import { createHostStart } from "./start-on-host.ts";

const question = (question_id: string, change: Partial<StoredQuestion> = {}) =>
  ({
    question_id,
    clip_id: "c1",
    task: "heading",
    text: formatHeadingQuestion("north"),
    options: [...HEADINGS],
    gold: "B",
    kind: "choice",
    split: null,
    trashed_secs: null,
    ...change,
  }) as StoredQuestion;

const QUESTIONS = [
  question("turns"),
  question("colour", { text: "Which colour?", options: ["red", "green"], gold: "A", split: "test" }),
  question("no triples", { clip_id: "c2" }),
  question("no clip", { clip_id: null }),
  question("no answer", { gold: null }),
  question("in the trash", { trashed_secs: 1 }),
];

const triples = [
  { index: 0, action: null, change: "A room.", relevant: "", raw: "", problems: [], motion: null },
  {
    index: 1,
    action: "rotate right",
    change: "A door.",
    relevant: "",
    raw: "",
    problems: [],
    motion: { yaw_deg: 90 },
  },
] as unknown as TripleSet["triples"];

const card = {
  vocabulary: [],
  levels: [{ task: "heading", example: "start north 1 right heading ?", words: [6, 14], options: null }],
} as unknown as PolicyCard;

const trained = (model: string, change: object = {}) =>
  ({
    run: { name: "trained", host_id: "lab", engine: "grpo", recorded: false, watched: false, ...change },
    spec: {
      seed: 5,
      settings: {
        model,
        world_seed: 2,
        warm_steps: 10,
        reward_file: "x",
        num_processes: 8,
        judge_variants: "paper",
      },
    },
  }) as unknown as RunDetail;

function open(run = trained("tiny"), found: PolicyCard | null = card) {
  const launched: Record<string, unknown>[] = [];
  const kept: TrainingRow[] = [];
  const start = createHostStart({
    listQuestions: () => QUESTIONS,
    readTriples: (clip_id) => (clip_id === "c1" ? triples : null),
    getRun: () => run,
    findCard: async () => found,
    keepQuestions(rows) {
      kept.push(...rows);
      return { eval_file: "kept" };
    },
    async launch(order) {
      launched.push(order);
      return { run_id: "e1" };
    },
  });
  return { start, launched, kept };
}

const SET = { set_id: "set", side: null };
const CHECKPOINT = { kind: "checkpoint" as const, run_id: "t1", step: 64 };
const HUB = { kind: "hub" as const, host_id: "lab", model: "Qwen/Qwen2.5-3B-Instruct" };

test("a tiny checkpoint is asked in its own words, on its host, by the recipe that its words come from", async () => {
  const { start, launched, kept } = open();
  expect(await start.start({ ...SET, name: "first", model: CHECKPOINT })).toEqual({ run_id: "e1" });
  expect(kept).toEqual([
    expect.objectContaining({ question_id: "turns", question: "heading ?", gold: "B", clip_id: "c1" }),
  ]);
  expect(kept[0]?.prompt).toMatch(/^start north .*heading \?$/);
  expect(launched[0]).toMatchObject({ engine: "evaluate", host_id: "lab", seed: 5, name: "first" });
  expect(launched[0]?.settings).toEqual({
    model: "tiny",
    world_seed: 2,
    warm_steps: 10,
    judge_variants: "unconditional",
    checkpoint: "t1/64",
    eval_file: "kept",
    set_id: "set",
    side: null,
    asked: 1,
    set_aside:
      "1 that this policy can't read, 1 without triples of their clip, 1 without a clip in the library, 1 without a right answer",
    frames: "key-frames of each clip",
    temperature: 0,
    prompt_version: "heading-1",
  });
});

test("a model of the hub reads the triples as they are laid out for everyone", async () => {
  const { start, launched, kept } = open();
  await start.start({ ...SET, name: "3B", model: HUB });
  expect(kept.map(({ question_id }) => question_id)).toEqual(["turns", "colour"]);
  expect(kept[1]?.prompt).toContain("Question: Which colour?\nChoices:\nA. red\nB. green");
  expect(launched[0]).toMatchObject({
    host_id: "lab",
    settings: { model: HUB.model, checkpoint: "", asked: 2, prompt_version: "ask-1" },
  });
});

test("what can't be asked is counted before anything begins", async () => {
  const { start } = open();
  expect(await start.plan({ ...SET, model: HUB })).toEqual({
    questions: 2,
    set_aside: [
      "1 without triples of their clip",
      "1 without a clip in the library",
      "1 without a right answer",
    ],
  });
  expect(await start.plan({ ...SET, side: "test", model: HUB })).toEqual({ questions: 1, set_aside: [] });
  const unexported = await open(trained("tiny"), null).start.plan({ ...SET, model: CHECKPOINT });
  expect(unexported).toMatchObject({ questions: 0 });
  expect(unexported.set_aside[0]).toContain("has not exported its policy");
});

test("nothing is launched without a question, nor from a run without checkpoints of its own", async () => {
  const { start, launched } = open();
  await expect(start.start({ ...SET, side: "test", name: "none", model: CHECKPOINT })).rejects.toThrow(
    "No question of this set can be asked: 1 that this policy can't read.",
  );
  for (const [change, reason] of [
    [{ engine: "simulator" }, "nothing was trained"],
    [{ recorded: true }, "recorded elsewhere"],
    [{ watched: true }, "started by somebody else"],
  ] as const)
    await expect(
      open(trained("tiny", change)).start.start({ ...SET, name: "x", model: CHECKPOINT }),
    ).rejects.toThrow(reason);
  expect(launched).toEqual([]);
});
