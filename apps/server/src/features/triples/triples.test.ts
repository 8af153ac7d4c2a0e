import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { formatVideoText, type TripleSetSummary, tallyTriples } from "@sightline/core/perception";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type App, createApp } from "../../app.ts";
import { type OpenAiServer, startOpenAiServer } from "../../testing/openai-server.ts";
import { PATIENCE } from "../endpoints/chat.ts";
import { type PerceiverChoice, type TriplePlan, toPerceiver } from "./index.ts";

const WORLDS = join(import.meta.dirname, "../../../../../fixtures/worlds");
const patience = {
  ...PATIENCE,
  first_ms: 2500,
  idle_ms: 2000,
  calls: 3,
  backoff_ms: 5,
  backoff_max_ms: 1000,
};
const QUESTION = "Where is the kiosk?\nChoices:\nA. ahead\nB. behind";

let dataDir: string;
let app: App;
let clip_id: string;
let settings_hash: string;
let model: OpenAiServer;
let endpoint_id: string;

const start = () => createApp({ dataDir, log: pino({ level: "silent" }), patience });

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 200_000; Date.now() < end && !isSo(); ) await sleep(10);
  expect(isSo()).toBe(true);
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "sightline-triples-"));
  app = await start();
  const file = join(WORLDS, "room-turns-4.mp4");
  const added = await app.clips.library.add({ path: file, name: basename(file), move: false });
  clip_id = added.clip.clip_id;
  await until(() => app.keyframes.get(clip_id, SIGHTLINE_SETTINGS) !== null);
  settings_hash = app.keyframes.get(clip_id, SIGHTLINE_SETTINGS)?.settings_hash ?? "";
});
afterAll(async () => {
  await app.close();
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});
beforeEach(async () => {
  model = await startOpenAiServer();
  ({ endpoint_id } = app.endpoints.put({
    endpoint_id: null,
    name: "lab",
    base_url: model.base_url,
    models: ["eyes-7b"],
    concurrency: 4,
  }));
});
afterEach(() => model.close());

const openai = (): PerceiverChoice => ({
  kind: "openai",
  endpoint_id,
  model: "eyes-7b",
  temperature: 0,
  image_px: 256,
});
const plan = (choice: PerceiverChoice = openai(), fields: Partial<TriplePlan> = {}): TriplePlan => ({
  clip_id,
  settings_hash,
  perceiver: toPerceiver(choice),
  question_id: null,
  question: QUESTION,
  ...fields,
});
const look = ({ triple_set_id }: TripleSetSummary) => app.triples.get(triple_set_id);
async function finish(set: TripleSetSummary) {
  await until(() => look(set).state !== "working");
  return look(set);
}
const keyFrames = () =>
  app.keyframes.get(clip_id, SIGHTLINE_SETTINGS)?.decisions.filter(({ kept }) => kept) ?? [];

