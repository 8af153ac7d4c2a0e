import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readHeadingStart } from "@sightline/core/ask";
import { importRows, parseRows } from "@sightline/core/benchmarks";
import { listSampleWorlds } from "@sightline/core/worlds";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../app.ts";
import { loadInstallToken } from "../../data-folder/token.ts";
import { writeClip } from "../../media/testing/write-clip.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { type Client, connect } from "../runs/testing/client.ts";
import { listSampleQuestions } from "../samples/index.ts";
import type { Imported } from "./types.ts";

let server: TestServer;
let client: Client;
let scratch: string;

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "sightline-questions-"));
  server = await startTestServer();
  client = await connect(server.url, loadInstallToken(server.app.dataDir));
});
afterAll(async () => {
  await server.close();
  rmSync(scratch, { recursive: true, force: true });
});

let scenes = 0;
/** Adds a clip of a few frames, unlike any other, under a name. */
async function addClip(name: string): Promise<string> {
  scenes += 1;
  const path = join(scratch, `${scenes}.mp4`);
  const picture = (ordinal: number) => ({
    pts: ordinal * 100,
    duration: 100,
    ordinal,
    scene: { kind: "flat", luma: 20 + scenes * 5 } as const,
  });
  writeClip(path, { pictures: [0, 1, 2].map(picture) });
  return (await server.app.clips.library.add({ path, name, move: false })).clip.clip_id;
}

