import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FindFilter } from "@sightline/core/find";
import { completionLine } from "@sightline/core/testing";
import { afterEach, describe, expect, it } from "vitest";
import { fillRun } from "../../../bench/lib/fill.ts";
import { openDatabase } from "../../db/open.ts";
import { createIngest } from "../../ingest/ingest.ts";
import { chunkOf, fileOf } from "../../ingest/testing/chunks.ts";
import { makeDataDir, serveHere } from "../runs/testing/servers.ts";
import { createFindStore } from "./store.ts";

const removers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const remove of removers.splice(0).reverse()) await remove();
});

/** A real server whose database holds a run with these completions. */
async function serveWith(lines: Parameters<typeof completionLine>[1][]) {
  const { dataDir, remove } = makeDataDir("find");
  removers.push(remove);
  const db = openDatabase(join(dataDir, "sightline.db"));
  fillRun(db, { run_id: "run-a", name: "a", seed: 1, steps: 2, groups: 0, group_size: 0 });
  const take = (all: typeof lines, first = 1) =>
    createIngest(db).apply([
      chunkOf(fileOf(all.map((change, i) => completionLine({ seq: first + i }, change))), {
        stream: "completions",
      }),
    ]);
  take(lines);
  db.$client.close();
  const server = await serveHere(dataDir);
  removers.push(server.close);
  const find = async (filter: FindFilter) =>
    (await server.client.find.list.query({ run_id: "run-a", filter })).rows.map(({ k }) => k);
  const until = async (read: () => Promise<boolean>) => {
    while (!(await read())) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await until(async () => {
    const { indexed } = await server.client.find.list.query({ run_id: "run-a", filter: {} });
    return indexed.done === indexed.total;
  });
  return { ...server, find, dataDir };
}

const scored = (raw: number | null) => ({
  raw,
  weight: 0.5,
  null_reason: raw === null ? "judge_failed" : null,
});

describe("find", () => {
  it("filters by everything that a completion is", async () => {
    const { find } = await serveWith([
      { k: 0, reward: 1 },
      {
        k: 1,
        task: "route",
        stage: 1,
        text: "B",
        parse: { think: null, answer: null, letter: null, rule: "none" },
        rewards: { format: scored(0), accuracy: scored(0), consistency: scored(null) },
        judges: [],
        tokens: 300,
        reward: 0,
      },
      {
        k: 2,
        text: "<think>a</think><think>b</think><answer>C</answer>",
        parse: { think: [7, 8], answer: [40, 41], letter: "C", rule: "answer_text" },
        judges: [{ variant: "as_written", letter: "A", agrees: false, status: "ok", ms: 1, cached: false }],
        finish: "length",
        reward: 0.5,
      },
      {
        k: 3,
        judges: [
          { variant: "as_written", letter: null, agrees: null, status: "timeout", ms: 1, cached: false },
        ],
        reward: 1,
        step: 2,
        group_id: "g2",
      },
      { k: 4, step: 2, group_id: "g2", reward: 1, rewards: { accuracy: scored(0.5) } },
    ]);
    expect(await find({})).toEqual([0, 1, 2, 3, 4]);
    expect(await find({ task: "route" })).toEqual([1]);
    expect(await find({ stage: 1 })).toEqual([1]);
    expect(await find({ letter: "" })).toEqual([1]);
    expect(await find({ letter: "C" })).toEqual([2]);
    expect(await find({ rule: "answer_text" })).toEqual([2]);
    expect(await find({ accuracy: "none" })).toEqual([1]);
    expect(await find({ accuracy: "part" })).toEqual([4]);
    expect(await find({ consistency: "unscored" })).toEqual([1, 4]);
    expect(await find({ judge: "disagrees" })).toEqual([2]);
    expect(await find({ judge: "failed" })).toEqual([3]);
    expect(await find({ judge: "none" })).toEqual([1]);
    expect(await find({ flag: "clipped" })).toEqual([2]);
    expect(await find({ flag: "tag_missing" })).toEqual([1]);
    expect(await find({ flag: "tag_doubled" })).toEqual([2]);
    expect(await find({ flag: "zero_signal" })).toEqual([3, 4]);
    expect(await find({ shortest: 100, longest: 300 })).toEqual([1]);
    expect(await find({ from_step: 2 })).toEqual([3, 4]);
    expect(await find({ flag: "zero_signal", judge: "failed" })).toEqual([3]);
  });

  it("finds words, phrases, beginnings and exclusions in any language", async () => {
    const { find, client } = await serveWith([
      { k: 0, text: "I turned left at the kiosk." },
      { k: 1, text: "I turned right; left of me a bench." },
      { k: 2, text: "Nach links, Straße überqueren. 左转" },
      { k: 3, text: `"quoted" OR NEAR( <b>bold</b>` },
    ]);
    expect(await find({ words: "left" })).toEqual([0, 1]);
    expect(await find({ words: '"turned left"' })).toEqual([0]);
    expect(await find({ words: "left -kiosk" })).toEqual([1]);
    expect(await find({ words: "kio*" })).toEqual([0]);
    expect(await find({ words: "straße" })).toEqual([2]);
    for (const words of ['"', "NEAR(", "-", "*", "(", 'a" OR run : "x', "<b>", "';--"])
      await expect(find({ words })).resolves.toBeDefined();
    const { rows } = await client.find.list.query({ run_id: "run-a", filter: { words: "kiosk" } });
    const { text, hits } = rows[0]?.snippet ?? { text: "", hits: [] };
    expect(hits.map(([from, to]) => text.slice(from, to))).toEqual(["kiosk"]);
    expect((await client.find.list.query({ run_id: "other", filter: { words: "left" } })).total).toBe(0);
  });

  it("keeps notes, tags and views with author and time, and takes them back without losing them", async () => {
    const { client, find, dataDir, close } = await serveWith([{ k: 0 }, { k: 1 }]);
    const { rows } = await client.find.list.query({ run_id: "run-a", filter: {} });
    const completion_id = rows[0]?.completion_id ?? 0;
    await client.find.note.mutate({ completion_id, text: "Looks at the wrong bench." });
    const tagged = await client.find.tag.mutate({ completion_id, text: "wrong object" });
    expect(await find({ tag: "wrong object" })).toEqual([0]);
    // Given again, from another tab for instance, it stands once.
    expect(await client.find.tag.mutate({ completion_id, text: "wrong object" })).toEqual(tagged);
    expect(tagged.remarks.map(({ kind, text, author }) => [kind, text, author !== ""])).toEqual([
      ["note", "Looks at the wrong bench.", true],
      ["tag", "wrong object", true],
    ]);
    const remark_id = tagged.remarks[1]?.remark_id ?? 0;
    const undone = await client.find.undo.mutate({ remark_id });
    expect(undone.remarks[1]).toMatchObject({ text: "wrong object", undone: { author: expect.any(String) } });
    expect(await find({ tag: "wrong object" })).toEqual([]);
    // Given anew meanwhile and brought back besides, its completion counts once.
    const { remarks } = await client.find.tag.mutate({ completion_id, text: "wrong object" });
    await client.find.redo.mutate({ remark_id });
    expect(await client.find.tags.query({ run_id: "run-a" })).toEqual([{ text: "wrong object", n: 1 }]);
    await client.find.undo.mutate({ remark_id: remarks[2]?.remark_id ?? 0 });
    const { view_id } = await client.find.saveView.mutate({ name: "Mine", filter: { tag: "wrong object" } });
    await client.find.removeView.mutate({ view_id });
    expect(await client.find.views.query()).toEqual([]);
    await client.find.restoreView.mutate({ view_id });
    removers.pop();
    await close();
    const again = await serveHere(dataDir);
    removers.push(again.close);
    expect(await again.client.find.views.query()).toMatchObject([
      { name: "Mine", filter: { tag: "wrong object" } },
    ]);
    expect(await again.client.find.tags.query({ run_id: "run-a" })).toEqual([{ text: "wrong object", n: 1 }]);
    expect((await again.client.find.get.query({ completion_id })).remarks).toHaveLength(3);
  });

  it("keeps one view of a name: another one takes its place only where that was meant, and can be undone", async () => {
    const { client } = await serveWith([{}]);
    const save = (filter: FindFilter, replaces?: boolean) =>
      client.find.saveView.mutate({ name: "Mine", filter, replaces });
    const { view_id } = await save({ accuracy: "none" });
    await expect(save({ accuracy: "full" })).rejects.toThrow(/a view called Mine already/);
    const second = await save({ accuracy: "full" }, true);
    expect(second.replaced).toEqual([view_id]);
    expect(await client.find.views.query()).toMatchObject([{ name: "Mine", filter: { accuracy: "full" } }]);
    await expect(client.find.restoreView.mutate({ view_id })).rejects.toThrow(/a view called Mine already/);
    await client.find.restoreView.mutate({ view_id, instead_of: second.view_id });
    expect(await client.find.views.query()).toMatchObject([{ name: "Mine", filter: { accuracy: "none" } }]);
    // The one that gave way is kept as well.
    await client.find.restoreView.mutate({ view_id: second.view_id, instead_of: view_id });
    expect(await client.find.views.query()).toMatchObject([{ name: "Mine", filter: { accuracy: "full" } }]);
  });

  it("follows one question over the steps of a run: its parts and answers at each", async () => {
    const { client } = await serveWith([
      { k: 0, rewards: { accuracy: scored(1) }, reward: 1 },
      {
        k: 1,
        rewards: { accuracy: scored(0) },
        reward: 0,
        parse: { think: null, answer: null, letter: "C", rule: "answer_tag" },
      },
      { k: 0, step: 2, gen: 2, rewards: { accuracy: scored(null) }, reward: 0 },
      { k: 1, step: 2, gen: 2, question_id: "another" },
    ]);
    const points = await client.find.question.query({ run_ids: ["run-a", "unknown"], question_id: "q1" });
    expect(
      points.map(({ step, n, scored: of, accuracy, reward, letters }) => [
        step,
        n,
        of,
        accuracy,
        reward,
        letters,
      ]),
    ).toEqual([
      [1, 2, 2, 0.5, 0.5, { B: 1, C: 1 }],
      [2, 1, 0, null, 0, { B: 1 }],
    ]);
  });

  it("goes on indexing where a server that ended had come to", () => {
    const folder = mkdtempSync(join(tmpdir(), "sightline-find-"));
    removers.push(async () => rmSync(folder, { recursive: true }));
    const file = join(folder, "sightline.db");
    const db = openDatabase(file);
    fillRun(db, { run_id: "run-a", name: "a", seed: 1, steps: 4, groups: 2, group_size: 4 });
    expect(createFindStore(db).indexMore(10)).toBe(10);
    db.$client.close();
    const reopened = openDatabase(file);
    const store = createFindStore(reopened);
    expect(store.progress()).toEqual({ done: 10, total: 32 });
    expect(store.indexMore(100)).toBe(22);
    expect(store.indexMore(100)).toBe(0);
    reopened.$client.close();
  });
});