describe("a vision model behind an endpoint", () => {
  it("describes the first key-frame alone and the others in pairs, many at the same time", async () => {
    await model.close();
    model = await startOpenAiServer({ latency_ms: 200 });
    app.endpoints.put({ ...app.endpoints.get(endpoint_id), base_url: model.base_url });
    const n = keyFrames().length;
    expect(app.triples.estimate(plan())).toMatchObject({
      key_frames: n,
      calls: n,
      cached: 0,
      pictures: 2 * n - 1,
      secs: null,
    });
    const set = await finish(app.triples.start(plan()));
    expect(set).toMatchObject({ state: "done", problem: null, described: n, label: "eyes-7b · lab" });
    expect(model.calls.map(({ images }) => images.length).sort()).toEqual([1, ...Array(n - 1).fill(2)]);
    for (const { text } of model.calls) expect(text).toContain("Where is the kiosk?");
    expect(model.most_at_once).toBe(4);
    expect(set.triples.map(({ frame }) => frame)).toEqual(keyFrames().map(({ frame }) => frame));
    expect(set.triples[0]).toMatchObject({ action: null, motion: null });
    expect(set.triples[1]).toMatchObject({
      action: "move forward",
      change: "A blue bench comes into view on the right.",
      relevant: "The kiosk is now to the left.",
    });
    expect(set.cost).toMatchObject({ calls: n, cached: 0 });
    expect(set.cost.prompt_tokens).toBeGreaterThan(0);
    expect(formatVideoText(set.triples, QUESTION)).toContain("Frame 1: After move forward, Observe: A blue");
  });

  it("geometry contradicts a model that says one thing only", async () => {
    const set = await finish(app.triples.start(plan()));
    const flagged = set.triples.filter(({ problems }) => problems.includes("contradicts_geometry"));
    expect(flagged.length).toBeGreaterThan(set.triples.length / 3);
    for (const { motion } of flagged) expect(motion?.action).toMatch(/^rotate/);
    const tally = tallyTriples(set.triples);
    expect(tally.actions).toEqual([{ action: "move forward", count: set.triples.length - 1 }]);
    expect(tally.contradictions).toBe(flagged.length);
  });

  it("who waits for a set that is being made already waits for that one, and may leave it", async () => {
    await model.close();
    model = await startOpenAiServer({ latency_ms: 100 });
    app.endpoints.put({ ...app.endpoints.get(endpoint_id), base_url: model.base_url });
    const asked = plan(openai(), { question: "Waited for" });
    const begun = app.triples.start(asked);
    const leaves = new AbortController();
    const left = app.triples.make(asked, leaves.signal);
    const waited = app.triples.make(asked, new AbortController().signal);
    leaves.abort();
    await expect(left).rejects.toThrow();
    expect((await waited).triple_set_id).toBe(begun.triple_set_id);
    expect(app.triples.list(clip_id).filter(({ question }) => question === "Waited for")).toHaveLength(1);
  });

  it("a second ask costs nothing; another question, size or temperature is another ask", async () => {
    const n = keyFrames().length;
    await finish(app.triples.start(plan()));
    expect(app.triples.estimate(plan())).toMatchObject({ calls: 0, cached: n, pictures: 0 });
    const again = await finish(app.triples.start(plan()));
    expect(again.cost).toMatchObject({ calls: 0, cached: n });
    expect(model.calls).toHaveLength(n);
    const other = app.triples.estimate(plan(openai(), { question: "How many doors?" }));
    expect(other.calls).toBe(n);
    expect(other.secs).toBeGreaterThan(0);
    expect(app.triples.estimate(plan({ ...openai(), image_px: 128 } as PerceiverChoice)).calls).toBe(n);
    expect(app.triples.estimate(plan({ ...openai(), temperature: 1 } as PerceiverChoice)).calls).toBe(n);
  });

  it.each([
    ["429", { kind: "status", status: 429, message: "slow down", retry_after: "0.1" }],
    ["500", { kind: "status", status: 500, message: "out of memory" }],
    ["half a JSON", { kind: "half_json" }],
    ["a stall", { kind: "stall" }],
    ["silence", { kind: "silence" }],
    ["a cut connection", { kind: "cut" }],
  ] as const)("gets over %s", async (_, behaviour) => {
    const n = keyFrames().length;
    model.queue(behaviour, behaviour);
    const set = await finish(app.triples.start(plan()));
    expect(set).toMatchObject({ state: "done", described: n });
    expect(set.cost.calls).toBe(n + 2);
  });

  it.each([
    ["a page", { kind: "html" }, "answers with a page"],
    ["a redirect", { kind: "redirect", to: "http://127.0.0.1:9/" }, "redirects are not followed"],
    ["429 for good", { kind: "status", status: 429, message: "quota" }, "takes no more calls now"],
    ["500 for good", { kind: "status", status: 500, message: "boom" }, "“boom”"],
  ] as const)("stops soon at %s, and says why", async (_, behaviour, words) => {
    model.always(behaviour);
    const set = await finish(app.triples.start(plan()));
    expect(set).toMatchObject({ state: "failed", described: 0 });
    expect(set.problem).toContain(words);
    expect(model.calls.length).toBeLessThanOrEqual(18);
  });

  it("says that there is no such model", async () => {
    const set = await finish(app.triples.start(plan({ ...openai(), model: "other" } as PerceiverChoice)));
    expect(set.problem).toContain("no model “other”");
  });

  it("cancelled, what was answered stays, and going on asks for the rest only", async () => {
    await model.close();
    model = await startOpenAiServer({ latency_ms: 60 });
    app.endpoints.put({ ...app.endpoints.get(endpoint_id), base_url: model.base_url, concurrency: 1 });
    const n = keyFrames().length;
    const set = app.triples.start(plan());
    await until(() => look(set).described >= 2);
    app.triples.cancel(set.triple_set_id);
    const cut = await finish(set);
    expect(cut.state).toBe("cancelled");
    expect(cut.described).toBeLessThan(n);
    const before = model.calls.length;
    app.triples.resume(set.triple_set_id);
    expect(await finish(set)).toMatchObject({ state: "done", described: n });
    expect(model.calls.length - before).toBe(n - cut.described);
  });

  it("goes on after the server went down in the middle", async () => {
    await model.close();
    model = await startOpenAiServer({ latency_ms: 60 });
    app.endpoints.put({ ...app.endpoints.get(endpoint_id), base_url: model.base_url, concurrency: 1 });
    const set = app.triples.start(plan());
    await until(() => look(set).described >= 2);
    await app.close();
    app = await start();
    const done = await finish(set);
    expect(done).toMatchObject({ state: "done", described: keyFrames().length });
    // At most one call was under way when it went down.
    expect(model.calls.length).toBeLessThanOrEqual(keyFrames().length + 1);
  });
});

