import { readFileSync } from "node:fs";
import type { Asked } from "@sightline/core/ask";
import type { KnownTriple, TripleSet } from "@sightline/core/perception";
import type { Trace } from "@sightline/core/traces";
import { listSampleWorlds } from "@sightline/core/worlds";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { getFixture } from "../../media/testing/fixtures.ts";
import { type OpenAiServer, startOpenAiServer } from "../../testing/openai-server.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { upload } from "../clips/testing/tus.ts";
import { waitFor } from "../clips/testing/wait.ts";
import { PATIENCE } from "../endpoints/chat.ts";
import { type AskRequest, createTraces, type Traces } from "./index.ts";
import { createTraceStore } from "./store.ts";

const triple = (index: number, action: KnownTriple["action"], change: string): KnownTriple => ({
  index,
  frame: index,
  time_secs: index,
  action,
  change,
  relevant: "",
  raw: change,
  problems: [],
  motion: null,
  edits: 0,
});

const question: Asked = {
  task: "landmark_position",
  text: "Where is the kiosk?",
  options: ["ahead", "right", "behind", "left"],
  gold: "C",
  kind: "choice",
};

let server: TestServer;
let fake: OpenAiServer;
let traces: Traces;
let set: TripleSet;
let request: AskRequest;
let reply: string | { reasoning: string; text: string };

const REASONS = "<think>In Frame 1 I moved forward, so it is behind me.</think><answer>C</answer>";

beforeAll(async () => {
  const patience = {
    ...PATIENCE,
    first_ms: 1500,
    idle_ms: 800,
    calls: 3,
    backoff_ms: 20,
    backoff_max_ms: 500,
  };
  server = await startTestServer({ patience });
  fake = await startOpenAiServer({
    models: ["reasons-3b", "judges-3b"],
    piece_ms: 5,
    reply: ({ model }) => (model === "judges-3b" ? "C" : reply),
  });
  const answer = await upload(server, "walk.mp4", readFileSync(getFixture("two-frames.mp4")));
  const clip_id = answer.headers.get("x-clip-id") ?? "";
  const { endpoint_id } = server.app.endpoints.put({
    endpoint_id: null,
    name: "fake",
    base_url: fake.base_url,
    models: [],
    concurrency: 4,
  });
  set = {
    triple_set_id: "set-1",
    clip_id,
    settings_hash: "",
    selection_version: 0,
    question_id: null,
    question: "",
    label: "test",
    key_frames: 2,
    described: 2,
    edits: 0,
    cost: { calls: 0, cached: 0, prompt_tokens: 0, completion_tokens: 0, secs: 0 },
    perceiver: { kind: "imported", source: "test" },
    state: "done",
    problem: null,
    made_secs: 0,
    triples: [
      triple(0, null, "A kiosk stands ahead."),
      triple(1, "move forward", "The kiosk leaves. A tree enters on the left."),
    ],
  };
  traces = open();
  request = {
    clip_id,
    question_id: "q-1",
    triple_set_id: "set-1",
    struck: [],
    asked_after: null,
    reasoner: { kind: "openai", endpoint_id, model: "reasons-3b", temperature: 0, max_tokens: 500 },
    judge: { endpoint_id, model: "judges-3b" },
  };
});

beforeEach(() => {
  reply = REASONS;
  fake.always({ kind: "answer" });
});

afterAll(async () => {
  await server.close();
  await fake.close();
});

const open = () =>
  createTraces({
    db: server.app.db,
    jobs: server.app.jobs,
    askModel: server.app.endpoints.chat,
    getTripleSet: () => set,
    getQuestion: () => question,
    findWorld: (clip_id) => (clip_id === "filmed" ? (listSampleWorlds()[0] ?? null) : null),
    getClipName: (clip_id) => server.app.clips.library.get(clip_id).name,
  });

const ended = (trace_id: string, isEnd = (trace: Trace) => trace.state !== "streaming") =>
  waitFor(() => traces.get(trace_id), isEnd);

