import { formatHeadingQuestion } from "@sightline/core/ask";
import type { StoredQuestion } from "@sightline/core/benchmarks";
import type { TripleSet } from "@sightline/core/perception";
import type { PolicyCard } from "@sightline/core/policies";
import type { RunDetail } from "@sightline/core/runs";
import { HEADINGS, type TrainingRow } from "@sightline/core/worlds";
import { expect, test } from "vitest";
import { spreadFrames } from "./show-rows.ts";
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

const JPEG = Buffer.from("one picture");

function open(
  run = trained("tiny"),
  found: PolicyCard | null = card,
  drawn: ReadonlyMap<number, Buffer> = new Map([0, 9, 20, 31, 44].map((frame) => [frame, JPEG])),
) {
  const launched: Record<string, unknown>[] = [];
  const kept: TrainingRow[] = [];
  const pictures = new Map<string, Buffer>();
  const start = createHostStart({
    listQuestions: () => QUESTIONS,
    readTriples: (clip_id) => (clip_id === "c1" ? triples : null),
    pictures: {
      listKeyFrames: (clip_id) => (clip_id === "c1" ? [0, 9, 20, 31, 44] : []),
      async draw(frames) {
        return new Map([...frames.keys()].map((clip_id) => [clip_id, new Map(drawn)]));
      },
    },
    getRun: () => run,
    findCard: async () => found,
    keepQuestions(rows, files) {
      kept.push(...rows);
      for (const [name, jpeg] of files) pictures.set(name, jpeg);
      return { eval_file: "kept" };
    },
    async launch(order) {
      launched.push(order);
      return { run_id: "e1" };
    },
  });
  return { start, launched, kept, pictures };
}

const SET = { set_id: "set", side: null };
const CHECKPOINT = { kind: "checkpoint" as const, run_id: "t1", step: 64 };
const HUB = { kind: "hub" as const, host_id: "lab", model: "Qwen/Qwen2.5-3B-Instruct", max_tokens: 512 };

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
    settings: {
      model: HUB.model,
      checkpoint: "",
      asked: 2,
      prompt_version: "ask-1",
      max_completion_tokens: 512,
    },
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

test("a checkpoint that sees is shown its clip's key-frames as in training, and its card says so", async () => {
  const seeing = trained("tiny-vlm");
  Object.assign(seeing.spec.settings, { vlm_frames: 3, question_file: "theirs" });
  const { start, launched, kept, pictures } = open(seeing);
  expect(await start.plan({ ...SET, model: CHECKPOINT })).toEqual({
    questions: 2,
    set_aside: [
      "1 without key-frames of their clip",
      "1 without a clip in the library",
      "1 without a right answer",
    ],
  });
  await start.start({ ...SET, name: "sees", model: CHECKPOINT });
  const asked = "Which colour?\nChoices:\nA. red\nB. green";
  expect(kept[1]).toMatchObject({ question_id: "colour", prompt: asked, question: asked });
  // Three of five, evenly spread, as grpo/prompt.py spreads them.
  const names = [0, 20, 44].map((frame) =>
    expect.stringMatching(new RegExp(`^frame-${frame}-[0-9a-f]{16}\\.jpg$`)),
  );
  expect(kept.map(({ frames }) => frames)).toEqual([names, names]);
  expect([...pictures]).toEqual(names.map((name) => [name, JPEG]));
  expect(launched[0]?.settings).toMatchObject({
    model: "tiny-vlm",
    vlm_frames: 3,
    question_file: "theirs",
    frames: "at most 3 key-frames of each clip, as pictures of at most 768 pixels",
  });
  expect(launched[0]?.settings).not.toHaveProperty("prompt_version");
});

test("a question whose pictures can't be drawn is set aside, and more than a host takes is refused", async () => {
  const seeing = trained("tiny-vlm");
  Object.assign(seeing.spec.settings, { vlm_frames: 3 });
  const order = { ...SET, name: "sees", model: CHECKPOINT };
  const broken = open(seeing, null, new Map([[0, JPEG]]));
  await expect(broken.start.start(order)).rejects.toThrow("2 with a key-frame that can't be decoded");
  const large = new Map([0, 20, 44].map((frame) => [frame, Buffer.alloc(20 * 2 ** 20, frame)]));
  const heavy = open(seeing, null, large);
  await expect(heavy.start.start(order)).rejects.toThrow("are 60 MiB, and 40 can be sent");
  expect([broken.launched, heavy.launched]).toEqual([[], []]);
});

test("frames are spread as the trainer's round spreads them, halves to the even neighbour", () => {
  const frames = [0, 1, 2, 3, 4, 5];
  // In Python: [round(i * 5 / 2) for i in range(3)] and [round(i * 5 / 3) for i in range(4)].
  expect(spreadFrames(frames, 3)).toEqual([0, 2, 5]);
  expect(spreadFrames(frames, 4)).toEqual([0, 2, 3, 5]);
  expect(spreadFrames(frames, 1)).toEqual([0]);
  expect(spreadFrames(frames, 9)).toEqual(frames);
  expect(spreadFrames([], 2)).toEqual([]);
});