describe("what needs no network", () => {
  it("embedded: actions from geometry, objects from the detector", async () => {
    const set = await app.triples.make(plan({ kind: "embedded" }), new AbortController().signal);
    expect(set).toMatchObject({ state: "done", label: "embedded", described: keyFrames().length });
    expect(set.triples.some(({ action }) => action === "rotate right")).toBe(true);
    expect(set.triples.every(({ problems }) => !problems.includes("contradicts_geometry"))).toBe(true);
    expect(model.calls).toHaveLength(0);
  });

  it("oracle: the truth of a rendered world, and of nothing else", async () => {
    expect(app.triples.listPerceivers(clip_id).sort()).toEqual(["embedded", "openai", "oracle"]);
    const set = await finish(app.triples.start(plan({ kind: "oracle" })));
    const turns = set.triples.map(({ action }) => action).filter((action) => action?.startsWith("rotate"));
    expect(turns[0]).toBe("rotate right");
    expect(turns.at(-1)).toBe("rotate left");
    expect(set.triples.flatMap(({ problems }) => problems)).toEqual([]);
  });

  it("imports the released layout where it fits the key-frames, and says why where it does not", () => {
    const line = (index: number) =>
      index === 0
        ? "Frame 0: Observe: A room."
        : `Frame ${index}: After Move forward, Observe: Option B fits. A chair.`;
    const row = (id: number, video_id: string, n: number) => ({
      Question_id: id,
      video_id,
      question: `<\n${Array.from({ length: n }, (_, k) => line(k)).join("\n")}\n>\nQuestion: Where?`,
    });
    const n = keyFrames().length;
    const text = JSON.stringify([
      row(1, "room-turns-4.mp4", n),
      row(2, "room-turns-4.mp4", n + 2),
      row(3, "street.mp4", n),
    ]);
    const read = app.triples.bringIn(
      { clip_id, settings_hash, question_id: null },
      { name: "processed.json", text },
    );
    expect(read).toMatchObject({
      others: 1,
      set_aside: [{ id: "2", reason: expect.stringContaining(`describes ${n + 2} key-frames`) }],
    });
    const set = app.triples.get(read.triple_set_ids[0] ?? "");
    expect(set).toMatchObject({ label: "processed.json", question: "Where?", described: n, state: "done" });
    expect(tallyTriples(set.triples).leaks).toBe(n - 1);
    expect(() =>
      app.triples.bringIn({ clip_id, settings_hash, question_id: null }, { name: "x", text: "x" }),
    ).toThrow("no JSON");
  });
});