test("a trace is written down as it comes, read, scored and judged", async () => {
  const seen: string[] = [];
  reply = `${"I look around. ".repeat(20)}${REASONS}`;
  const { trace_id, state } = traces.ask(request);
  expect(state).toBe("streaming");
  const trace = await ended(trace_id, (now) => {
    seen.push(now.text);
    return now.judgement !== null;
  });
  expect(seen.some((text) => text !== "" && text.length < reply.toString().length)).toBe(true);
  expect(trace).toMatchObject({
    text: reply,
    state: "done",
    problem: null,
    accuracy: 1,
    reading: { letter: "C", rule: "lone_letter", problems: ["text outside the tags"] },
    judgement: { letter: "C", agrees: true, status: "ok", by: "judges-3b" },
    question,
  });
  expect(trace.tokens).toBeGreaterThan(0);
  const [asked, judged] = fake.calls.slice(-2);
  expect(asked?.text).toContain("Frame 1: After move forward, Observe: The kiosk leaves.");
  expect(trace.prompt).toContain("Frame 1: After move forward");
  // The judge sees question and reasoning alone.
  expect(judged?.text).toContain("In Frame 1 I moved forward");
  expect(judged?.text).not.toContain("A tree enters");
});

test("a reasoning that comes apart is put between think tags, and both are kept", async () => {
  reply = { reasoning: "In Frame 1 I moved forward.", text: "<answer>C</answer>" };
  const trace = await ended(traces.ask({ ...request, judge: null }).trace_id);
  expect(trace.text).toBe("<think>In Frame 1 I moved forward.</think>\n<answer>C</answer>");
  expect(trace.reading?.is_well_formed).toBe(true);
  expect(trace.judgement).toBeNull();
});

test("what is struck out is not told, and the triples stay as they were", async () => {
  const struck = [{ index: 1, sentence: "The kiosk leaves." }];
  const before = await ended(traces.ask({ ...request, judge: null }).trace_id);
  const after = await ended(
    traces.ask({ ...request, struck, asked_after: before.trace_id, judge: null }).trace_id,
  );
  expect(fake.calls.at(-1)?.text).toContain(
    "Frame 1: After move forward, Observe: A tree enters on the left.",
  );
  expect(after).toMatchObject({ struck, asked_after: before.trace_id, triples: set.triples });
  expect(() =>
    traces.ask({ ...request, struck: set.triples.map(({ index }) => ({ index, sentence: null })) }),
  ).toThrow("No triple is left");
});

test("a stop keeps what had come", async () => {
  reply = `<think>${"and so on ".repeat(400)}</think><answer>C</answer>`;
  const { trace_id } = traces.ask(request);
  await ended(trace_id, ({ text }) => text.length > 20);
  traces.stop(trace_id);
  const trace = await ended(trace_id);
  expect(trace.state).toBe("cancelled");
  expect(trace.text.length).toBeGreaterThan(20);
  expect(trace.text.length).toBeLessThan(reply.length);
  expect(trace.judgement).toBeNull();
});

test.each([
  ["a stall", { kind: "stall" }, "stopped in the middle", 10],
  ["a cut connection", { kind: "cut" }, "the connection was cut", 10],
  ["half a JSON", { kind: "half_json" }, "broke off", 0],
  ["a page", { kind: "html" }, "answers with a page", 0],
  ["a failure", { kind: "status", status: 500, message: "CUDA out of memory" }, "CUDA out of memory", 0],
] as const)("%s fails in words, with what had come", async (_, behaviour, words, chars) => {
  fake.always(behaviour);
  const trace = await ended(traces.ask({ ...request, judge: null }).trace_id);
  expect(trace.state).toBe("failed");
  expect(trace.problem).toContain(words);
  expect(trace.text).toHaveLength(chars);
  expect(trace.accuracy).toBe(chars === 0 ? null : 0);
});

test("an endpoint that is busy is asked again after the wait that it names", async () => {
  fake.queue({ kind: "status", status: 429, message: "slow down", retry_after: "0.2" });
  const trace = await ended(traces.ask({ ...request, judge: null }).trace_id);
  expect(trace).toMatchObject({ state: "done", accuracy: 1 });
  expect(trace.secs).toBeGreaterThan(0.2);
});

