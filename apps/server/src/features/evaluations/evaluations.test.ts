import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { StoredQuestion } from "@sightline/core/benchmarks";
import type { TripleSet } from "@sightline/core/perception";
import { TRPCError } from "@trpc/server";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getFixture } from "../../media/testing/fixtures.ts";
import { type OpenAiServer, startOpenAiServer } from "../../testing/openai-server.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { upload } from "../clips/testing/tus.ts";
import { waitFor } from "../clips/testing/wait.ts";
import { createTraces } from "../traces/index.ts";
import { createEvaluations, type Evaluations } from "./index.ts";

let server: TestServer;
let fake: OpenAiServer;
let evaluations: Evaluations;
let clip_id: string;
let reasoner: { kind: "openai"; endpoint_id: string; model: string; temperature: number; max_tokens: number };
let made = 0;
/** How long the making of triples takes. */
let slow_ms = 0;

const toQuestion = (row: number, change: Partial<StoredQuestion> = {}): StoredQuestion => ({
  question_id: `set/${row}`,
  set_id: "set",
  source_id: String(row),
  row,
  dataset: "test",
  clip_name: "walk.mp4",
  clip_id,
  match: "matched",
  from_secs: null,
  to_secs: null,
  scene: null,
  task: row % 2 === 0 ? "landmark_position" : "counterfactual",
  text: `Question ${row}?`,
  options: ["ahead", "behind"],
  gold: "A",
  kind: "choice",
  split: null,
  edited_secs: null,
  trashed_secs: null,
  ...change,
});

beforeAll(async () => {
  server = await startTestServer();
  fake = await startOpenAiServer({
    models: ["reasons-3b"],
    latency_ms: 20,
    reply: ({ text }) => `<think>I look.</think><answer>${text.includes("Question 3") ? "B" : "A"}</answer>`,
  });
  const answer = await upload(server, "walk.mp4", readFileSync(getFixture("two-frames.mp4")));
  clip_id = answer.headers.get("x-clip-id") ?? "";
  const { app } = server;
  const { endpoint_id } = app.endpoints.put({
    endpoint_id: null,
    name: "fake",
    base_url: fake.base_url,
    models: [],
    concurrency: 2,
  });
  reasoner = { kind: "openai", endpoint_id, model: "reasons-3b", temperature: 0, max_tokens: 100 };
  const set: TripleSet = {
    triple_set_id: "made",
    clip_id,
    settings_hash: "",
    selection_version: 0,
    question_id: null,
    question: "",
    label: "test",
    key_frames: 1,
    described: 1,
    edits: 0,
    cost: { calls: 0, cached: 0, prompt_tokens: 0, completion_tokens: 0, secs: 0 },
    perceiver: { kind: "imported", source: "test" },
    state: "done",
    problem: null,
    made_secs: 0,
    triples: [
      {
        index: 0,
        frame: 0,
        time_secs: 0,
        action: null,
        change: "A wall.",
        relevant: "",
        raw: "A wall.",
        problems: [],
        motion: null,
        edits: 0,
      },
    ],
  };
  const questions = [
    ...Array.from({ length: 12 }, (_, row) => toQuestion(row)),
    toQuestion(20, { clip_id: null, match: "unmatched" }),
    toQuestion(21, { gold: null }),
  ];
  const traces = createTraces({
    db: app.db,
    jobs: app.jobs,
    askModel: app.endpoints.chat,
    getTripleSet: () => set,
    getQuestion(question_id) {
      const found = questions.find((one) => one.question_id === question_id);
      if (!found) throw new TRPCError({ code: "NOT_FOUND", message: "none" });
      return found;
    },
    getClipName: () => "walk.mp4",
    findWorld: () => null,
  });
  evaluations = createEvaluations({
    db: app.db,
    jobs: app.jobs,
    log: pino({ level: "silent" }),
    listQuestions: () => questions,
    findTriples: () => (made > 0 ? "made" : null),
    async makeTriples(_, signal) {
      if (slow_ms > 0) await sleep(slow_ms, undefined, { signal });
      made += 1;
      return "made";
    },
    askAndWait: traces.askAndWait,
    onHosts: { list: () => [], get: () => null, runOf: () => null, isEvaluation: () => false },
    hostStart: { plan: () => Promise.reject(new Error()), start: () => Promise.reject(new Error()) },
    stopRun: async () => {},
    resumeRun: async () => {},
    getTrace: traces.get,
  });
});

afterAll(async () => {
  await server.close();
  await fake.close();
});

const draft = () => ({ name: "first", set_id: "set", side: null, reasoner, judge: null });

const ended = (evaluation_id: string) =>
  waitFor(
    () => evaluations.get(evaluation_id),
    ({ state }) => state !== "working",
  );

test("every question of a set is asked once; what can't be asked says why", async () => {
  const { evaluation_id, questions } = evaluations.start(draft());
  expect(questions).toBe(14);
  const { state, rows, waiting } = await ended(evaluation_id);
  expect({ state, waiting }).toEqual({ state: "done", waiting: 0 });
  expect(rows.filter((row) => row.state === "answered")).toHaveLength(13);
  expect(rows.find(({ question_id }) => question_id === "set/3")).toMatchObject({ letter: "B", accuracy: 0 });
  expect(rows.find(({ question_id }) => question_id === "set/4")).toMatchObject({ letter: "A", accuracy: 1 });
  expect(rows.find(({ question_id }) => question_id === "set/21")).toMatchObject({ accuracy: null });
  expect(rows.find(({ question_id }) => question_id === "set/20")).toMatchObject({
    state: "left_out",
    problem: "Its clip is not in the library.",
  });
  expect(made).toBe(1);
  expect(fake.most_at_once).toBe(2);
});