describe("over all clips", () => {
  it("counts actions, leaks and contradictions of a perceiver, the newest set of each clip", async () => {
    const other = join(WORLDS, "room-sideways-2.mp4");
    const { clip } = await app.clips.library.add({ path: other, name: basename(other), move: false });
    const stored = () => app.keyframes.get(clip.clip_id, SIGHTLINE_SETTINGS);
    await until(() => stored() !== null);
    await finish(app.triples.start(plan({ kind: "oracle" })));
    const here = await finish(app.triples.start(plan({ kind: "oracle" })));
    const there = await finish(
      app.triples.start(
        plan({ kind: "oracle" }, { clip_id: clip.clip_id, settings_hash: stored()?.settings_hash ?? "" }),
      ),
    );
    const { clips, tally } = app.triples.tallyPerceiver(here.triple_set_id);
    expect(clips).toBe(2);
    expect(tally).toEqual(tallyTriples([...here.triples, ...there.triples]));
  });
});

describe("edits", () => {
  it("stand beside what was given, and can be taken back without end", async () => {
    const { triple_set_id } = await finish(app.triples.start(plan({ kind: "oracle" })));
    const given = app.triples.get(triple_set_id).triples[2];
    const now = () => app.triples.get(triple_set_id).triples[2];
    const write = (change: string) =>
      app.triples.edit(triple_set_id, 2, { action: "move left", change, relevant: "The answer is B" });
    write("first");
    write("second");
    expect(write("second")).toBeNull();
    expect(now()).toMatchObject({ change: "second", action: "move left", edits: 2, raw: given?.raw });
    expect(now()?.problems).toContain("leaked_answer");
    expect(app.triples.undo(triple_set_id, 2)).toMatchObject({ after: { change: "first" } });
    expect(app.triples.undo(triple_set_id, null)).toMatchObject({ after: { change: given?.change } });
    expect(app.triples.undo(triple_set_id, null)).toBeNull();
    expect(now()).toEqual(given);
    const history = app.triples.listEdits(triple_set_id, 2);
    expect(history.map(({ undoes }) => undoes !== null)).toEqual([false, false, true, true]);
    expect(history.every(({ author }) => author === "owner")).toBe(true);
    write("after undo");
    expect(now()?.change).toBe("after undo");
    expect(() => app.db.$client.exec("DELETE FROM triple_edits")).toThrow("append-only");
  });

  it("an action that a person sets is held to geometry, too", async () => {
    const { triple_set_id, triples } = await finish(app.triples.start(plan()));
    const wrong = triples.find(({ problems }) => problems.includes("contradicts_geometry"));
    const { index = 0, motion, change = "", relevant = "" } = wrong ?? {};
    app.triples.edit(triple_set_id, index, { action: motion?.action ?? null, change, relevant });
    expect(app.triples.get(triple_set_id).triples[index]?.problems).not.toContain("contradicts_geometry");
  });

  it("B47: a saved set names frames of the clip, 0-based, and comes back to the same pictures", async () => {
    const set = await finish(app.triples.start(plan({ kind: "oracle" })));
    const { question, triples } = set;
    const text = JSON.stringify({ clip_name: "room-turns-4.mp4", question, triples });
    const read = app.triples.bringIn(
      { clip_id, settings_hash, question_id: null },
      { name: "saved.json", text },
    );
    const back = app.triples.get(read.triple_set_ids[0] ?? "");
    const key = ({ frame, time_secs, action, change }: (typeof triples)[number]) =>
      [frame, time_secs, action, change] as const;
    expect(back.triples.map(key)).toEqual(triples.map(key));
    expect(triples.map(({ frame }) => frame)).toEqual(keyFrames().map(({ frame }) => frame));
  });

  it("a set goes to the trash and comes back", async () => {
    const { triple_set_id } = await finish(app.triples.start(plan({ kind: "oracle" })));
    const isListed = () => app.triples.list(clip_id).some((one) => one.triple_set_id === triple_set_id);
    app.triples.trash(triple_set_id);
    expect(isListed()).toBe(false);
    expect(app.triples.listTrashed(clip_id)[0]?.triple_set_id).toBe(triple_set_id);
    app.triples.restore(triple_set_id);
    expect(isListed()).toBe(true);
  });
});
