import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Behaviour, type OpenAiServer, startOpenAiServer } from "../../testing/openai-server.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { PATIENCE, readRetryAfter } from "./chat.ts";
import type { ChatRequest, EndpointDraft } from "./index.ts";

const quick = {
  ...PATIENCE,
  first_ms: 1200,
  idle_ms: 900,
  total_ms: 8000,
  calls: 3,
  backoff_ms: 5,
  backoff_max_ms: 2000,
};
const request: ChatRequest = {
  model: "eyes-7b",
  messages: [{ role: "user", content: "Where is the kiosk?\nA. ahead\nB. behind" }],
  temperature: 0,
  max_tokens: 100,
};
const ANSWER = "<think>In Frame 1 I moved forward, so the kiosk is behind me.</think><answer>A</answer>";

let server: TestServer;
let model: OpenAiServer;

let logged = "";
const log = pino(
  { level: "trace" },
  new Writable({
    write(chunk, _encoding, done) {
      logged += chunk;
      done();
    },
  }),
);

beforeAll(async () => {
  server = await startTestServer({ patience: quick, log });
});
afterAll(() => server.close());
beforeEach(async () => {
  model = await startOpenAiServer();
});
afterEach(() => model.close());

const put = (fields: Partial<EndpointDraft> = {}) =>
  server.app.endpoints.put({
    endpoint_id: null,
    name: "lab",
    base_url: model.base_url,
    models: ["eyes-7b"],
    concurrency: 4,
    ...fields,
  });
const chat = (
  endpoint_id: string,
  changes: Partial<ChatRequest> = {},
  signal = new AbortController().signal,
) => server.app.endpoints.chat(endpoint_id, { ...request, ...changes }, { signal });

describe("asking", () => {
  it("streams an answer and counts", async () => {
    const { endpoint_id } = put();
    let streamed = "";
    let pieces = 0;
    const answer = await server.app.endpoints.chat(endpoint_id, request, {
      signal: new AbortController().signal,
      onDelta(delta) {
        streamed += delta.text;
        pieces += 1;
      },
    });
    expect(answer).toMatchObject({ text: ANSWER, reasoning: "", finish: "stop", calls: 1 });
    expect(streamed).toBe(ANSWER);
    expect(pieces).toBeGreaterThan(5);
    expect(answer.prompt_tokens).toBeGreaterThan(0);
    expect(answer.completion_tokens).toBeGreaterThan(0);
  });

  it("takes reasoning apart, and an answer in one piece", async () => {
    await model.close();
    model = await startOpenAiServer({
      reply: () => ({ reasoning: "I turned.", text: "<answer>B</answer>" }),
    });
    const { endpoint_id } = put();
    expect(await chat(endpoint_id)).toMatchObject({ text: "<answer>B</answer>", reasoning: "I turned." });
    model.queue({ kind: "whole" });
    expect(await chat(endpoint_id)).toMatchObject({ text: "<answer>B</answer>", reasoning: "I turned." });
  });

  it.each([
    ["half a JSON", { kind: "half_json" }],
    ["nothing at all", { kind: "raw", type: "application/json", body: "" }],
    ["a cut connection", { kind: "cut" }],
    ["a stall", { kind: "stall" }],
    ["silence", { kind: "silence" }],
    ["500", { kind: "status", status: 500, message: "CUDA out of memory" }],
    ["429", { kind: "status", status: 429, message: "slow down", retry_after: "0.1" }],
  ] as const)("asks again after %s", async (_, behaviour) => {
    const { endpoint_id } = put();
    model.queue(behaviour);
    expect(await chat(endpoint_id)).toMatchObject({ text: ANSWER, calls: 2 });
    expect(model.calls).toHaveLength(2);
  });

  it("waits as long as Retry-After says, and gives up where that is too long", async () => {
    const { endpoint_id } = put();
    model.queue({ kind: "status", status: 429, message: "slow down", retry_after: "0.5" });
    expect((await chat(endpoint_id)).secs).toBeGreaterThanOrEqual(0.5);
    model.queue({ kind: "status", status: 429, message: "quota used up", retry_after: "3600" });
    await expect(chat(endpoint_id)).rejects.toThrow("asks to wait 3600 s");
    expect(model.calls).toHaveLength(3);
    const at = (text: string) => readRetryAfter(new Headers({ "retry-after": text }), Date.UTC(2026, 0, 1));
    expect(at("Thu, 01 Jan 2026 00:00:20 GMT")).toBe(20);
    expect(at("soon")).toBeNull();
    // By a clock that is behind ours: no call sooner than without the date.
    const past = { kind: "status", status: 429, message: "", retry_after: "Thu, 01 Jan 2026 00:00:00 GMT" };
    model.queue(past as Behaviour, past as Behaviour);
    const { calls, secs } = await chat(endpoint_id);
    expect(calls).toBe(3);
    expect(secs).toBeGreaterThanOrEqual((2 * quick.backoff_ms) / 1000);
    model.always(past as Behaviour);
    await expect(chat(endpoint_id)).rejects.toThrow(/^127\S+ takes no more calls now \(429\)\.$/);
  });

  it.each([
    ["for good after so many calls", { kind: "status", status: 502, message: "" }, /failed \(502\)/, 3],
    ["silence for good", { kind: "silence" }, /said nothing/, 3],
    ["a page", { kind: "html" }, /answers with a page.*\/v1/, 1],
    ["a redirect", { kind: "redirect", to: "http://127.0.0.1:9/v1" }, /redirects are not followed/, 1],
    ["a refusal", { kind: "status", status: 400, message: "too many images" }, /“too many images”/, 1],
  ] as const)("says in words: %s", async (_, behaviour, words, calls) => {
    const { endpoint_id } = put();
    model.always(behaviour);
    await expect(chat(endpoint_id)).rejects.toThrow(words);
    expect(model.calls).toHaveLength(calls);
  });

  it("says that a model is unknown, that nothing listens, that a key is wanted", async () => {
    const { endpoint_id } = put();
    await expect(chat(endpoint_id, { model: "other" })).rejects.toThrow("no model “other”");
    const nowhere = put({ base_url: "http://127.0.0.1:9/v1" });
    await expect(chat(nowhere.endpoint_id)).rejects.toThrow("127.0.0.1:9: ");
    await model.close();
    model = await startOpenAiServer({ key: "right-key" });
    const locked = put();
    await expect(chat(locked.endpoint_id)).rejects.toThrow("wants a key");
  });

  it("takes a streamed list of choices that is none for an empty answer", async () => {
    const { endpoint_id } = put();
    model.queue({
      kind: "raw",
      type: "text/event-stream",
      body: 'data: {"choices":{"a":1}}\n\ndata: [DONE]\n\n',
    });
    expect(await chat(endpoint_id)).toMatchObject({ text: "", calls: 1 });
  });

  it("does not ask again for what has begun to stream to a person", async () => {
    const { endpoint_id } = put();
    model.queue({ kind: "cut" });
    const answer = server.app.endpoints.chat(endpoint_id, request, {
      signal: new AbortController().signal,
      onDelta: () => undefined,
    });
    await expect(answer).rejects.toThrow(/cut|broke off/);
    expect(model.calls).toHaveLength(1);
  });

  it("stops at once when told so, waiting or answered", async () => {
    const { endpoint_id } = put({ concurrency: 1 });
    model.always({ kind: "silence" });
    const stop = new AbortController();
    const both = [chat(endpoint_id, {}, stop.signal), chat(endpoint_id, {}, stop.signal)];
    await expect.poll(() => model.calls.length, { timeout: 30_000 }).toBe(1);
    stop.abort();
    // Long before the endpoint's silence would end them.
    const late = sleep(quick.first_ms / 2, []);
    const ends = await Promise.race([Promise.allSettled(both), late]);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(model.calls).toHaveLength(1);
  });

  it("holds to the endpoint's number of calls at the same time", async () => {
    await model.close();
    model = await startOpenAiServer({ latency_ms: 40 });
    const { endpoint_id } = put({ concurrency: 3 });
    await Promise.all(Array.from({ length: 12 }, () => chat(endpoint_id)));
    expect(model.calls).toHaveLength(12);
    expect(model.most_at_once).toBe(3);
  });
});