test("one that was cancelled goes on with what is left, and asks nothing twice", async () => {
  const before = fake.calls.length;
  const { evaluation_id } = evaluations.start({ ...draft(), name: "second" });
  await waitFor(
    () => evaluations.get(evaluation_id).waiting,
    (waiting) => waiting <= 9,
  );
  await evaluations.cancel(evaluation_id);
  const half = await ended(evaluation_id);
  expect(half.state).toBe("cancelled");
  expect(half.waiting).toBeGreaterThan(0);
  const kept = half.rows.filter(({ trace_id }) => trace_id !== null);
  await evaluations.resume(evaluation_id);
  const whole = await ended(evaluation_id);
  expect(whole).toMatchObject({ state: "done", waiting: 0 });
  for (const { question_id, trace_id } of kept)
    expect(whole.rows.find((row) => row.question_id === question_id)?.trace_id).toBe(trace_id);
  // Those that were cut off by the cancellation are asked again.
  expect(fake.calls.length - before).toBeLessThanOrEqual(13 + 2);
});

test("an endpoint that breaks fails its rows, not the evaluation", async () => {
  fake.always({ kind: "status", status: 401, message: "no" });
  const { evaluation_id } = evaluations.start({ ...draft(), name: "third" });
  const { state, rows } = await ended(evaluation_id);
  fake.always({ kind: "answer" });
  expect(state).toBe("done");
  const failed = rows.filter((row) => row.state === "failed");
  expect(failed).toHaveLength(13);
  expect(failed[0]?.problem).toContain("wants a key");
});

test("what an endpoint failed at is asked again when it is told to go on, and nothing else is", async () => {
  fake.queue({ kind: "answer" }, { kind: "answer" });
  fake.always({ kind: "status", status: 401, message: "no" });
  const { evaluation_id } = evaluations.start({ ...draft(), name: "half way" });
  const broken = await ended(evaluation_id);
  fake.always({ kind: "answer" });
  const answered = broken.rows.filter((row) => row.state === "answered").map(({ trace_id }) => trace_id);
  expect(answered).toHaveLength(2);
  const before = fake.calls.length;
  await Promise.all([evaluations.resume(evaluation_id), evaluations.resume(evaluation_id)]);
  const { state, rows } = await ended(evaluation_id);
  expect(state).toBe("done");
  expect(rows.filter((row) => row.state === "answered")).toHaveLength(13);
  expect(rows.filter((row) => row.state === "left_out")).toHaveLength(1);
  expect(rows.map(({ trace_id }) => trace_id)).toEqual(expect.arrayContaining(answered));
  expect(fake.calls.length - before).toBe(11);
});

test("a policy's evaluation waits for the page that works on it", () => {
  const { evaluation_id, state, waiting } = evaluations.start({
    ...draft(),
    name: "policy",
    reasoner: { kind: "onnx", source: { kind: "run", run_id: "tiny" }, max_tokens: 64 },
  });
  expect({ state, waiting }).toEqual({ state: "working", waiting: 13 });
  evaluations.put(evaluation_id, "set/0", { trace_id: null, problem: "This policy knows 40 words." });
  expect(evaluations.get(evaluation_id).rows[0]).toMatchObject({
    state: "left_out",
    problem: "This policy knows 40 words.",
  });
  expect(evaluations.get(evaluation_id).waiting).toBe(12);
  void evaluations.cancel(evaluation_id);
  expect(evaluations.get(evaluation_id).state).toBe("cancelled");
});

test("triples that two evaluations wait for survive the cancellation of the one that began them", async () => {
  made = 0;
  slow_ms = 300;
  const first = evaluations.start({ ...draft(), name: "leaves" });
  const second = evaluations.start({ ...draft(), name: "stays" });
  await sleep(100);
  await evaluations.cancel(first.evaluation_id);
  const { state, rows } = await ended(second.evaluation_id);
  slow_ms = 0;
  expect(state).toBe("done");
  expect(rows.filter((row) => row.state === "answered")).toHaveLength(13);
  expect((await ended(first.evaluation_id)).state).toBe("cancelled");
  expect(made).toBe(1);
});

test("on a full disk nothing is lost and nobody waits for ever; with room again it goes on", async () => {
  const { evaluation_id } = evaluations.start({ ...draft(), name: "full" });
  const sqlite = server.app.db.$client;
  sqlite.pragma(`max_page_count = ${sqlite.pragma("page_count", { simple: true })}`);
  const half = await ended(evaluation_id);
  expect(half).toMatchObject({ state: "failed", problem: expect.stringContaining("room") });
  sqlite.pragma("max_page_count = 1000000");
  await evaluations.resume(evaluation_id);
  const { state, rows } = await ended(evaluation_id);
  expect(state).toBe("done");
  expect(rows.filter((row) => row.state === "answered")).toHaveLength(13);
});