async function send(name: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/questions/import?name=${encodeURIComponent(name)}`, {
    method: "POST",
    headers: { ...server.headers, "content-type": "application/offset+octet-stream", ...headers },
    body: body as string,
  });
  return { status: response.status, body: (await response.json()) as Imported & { message?: string } };
}

const toLines = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join("\n");
const row = (id: string, clip_name: string | null, more: object = {}) => ({
  question_id: id,
  question: `Where is ${id}?`,
  options: ["left", "right", "ahead"],
  gold: "B",
  task: "place",
  clip_name,
  ...more,
});
const draft = { text: "What is behind me?", options: ["a door", "a wall"], gold: "A", task: "" };

describe("an import", () => {
  test("B16: says what became of every row, and lists them by page and filter", async () => {
    const rows = [
      row("a", "Walk_1.mp4"),
      row("b", "walk_2.webm", { options: [..."abcdefg"], gold: "G", task: "count" }),
      row("c", null, { gold: null }),
      row("d", null, { options: [], gold: null }),
      row("e", null, { gold: "D" }),
    ];
    const sent = await send("mine.jsonl", `${toLines(rows)}\n{"question_id": \n`);
    expect(sent.status).toBe(200);
    const { set_id } = sent.body.set;
    expect(sent.body.set).toMatchObject({
      name: "mine.jsonl",
      rows: 6,
      questions: 3,
      set_aside: 2,
      remarks: 2,
    });
    const set = await client.questions.set.query({ set_id });
    expect(set.report.set_aside.map(({ row, id, reason }) => [row, id, reason])).toEqual([
      [4, "d", "no options found"],
      [5, "e", "gold D is not among the 3 options"],
    ]);
    expect(set.report.bad_lines.map(({ line }) => line)).toEqual([6]);
    expect(set.tasks.map(({ task, questions }) => [task, questions])).toEqual([
      ["place", 2],
      ["count", 1],
    ]);
    const ids = async (filter: Omit<Parameters<Client["questions"]["list"]["query"]>[0], "set_id">) =>
      (await client.questions.list.query({ set_id, ...filter })).questions.map(({ source_id }) => source_id);
    expect(await ids({})).toEqual(["a", "b", "c"]);
    expect(await ids({ offset: 1, limit: 1 })).toEqual(["b"]);
    expect(await ids({ task: "count" })).toEqual(["b"]);
    expect(await ids({ words: "WHERE IS C" })).toEqual(["c"]);
    expect(await ids({ words: "100%_" })).toEqual([]);
    expect(await ids({ match: "unmatched" })).toEqual(["a", "b"]);
    expect(await ids({ match: "none" })).toEqual(["c"]);
    expect(await ids({ match: "matched" })).toEqual([]);
  });

  test("of the same bytes is one set, brought back when it was in the trash", async () => {
    const text = toLines([row("same", null)]);
    const first = await send("one.jsonl", text);
    const again = await send("two.jsonl", text);
    expect(again.body).toMatchObject({
      duplicate: true,
      note: "These questions are here already, as “one.jsonl”.",
      set: { set_id: first.body.set.set_id },
    });
    const { set_id } = first.body.set;
    await client.questions.trashSet.mutate({ set_id });
    expect((await client.questions.sets.query()).map((set) => set.set_id)).not.toContain(set_id);
    expect((await client.questions.sets.query({ trash: true })).map((set) => set.set_id)).toContain(set_id);
    expect((await send("three.jsonl", text)).body.note).toContain("they are back");
    expect((await client.questions.sets.query()).map((set) => set.set_id)).toContain(set_id);
  });

  test.each([
    ["an empty file", "", "line 1: the file is empty"],
    ["prose", "hello there\nyou", "line 1: neither JSON nor CSV"],
    ["another shape", toLines([{ a: 1 }, { a: 2 }]), "row 1, row 2: no known format; it has a"],
    ["a broken list", '[\n{"question": 1},\n', "No question was found in 1 rows: line"],
    [
      "bytes that are no text",
      Buffer.from([0x7b, 0x7d, 0x0a, 0xff, 0xfe, 0x0a]),
      "Line 2 is no text in UTF-8",
    ],
    ["half a Parquet", Buffer.from("PAR1 and no more"), "The Parquet file is broken or cut short"],
  ])("of %s is refused in words that name the place, and keeps nothing", async (_, body, words) => {
    const before = await client.questions.sets.query();
    const sent = await send("bad.json", body);
    expect([sent.status, sent.body.message]).toEqual([422, expect.stringContaining(words)]);
    expect(await client.questions.sets.query()).toEqual(before);
  });

  test("of gold answers by id fills in what is missing, as one change", async () => {
    const missing = { options: ["a", "b", "c"], gold: null };
    const answers = JSON.stringify({ "ego-1": 2, "ego-2": 7, "ego-9": 0 });
    const early = await send("answers.json", answers);
    expect([early.status, early.body.message]).toEqual([
      422,
      expect.stringContaining("Import their questions first"),
    ]);
    const { set_id } = (
      await send("ego.jsonl", toLines([row("ego-1", null, missing), row("ego-2", null, missing)]))
    ).body.set;
    expect((await send("answers.json", answers)).body.note).toBe(
      "1 of 3 answers were filled in, in “ego.jsonl”.",
    );
    const golds = () => server.app.questions.listOfSet(set_id).map(({ gold }) => gold);
    expect(golds()).toEqual(["C", null]);
    await client.questions.undo.mutate();
    expect(golds()).toEqual([null, null]);
  });

  test("is behind the same door as every route", async () => {
    const text = toLines([row("x", null)]);
    expect((await send("x", text, { cookie: "" })).status).toBe(401);
    expect((await send("x", text, { origin: "http://elsewhere.test" })).status).toBe(403);
    expect((await send("x", text, { "content-type": "text/plain" })).status).toBe(415);
  });

  test("reads CSV, and a row that was set aside can be taken in and the change taken back", async () => {
    const csv = 'id,question,option_a,option_b,gold\n1,"Where, then?",left,right,B\n2,Where?,left\n';
    const read = await send("mine.csv", csv);
    expect(read.body.set).toMatchObject({ questions: 1, rows: 2, remarks: 1 });

    const urban = (id: number, head: string) => ({
      Question_id: id,
      video_id: "EmbodiedCity_1.mp4",
      question_category: "Goal Detection",
      question: `Question: Seen?\n${head}\nA. Left.\nB. Right.`,
      answer: "B",
    });
    const { set_id } = (
      await send("S04.json", JSON.stringify([urban(7, "choose:"), urban(8, "**choose:**")]))
    ).body.set;
    const aside = async () => (await client.questions.set.query({ set_id })).report.set_aside;
    expect(await aside()).toMatchObject([{ id: "8", taken_in: false, question: { gold: "B" } }]);
    const { question, change_id } = await client.questions.takeIn.mutate({ set_id, row: 2 });
    expect(question).toMatchObject({ source_id: "8", text: "Seen?", row: 2 });
    expect(await aside()).toMatchObject([{ taken_in: true }]);
    await client.questions.undo.mutate({ change_id: change_id ?? -1 });
    expect(await aside()).toMatchObject([{ taken_in: false }]);
    await client.questions.takeIn.mutate({ set_id, row: 2 });
    expect((await client.questions.list.query({ set_id })).total).toBe(2);
    await expect(client.questions.takeIn.mutate({ set_id, row: 1 })).rejects.toThrow("can't be taken in");
  });
});

describe("clips", () => {
  test("S02: are matched by name; several of a name are asked about, none is met later", async () => {
    const { set_id } = (
      await send(
        "match.jsonl",
        toLines([
          row("one", "videos/Hall_1.mp4"),
          row("two", "HALL_1.avi"),
          row("later", "later_7.mp4"),
          row("free", null),
        ]),
      )
    ).body.set;
    const matches = async () => (await client.questions.set.query({ set_id })).matches;
    expect(await matches()).toEqual({ matched: 0, ambiguous: 0, unmatched: 3, none: 1 });

    const first = await addClip("hall_1.mkv");
    expect(await matches()).toEqual({ matched: 2, ambiguous: 0, unmatched: 1, none: 1 });
    const ofFirst = await client.questions.ofClip.query({ clip_id: first });
    expect(ofFirst.map(({ source_id }) => source_id)).toEqual(["one", "two"]);

    const second = await addClip("Hall_1.mp4");
    expect(await matches()).toEqual({ matched: 0, ambiguous: 2, unmatched: 1, none: 1 });
    expect(await client.questions.ofClip.query({ clip_id: first })).toEqual([]);
    const [asked] = await client.questions.ambiguous.query({ set_id });
    expect(asked).toMatchObject({ clip_key: "hall_1", questions: 2, chosen: null });
    expect([...(asked?.clip_ids ?? [])].sort()).toEqual([first, second].sort());

    const { change_id } = await client.questions.choose.mutate({
      set_id,
      clip_key: "hall_1",
      clip_id: second,
    });
    expect((await client.questions.ofClip.query({ clip_id: second })).length).toBe(2);
    expect(await client.questions.ofClip.query({ clip_id: first })).toEqual([]);
    // The choice stands when the other clip goes, and when the chosen one does.
    await client.clips.trash.mutate({ clip_ids: [second] });
    expect((await client.questions.get.query({ question_id: `${set_id}/one` })).clip_id).toBe(second);
    await client.clips.restore.mutate({ clip_ids: [second] });
    await client.questions.undo.mutate({ change_id: change_id ?? -1 });
    expect(await matches()).toMatchObject({ ambiguous: 2 });

    await addClip("later_7.mp4");
    expect(await matches()).toMatchObject({ matched: 1, unmatched: 0 });
  });
});

describe("a question that is written", () => {
  test("stands on its clip, is edited with its history, undone, thrown away and brought back", async () => {
    const clip_id = await addClip("mine.mp4");
    const { question } = await client.questions.write.mutate({ clip_id, ...draft });
    expect(question).toMatchObject({
      clip_id,
      match: "matched",
      task: "unknown",
      gold: "A",
      edited_secs: null,
    });
    const { question_id } = question;
    const edited = await client.questions.edit.mutate({
      question_id,
      ...draft,
      options: ["a door", "a wall", " a lift "],
      gold: null,
    });
    expect(edited.question).toMatchObject({ options: ["a door", "a wall", "a lift"], gold: null });
    const nothing = await client.questions.edit.mutate({
      question_id,
      ...draft,
      options: edited.question.options,
      gold: null,
    });
    expect(nothing.change_id).toBeNull();
    expect((await client.questions.history.query({ question_id })).map(({ kind }) => kind)).toEqual([
      "write",
      "edit",
    ]);
    expect(await client.questions.undo.mutate({ change_id: edited.change_id ?? -1 })).toContain(
      "before the edit",
    );
    expect(await client.questions.get.query({ question_id })).toMatchObject({
      options: ["a door", "a wall"],
      gold: "A",
      edited_secs: null,
    });
    const { change_id } = await client.questions.trash.mutate({ question_ids: [question_id] });
    expect(await client.questions.ofClip.query({ clip_id })).toEqual([]);
    await client.questions.undo.mutate({ change_id: change_id ?? -1 });
    expect(await client.questions.ofClip.query({ clip_id })).toHaveLength(1);
    const history = await client.questions.history.query({ question_id });
    expect(history.map(({ kind }) => kind)).toEqual(["write", "edit", "undo", "trash", "undo"]);
  });

  test("can't take back a change under a later one", async () => {
    const clip_id = await addClip("later.mp4");
    const { question } = await client.questions.write.mutate({ clip_id, ...draft });
    const { question_id } = question;
    const first = await client.questions.edit.mutate({ question_id, ...draft, text: "One?" });
    await client.questions.edit.mutate({ question_id, ...draft, text: "Two?" });
    await expect(client.questions.undo.mutate({ change_id: first.change_id ?? -1 })).rejects.toThrow(
      "changed since",
    );
    expect((await client.questions.get.query({ question_id })).text).toBe("Two?");
  });

  test.each([
    [{ text: "  " }, "Write the question's text"],
    [{ options: ["one"] }, "2 to 8 options"],
    [{ options: [..."abcdefghi"] }, "2 to 8 options"],
    [{ options: ["x", " "] }, "Option B is empty"],
    [{ options: ["x", "x "] }, "Options A and B say the same"],
    [{ gold: "C" }, "is not among the options"],
  ])("is refused in plain words: %j", async (change, words) => {
    const clip_id = await addClip("refused.mp4");
    await expect(client.questions.write.mutate({ clip_id, ...draft, ...change })).rejects.toThrow(words);
  });

  test("keeps its history from every hand", () => {
    const sqlite = server.app.db.$client;
    for (const table of ["question_changes", "question_change_entries"]) {
      expect(() => sqlite.exec(`DELETE FROM ${table}`)).toThrow("append-only");
      expect(() => sqlite.exec(`UPDATE ${table} SET change_id = change_id + 1`)).toThrow("append-only");
    }
  });
});

describe("a set", () => {
  test("is split by scene, the same by the same seed, and the split is taken back whole", async () => {
    const rows = Array.from({ length: 60 }, (_, at) =>
      row(String(at), `c_${at}.mp4`, { scene: `s${at % 20}`, task: at % 2 ? "odd" : "even" }),
    );
    const { set_id } = (await send("split.jsonl", toLines(rows))).body.set;
    const by = { set_id, seed: 3, train: 0.6, val: 0.2 };
    const made = await client.questions.split.mutate(by);
    const set = await client.questions.set.query({ set_id });
    expect(set.split).toMatchObject({
      seed: 3,
      train: 0.6,
      val: 0.2,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    for (const { questions, sides } of set.tasks) {
      expect(questions).toBe(30);
      expect(sides.train + sides.val + sides.test).toBe(30);
    }
    const all = server.app.questions.listOfSet(set_id);
    const sides = new Map<string, Set<string | null>>();
    for (const { scene, split } of all)
      sides.set(scene ?? "", (sides.get(scene ?? "") ?? new Set()).add(split));
    expect([...sides.values()].every((side) => side.size === 1)).toBe(true);
    expect((await client.questions.list.query({ set_id, side: "val" })).total).toBe(12);

    await client.questions.split.mutate({ ...by, seed: 4 });
    expect((await client.questions.set.query({ set_id })).split?.hash).not.toBe(set.split?.hash);
    await client.questions.split.mutate(by);
    expect((await client.questions.set.query({ set_id })).split?.hash).toBe(set.split?.hash);
    for (let undone = 0; undone < 3; undone += 1) await client.questions.undo.mutate();
    expect(server.app.questions.listOfSet(set_id).every(({ split }) => split === null)).toBe(true);
    expect(made.change_id).not.toBeNull();
    await expect(client.questions.split.mutate({ ...by, train: 0.9, val: 0.2 })).rejects.toThrow(
      "more than 1",
    );
  });

  test("comes back equal from its export", async () => {
    const rows = [
      row("a", "x.mp4", { from_secs: 1.5, to_secs: 4, scene: "s" }),
      row("b", null, { gold: null, question: 'Say "so", 你好?\nNow.' }),
      { question_id: "n", question: "How far?", options: [], gold: "2.5", kind: "number" },
    ];
    const { set_id } = (await send("round.jsonl", toLines(rows))).body.set;
    const { text, name } = await client.questions.export.query({ set_id, format: "jsonl" });
    expect(name).toBe("round.jsonl");
    expect(importRows(parseRows(text).rows).questions).toEqual(importRows(rows).questions);
    const released = await client.questions.export.query({ set_id, format: "released" });
    expect([released.name, released.left_out, JSON.parse(released.text).length]).toEqual([
      "round_data.json",
      2,
      1,
    ]);
  });
});

test("a new folder with samples has their questions, each on its clip, labelled, and has them once", async () => {
  const dataDir = join(scratch, "samples");
  const open = () => createApp({ dataDir, log: pino({ level: "silent" }), samples: true });
  for (const _ of ["first", "again"]) {
    const app = await open();
    const [set] = app.questions.sets({ trash: false });
    expect(set).toMatchObject({ kind: "sample", name: "Sample questions" });
    const questions = app.questions.listOfSet(set?.set_id ?? "");
    expect(questions.map(({ question_id, clip_id, gold }) => ({ question_id, clip_id, gold }))).toEqual(
      listSampleQuestions().map(({ question_id, clip_id, gold }) => ({ question_id, clip_id, gold })),
    );
    expect(questions.length).toBeGreaterThan(0);
    for (const question of questions) expect(readHeadingStart(question)).not.toBeNull();
    expect(questions.length).toBeLessThanOrEqual(listSampleWorlds().length);
    await app.close();
  }
});