describe("keys", () => {
  const KEY = "sk-very-secret-0123456789";

  it("a key lies in a file of its owner alone, and goes with the address", async () => {
    await model.close();
    model = await startOpenAiServer({ key: KEY });
    const made = put({ key: KEY });
    const file = join(server.app.dataDir, "keys.json");
    expect(made).toMatchObject({ has_key: true });
    expect(JSON.stringify(made)).not.toContain(KEY);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain(KEY);
    expect(await chat(made.endpoint_id)).toMatchObject({ text: ANSWER });
    const { endpoint_id } = made;
    expect(put({ endpoint_id, name: "the lab" })).toMatchObject({ has_key: true });
    expect(put({ endpoint_id, base_url: "http://127.0.0.1:9/v1" })).toMatchObject({ has_key: false });
    expect(readFileSync(file, "utf8")).not.toContain(KEY);
  });

  it("is hidden where an endpoint repeats it in pieces, and nothing else is held back", async () => {
    await model.close();
    model = await startOpenAiServer({
      key: KEY,
      reply: ({ authorization }) => ({
        reasoning: `Is it ${authorization}? s`,
        text: `No: ${authorization} sk-`,
      }),
    });
    const { endpoint_id } = put({ key: KEY });
    const pieces: [string, string][] = [];
    await server.app.endpoints.chat(endpoint_id, request, {
      signal: new AbortController().signal,
      onDelta: ({ reasoning, text }) => void pieces.push([reasoning, text]),
    });
    expect(pieces.map(([reasoning]) => reasoning).join("")).toBe("Is it Bearer [key]? s");
    expect(pieces.map(([, text]) => text).join("")).toBe("No: Bearer [key] sk-");
    const texts = pieces.findIndex(([, text]) => text !== "");
    expect(pieces.slice(texts + 1).every(([reasoning]) => reasoning === "")).toBe(true);
  });

  it("removing takes the key away for good; the endpoint can come back", () => {
    const { endpoint_id } = put({ key: KEY });
    const find = () => server.app.endpoints.list().find((one) => one.endpoint_id === endpoint_id);
    server.app.endpoints.remove(endpoint_id);
    expect(find()).toBeUndefined();
    expect(server.app.endpoints.restore(endpoint_id)).toMatchObject({ has_key: false, is_removed: false });
    expect(find()).toBeDefined();
  });

  it("what an endpoint repeats of a key is hidden", async () => {
    await model.close();
    model = await startOpenAiServer({ reply: ({ authorization }) => `You sent ${authorization}` });
    const { endpoint_id } = put({ key: KEY });
    expect((await chat(endpoint_id)).text).toBe("You sent Bearer [key]");
    model.always({ kind: "status", status: 400, message: `bad key ${KEY}` });
    await expect(chat(endpoint_id)).rejects.toThrow("bad key [key]");
  });

  it("a redirect gets neither the call nor the key", async () => {
    const elsewhere = await startOpenAiServer();
    const { endpoint_id } = put({ key: KEY });
    model.always({ kind: "redirect", to: `${elsewhere.base_url}/chat/completions` });
    await expect(chat(endpoint_id)).rejects.toThrow("redirects are not followed");
    expect(elsewhere.calls).toEqual([]);
    await elsewhere.close();
  });

  it("the key is in no log, no answer of the server and not in the database", async () => {
    const put_ = await fetch(`${server.url}/trpc/endpoints.put`, {
      method: "POST",
      headers: { ...server.headers, "content-type": "application/json" },
      body: JSON.stringify({
        endpoint_id: null,
        name: "over the wire",
        base_url: model.base_url,
        models: ["eyes-7b"],
        concurrency: 1,
        key: KEY,
      }),
    });
    const told = await put_.text();
    expect(told).toContain('"has_key":true');
    expect(told).not.toContain(KEY);
    const listed = await fetch(`${server.url}/trpc/endpoints.list`, { headers: server.headers });
    expect(await listed.text()).not.toContain(KEY);
    model.always({ kind: "status", status: 400, message: `no ${KEY}` });
    const { endpoint_id } = JSON.parse(told).result.data as { endpoint_id: string };
    const { job } = server.app.jobs.start({ kind: "ask", title: "x", clip_id: null }, () =>
      chat(endpoint_id).then(() => undefined),
    );
    await expect
      .poll(() => server.app.jobs.list().find(({ job_id }) => job_id === job.job_id)?.problem, {
        timeout: 30_000,
      })
      .toContain("[key]");
    expect(logged).toContain("a job failed");
    expect(logged).not.toContain(KEY);
    const holders = readdirSync(server.app.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => readFileSync(file).includes(KEY));
    expect(holders).toEqual([join(server.app.dataDir, "keys.json")]);
  });

  it.each([
    ["ftp://host/v1", /http:\/\/ or https/],
    ["no address", /no address/],
    ["https://me:secret@host/v1", /field of its own/],
    ["https://host/v1?key=secret", /field of its own/],
  ])("refuses %s as a base URL and does not repeat it", (base_url, words) => {
    expect(() => put({ base_url })).toThrow(words);
    expect(() => put({ base_url })).not.toThrow(/secret/);
  });

  it("takes the address of the call for its base", () => {
    expect(put({ base_url: " http://host:8000/v1/chat/completions " }).base_url).toBe("http://host:8000/v1");
    expect(put({ base_url: "http://host:8000/v1/" }).base_url).toBe("http://host:8000/v1");
  });
});

describe("Try it", () => {
  const attempt = (endpoint_id: string, name: string | null = "eyes-7b") =>
    server.app.endpoints.attempt(endpoint_id, name, new AbortController().signal);

  it("lists the models and asks one", async () => {
    const { endpoint_id } = put();
    const trial = await attempt(endpoint_id);
    expect(trial).toMatchObject({ models: ["eyes-7b"], problem: null });
    expect(trial.answer_secs).toBeGreaterThan(0);
    expect(await attempt(endpoint_id, null)).toMatchObject({ problem: null, answer_secs: null });
    expect(model.calls).toHaveLength(1);
  });

  it("says what is wrong", async () => {
    const { endpoint_id } = put();
    expect((await attempt(endpoint_id, "other")).problem).toContain("no model “other”");
    model.always({ kind: "html" });
    expect((await attempt(endpoint_id)).problem).toContain("answers with a page");
    await model.close();
    expect((await attempt(endpoint_id)).problem).toContain("nothing listens there");
    model = await startOpenAiServer({ key: "right-key" });
    const locked = put({ key: "wrong-key" });
    const { problem } = await attempt(locked.endpoint_id);
    expect(problem).toContain("does not accept the key");
    expect(problem).not.toContain("wrong-key");
  });
});
