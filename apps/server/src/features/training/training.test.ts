import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunSpec } from "@sightline/core/runs";
import { makeHeadingSet, type TrainingRow } from "@sightline/core/worlds";
import { afterEach, describe, expect, it } from "vitest";
import type { Environment } from "../environment/index.ts";
import { listSampleQuestions } from "../samples/index.ts";
import { createTraining } from "./index.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const READY: Environment = {
  status: async () => ({ state: "ready", problem: null, python: "/opt/python", versions: {} }),
  prepare: async () => null,
};
/** With an interpreter that can be run; it need not have the trainer's packages. */
const PLAIN: Environment = {
  ...READY,
  status: async () => ({ state: "ready", problem: null, python: "python3", versions: {} }),
};
const ABSENT: Environment = {
  status: async () => ({ state: "absent", problem: null, python: null, versions: null }),
  prepare: async () => null,
};

function open(environment = READY) {
  const dataDir = mkdtempSync(join(tmpdir(), "sightline-training-"));
  cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }));
  const trainerOn = (host_id: string) => {
    if (host_id === "hbare") throw new Error("The trainer on gpu-1 is not prepared.");
    return `/home/${host_id}/python`;
  };
  const roomOn = (host_id: string) =>
    host_id === "hgpu" ? { gpus: [24e9], disk_free_bytes: 1e12 } : { gpus: [], disk_free_bytes: null };
  const knownQuestions = () => new Map();
  return createTraining({
    dataDir,
    environment,
    trainerOn,
    roomOn,
    knownQuestions,
    sampleQuestions: listSampleQuestions,
  });
}

const spec = (settings: RunSpec["settings"] = {}): RunSpec => ({
  run_id: "r",
  name: "r",
  engine: "grpo",
  preset: "tiny",
  seed: 3,
  stages: [{ name: "all", weights: { format: 1, accuracy: 7, consistency: 2 }, from_epoch: 0, to_epoch: 1 }],
  settings: { train_questions: 64, eval_questions: 16, warm_questions: 32, ...settings },
});

const rowsOf = (text: string | undefined) =>
  (text ?? "")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as TrainingRow);

const question = (changes: Record<string, unknown> = {}) =>
  JSON.stringify({
    question: "Where is the kiosk?",
    options: ["left", "right"],
    gold: "B",
    task: "landmark_position",
    triples: [{ change: "A street." }, { action: "move forward", change: "A kiosk enters right." }],
    ...changes,
  });

describe("the inputs of a run", () => {
  it("takes the interpreter of the host where it trains", async () => {
    expect((await open(ABSENT).inputs(spec(), "hgpu")).python).toBe("/home/hgpu/python");
    await expect(open().inputs(spec(), "hbare")).rejects.toThrow("gpu-1 is not prepared");
    const [trainer] = await open().preflight(spec(), "hbare");
    expect(trainer).toEqual({ name: "trainer", ok: false, says: "The trainer on gpu-1 is not prepared." });
  });

  it("are never worlds in the place of a file that is not here", async () => {
    for (const question_file of ["", "0".repeat(64), "../../token"])
      await expect(open().inputs(spec({ question_file }))).rejects.toThrow("file of questions is not here");
  });

  it("are the same for the same spec, so that a resumed run agrees", async () => {
    expect(await open().inputs(spec())).toEqual(await open().inputs(spec()));
    expect(await open().inputs(spec({ world_seed: 2 }))).not.toEqual(await open().inputs(spec()));
  });

  it("hold no held-out prompt among the training questions, and ask every sample clip's question", async () => {
    const { python, data } = await open().inputs(spec());
    expect(python).toBe("/opt/python");
    const [train, held] = [rowsOf(data["train.jsonl"]), rowsOf(data["eval.jsonl"])];
    expect([train.length, held.length]).toEqual([64, 16 + listSampleQuestions().length]);
    const prompts = new Set(train.map(({ prompt }) => prompt));
    expect(held.filter(({ prompt, clip_id }) => clip_id === null && prompts.has(prompt))).toEqual([]);
    expect(held.filter(({ clip_id }) => clip_id !== null).map(({ question_id }) => question_id)).toEqual(
      listSampleQuestions().map(({ question_id }) => question_id),
    );
  });

  it("need neither data nor an interpreter for the simulator", async () => {
    expect(await open(ABSENT).inputs({ ...spec(), engine: "simulator" })).toEqual({ python: null, data: {} });
  });

  it("say what to do while the trainer is not prepared", async () => {
    await expect(open(ABSENT).inputs(spec())).rejects.toThrow("The trainer is not prepared yet");
  });
});

describe("a file of rewards", () => {
  const text = "def brevity(completion):\n    return 1.0 # 🚁\n";

  it("goes along with the run under its hash, and a path on the host does not", async () => {
    const training = open();
    const { reward_file } = training.keepRewards(Buffer.from(text));
    expect(reward_file).toMatch(/^[0-9a-f]{64}$/);
    expect((await training.inputs(spec({ reward_file }))).data["rewards.py"]).toBe(text);
    expect(training.rewardNames(reward_file)).toEqual(["brevity"]);
    expect(training.rewardNames("/home/ada/rewards.py")).toEqual([]);
    const there = await training.inputs(spec({ reward_file: "/home/ada/rewards.py" }));
    expect(there.data["rewards.py"]).toBeUndefined();
    await expect(training.inputs(spec({ reward_file: "0".repeat(64) }))).rejects.toThrow(
      "file of rewards is not here",
    );
  });

  it("that is no text is refused", () => {
    expect(() => open().keepRewards(Buffer.from([0x64, 0xff]))).toThrow("no UTF-8 text");
  });
});