test("a model that isn't there is named; a judge that isn't spoils nothing", async () => {
  const wrong = await ended(
    traces.ask({ ...request, reasoner: { ...request.reasoner, model: "gone-7b" } }).trace_id,
  );
  expect(wrong).toMatchObject({ state: "failed", text: "" });
  expect(wrong.problem).toContain("gone-7b");
  const judged = await ended(
    traces.ask({ ...request, judge: { ...request.reasoner, model: "gone-7b" } }).trace_id,
    ({ judgement }) => judgement !== null,
  );
  expect(judged).toMatchObject({
    state: "done",
    accuracy: 1,
    judgement: { letter: null, agrees: false, status: "http_error" },
  });
});

test("without a reasoning there is nothing to judge", async () => {
  reply = "C";
  const trace = await ended(traces.ask(request).trace_id, ({ judgement }) => judgement !== null);
  expect(trace.judgement).toMatchObject({ status: "no_think", letter: null });
});

test("what a policy wrote in the browser is kept beside the others, newest first", () => {
  const { reasoner: _, judge: __, ...asked } = request;
  const kept = traces.keep({
    ...asked,
    reasoner: { kind: "onnx", source: { kind: "run", run_id: "tiny" }, max_tokens: 64 },
    prompt: "start north 1 left heading ?",
    prompt_version: "heading-1",
    text: "<think> 1 left west </think> <answer> D </answer>",
    state: "done",
    problem: null,
    tokens: 9,
    secs: 0.1,
    judgement: { letter: "D", agrees: true, status: "ok", by: "the run's reference" },
  });
  expect(kept).toMatchObject({ accuracy: 0, reading: { letter: "D" }, judgement: { agrees: true } });
  expect(traces.list(request.clip_id, "q-1")[0]?.trace_id).toBe(kept.trace_id);
  expect(traces.list(request.clip_id, "q-2")).toEqual([]);
});

test("a server that was killed leaves a trace marked cut short, with what had come", () => {
  const store = createTraceStore(server.app.db);
  const like = traces.get(traces.list(request.clip_id, "q-1")[0]?.trace_id ?? "");
  store.add({ ...like, trace_id: "killed", made_secs: 1 });
  store.append("killed", [{ kind: "reasoning", text: "In Frame 1 I" }]);
  expect(traces.get("killed").state).toBe("streaming");
  traces = open();
  expect(traces.get("killed")).toMatchObject({ state: "failed", text: "<think>In Frame 1 I", accuracy: 0 });
  expect(traces.get("killed").problem).toContain("The server went down");
});

test("the right heading is known on a world alone", () => {
  // rotate right, rotate right, rotate left: from north to east.
  expect(traces.getHeadingGold("filmed")).toBe("B");
  expect(traces.getHeadingGold(request.clip_id)).toBeNull();
});

test("nothing that was written can be changed", () => {
  const { $client } = server.app.db;
  for (const table of ["traces", "trace_pieces", "trace_ends", "trace_judgements"]) {
    expect(() => $client.exec(`DELETE FROM ${table}`)).toThrow("append-only");
    expect(() => $client.exec(`UPDATE ${table} SET trace_id = 'x'`)).toThrow("append-only");
  }
});

test("a disk that fills up while a trace streams ends the trace in words, not the server", async () => {
  reply = `${"I look around. ".repeat(400)}${REASONS}`;
  const { trace_id } = traces.ask(request);
  const sqlite = server.app.db.$client;
  sqlite.pragma(`max_page_count = ${sqlite.pragma("page_count", { simple: true })}`);
  const { state, problem } = await ended(trace_id);
  sqlite.pragma("max_page_count = 1000000");
  expect({ state, problem }).toEqual({
    state: "failed",
    problem: "There is no room left on the disk, so this was not saved. Free some, then do it again.",
  });
  expect(traces.list(request.clip_id, null).find((one) => one.trace_id === trace_id)?.state).toBe("failed");
  reply = REASONS;
  expect((await ended(traces.ask(request).trace_id)).state).toBe("done");
  // The next server finds it without an end.
  traces = open();
  expect(traces.get(trace_id)).toMatchObject({ state: "failed" });
});