describe("a question file", () => {
  it("of 200 questions is stored, split and launched from", async () => {
    const training = open();
    const report = training.checkFile(Buffer.from(Array.from({ length: 200 }, () => question()).join("\n")));
    expect(report).toMatchObject({ questions: 200, tasks: { landmark_position: 200 }, problems: [] });
    const { data } = await training.inputs(spec({ question_file: report.question_file }));
    expect([rowsOf(data["train.jsonl"]).length, rowsOf(data["eval.jsonl"]).length]).toEqual([160, 40]);
    expect(data["warm.jsonl"]).toBeUndefined();
  });

  it("with a bad line is reported by line and not stored", () => {
    const lines = [
      question(),
      question({ gold: undefined }),
      question({ task: "cooking" }),
      '{"question": "Wh',
    ];
    const report = open().checkFile(Buffer.concat([Buffer.from(lines.join("\n")), Buffer.from([10, 0xff])]));
    expect(report.question_file).toBeNull();
    expect(report.problems.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
  });
});

describe("an evaluation's own questions", () => {
  const [row] = makeHeadingSet(9, { train: 1, eval: 0, warm: 0 }).train as [TrainingRow];

  it("are asked whole and as they are; a policy of words gets the recipe that its words come from", async () => {
    const training = open();
    const { eval_file } = training.keepQuestions([{ ...row, task: "colour", options: [], kind: "number" }]);
    const tiny = await training.inputs(spec({ eval_file, model: "tiny" }));
    expect(rowsOf(tiny.data["eval.jsonl"])).toEqual(training.readKept(eval_file));
    expect(rowsOf(tiny.data["warm.jsonl"])).toHaveLength(32);
    const large = await training.inputs(spec({ eval_file, model: "Qwen/Qwen2.5-3B-Instruct" }));
    expect(Object.keys(large.data)).toEqual(["eval.jsonl"]);
  });

  it("bring their pictures along, each once", async () => {
    const training = open();
    const rows = ["a", "b"].map((question_id) => ({ ...row, question_id, frames: ["frame-3-0a.jpg"] }));
    const { eval_file } = training.keepQuestions(rows, new Map([["frame-3-0a.jpg", Buffer.from("seen")]]));
    const { data } = await training.inputs(spec({ eval_file, model: "Qwen/Qwen2.5-VL-3B-Instruct" }));
    expect(Object.keys(data)).toEqual(["eval.jsonl", "pictures.jsonl"]);
    const [picture, ...rest] = rowsOf(data["pictures.jsonl"]);
    expect([picture, rest]).toEqual([{ name: "frame-3-0a.jpg", jpeg: "c2Vlbg==" }, []]);
  });

  it("are named where they are gone", async () => {
    const training = open();
    expect(training.readKept("0".repeat(64))).toBeNull();
    await expect(training.inputs(spec({ eval_file: "../x" }))).rejects.toThrow("begin it again on the page");
  });
});

describe("preflight", () => {
  it("passes for the tiny preset and names what does not fit", async () => {
    const good = await open(PLAIN).preflight(spec({ micro_batch: 64 }), "hgpu");
    expect(good.filter(({ ok }) => !ok)).toEqual([]);
    expect(good.map(({ name }) => name)).toEqual([
      "trainer",
      "questions",
      "group",
      "lengths",
      "memory",
      "checkpoints",
    ]);
    const bad = await open(ABSENT).preflight(spec({ micro_batch: 7, train_questions: 4 }));
    expect(bad.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(["trainer", "questions", "group"]);
  });

  it("says what to change where a model does not fit on the host's GPU", async () => {
    const settings = { model: "Qwen/Qwen2.5-3B-Instruct", micro_batch: 4, group_size: 8 };
    const told = await open(PLAIN).preflight(spec({ ...settings, max_completion_tokens: 256 }), "hgpu");
    const memory = told.find(({ name }) => name === "memory");
    expect(memory).toMatchObject({ ok: false, fix: ["lora_rank", 16] });
    expect(memory?.says).toMatch(/^About \d+\.\d GB of 24\.0 GB on each of 1 GPU: /);
  });

  it("looks at memory before a file of questions is chosen", async () => {
    const told = await open(PLAIN).preflight(
      spec({ model: "Qwen/Qwen2.5-3B-Instruct", micro_batch: 4, group_size: 8, question_file: "" }),
      "hgpu",
    );
    expect(told.find(({ name }) => name === "questions")?.ok).toBe(false);
    expect(told.find(({ name }) => name === "memory")?.ok).toBe(false);
  });

  it("tries a person's own rewards, and says at which line they break their contract", async () => {
    const training = open(PLAIN);
    const look = async (text: string) => {
      const { reward_file } = training.keepRewards(Buffer.from(text));
      const told = await training.preflight(spec({ reward_file }), "hgpu");
      return told.find(({ name }) => name === "rewards");
    };
    expect(await look("def brevity(completion):\n    return 1\n")).toMatchObject({ ok: true });
    const wrong = await look("def brevity(completion):\n    return len(completion['text'])\n");
    expect(wrong?.ok).toBe(false);
    expect(wrong?.says).toMatch(
      /^rewards\.py, line 1: brevity returned \d+; it must return a number from 0 to 1/,
    );
  });

  it("shows a wrong setting and an interpreter that can't be run, and goes on", async () => {
    const wrong = await open(PLAIN).preflight(spec({ learning_rate: "fast" }), "hgpu");
    expect(wrong.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(["settings"]);
    const broken = await open(READY).preflight(spec(), "hgpu");
    expect(broken.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(["estimate"]);
  });
});
