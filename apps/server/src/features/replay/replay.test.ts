import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Replay } from "@sightline/core/replay";
import { completionLine } from "@sightline/core/testing";
import { afterEach, describe, expect, it } from "vitest";
import { fillRun } from "../../../bench/lib/fill.ts";
import { openDatabase } from "../../db/open.ts";
import { createIngest } from "../../ingest/ingest.ts";
import { chunkOf, fileOf } from "../../ingest/testing/chunks.ts";
import type { Client } from "../runs/testing/client.ts";
import { makeDataDir, serveHere } from "../runs/testing/servers.ts";
import { layOutRecordedRuns } from "../samples/index.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function until(
  client: Client,
  replay_id: string,
  reached: (replay: Replay) => boolean,
): Promise<Replay> {
  for (;;) {
    const replay = await client.replay.get.query({ replay_id });
    if (reached(replay)) return replay;
    await sleep(20);
  }
}
const hasEnded = ({ state }: Replay) => state !== "working";

/** A data folder with one run, and a server on it. */
async function serveWith(fill: (db: ReturnType<typeof openDatabase>) => void) {
  const { dataDir, remove } = makeDataDir("replay");
  closers.push(remove);
  const db = openDatabase(join(dataDir, "sightline.db"));
  fill(db);
  db.$client.close();
  const serve = async () => {
    const server = await serveHere(dataDir);
    closers.push(server.close);
    return server;
  };
  return { serve, dataDir };
}

const bigRun = { run_id: "run-a", name: "a", seed: 1, steps: 40, groups: 60, group_size: 8 };

describe("reward replay", () => {
  it("gives back what the recorded run emitted, reading the options from its own files", async () => {
    const { dataDir, remove } = makeDataDir("replay");
    closers.push(remove);
    layOutRecordedRuns(join(dataDir, "runs"));
    const server = await serveHere(dataDir);
    closers.push(server.close);
    const { client } = server;
    const run_id = "tiny-recorded";
    while ((await client.runs.get.query({ run_id }).catch(() => null))?.run.state !== "done") await sleep(50);
    const start = (name: string, rules: "as_run" | "sightline" | "embodied-r") =>
      client.replay.start.mutate({ run_id, name, plan: { rules, weights: null, formula: null } });
    const same = await until(client, (await start("own rules", "sightline")).replay_id, hasEnded);
    expect(same.problem).toBeNull();
    expect(same.summary).toMatchObject({
      completions: 12_288,
      is_same: true,
      without_options: 0,
      mismatches: { rewards: 0, advantages: 0 },
    });
    const other = await until(client, (await start("released rules", "embodied-r")).replay_id, hasEnded);
    const lost = other.summary?.flips.accuracy_lost ?? 0;
    expect(lost).toBeGreaterThan(0);
    const { rows, total } = await client.replay.flips.query({
      replay_id: other.replay_id,
      flip: "accuracy_lost",
      limit: 20,
    });
    expect(total).toBe(lost);
    for (const row of rows) {
      expect([row.before.accuracy, row.after.accuracy]).toEqual([1, 0]);
      const { line } = await client.find.get.query({ completion_id: row.completion_id });
      expect([line.step, line.k, line.question_id]).toEqual([row.step, row.k, row.question_id]);
    }
    expect((await client.replay.list.query({ run_id })).map(({ name }) => name)).toEqual([
      "released rules",
      "own rules",
    ]);
    expect(same.author).not.toBe("");
  });

  it("goes on while other things are asked, tells how far it is, and is cancelled", async () => {
    const { serve } = await serveWith((db) => fillRun(db, bigRun));
    const { client } = await serve();
    const plan = { rules: "embodied-r", weights: null, formula: "weighted - 0.001 * tokens" } as const;
    const { replay_id, total } = await client.replay.start.mutate({ run_id: "run-a", name: "shorter", plan });
    expect(total).toBe(19_200);
    const under = await until(client, replay_id, ({ done }) => done > 0);
    expect(under).toMatchObject({ state: "working", summary: null });
    await client.replay.cancel.mutate({ replay_id });
    expect(await until(client, replay_id, hasEnded)).toMatchObject({ state: "cancelled", problem: null });
  });

  it("begins anew with the next server what a stop of the server broke off", async () => {
    const { serve } = await serveWith((db) => fillRun(db, { ...bigRun, steps: 10, groups: 100 }));
    const first = await serve();
    const { replay_id } = await first.client.replay.start.mutate({
      run_id: "run-a",
      name: "accuracy alone",
      plan: { rules: "as_run", weights: [{ format: 0, accuracy: 1, consistency: 0 }], formula: null },
    });
    await until(first.client, replay_id, ({ done }) => done > 0);
    await closers.pop()?.();
    const second = await serve();
    const replay = await until(second.client, replay_id, hasEnded);
    expect(replay).toMatchObject({ state: "done", done: 8000, total: 8000, name: "accuracy alone" });
    expect(replay.summary?.total.reward.after).toBeCloseTo(replay.summary?.total.accuracy.after ?? -1, 9);
  });

  it("B27: scores two generations of a step that name their groups alike as two groups", async () => {
    const { serve } = await serveWith((db) => {
      fillRun(db, { ...bigRun, groups: 0 });
      const lines = [1, 2].flatMap((gen) =>
        [0, 1].map((k) =>
          completionLine({ seq: 2 * gen + k - 1 }, { gen, k, step: 50, group_id: "g", group_size: 2 }),
        ),
      );
      createIngest(db).apply([chunkOf(fileOf(lines), { stream: "completions" })]);
    });
    const { client } = await serve();
    const plan = { rules: "as_run", weights: null, formula: null } as const;
    const { replay_id } = await client.replay.start.mutate({ run_id: "run-a", name: "n", plan });
    expect((await until(client, replay_id, hasEnded)).summary).toMatchObject({ completions: 4, groups: 2 });
  });

  it("refuses a formula with its place, weights of nothing, a run without completions, and no such replay", async () => {
    const { serve } = await serveWith((db) => fillRun(db, { ...bigRun, groups: 0 }));
    const { client } = await serve();
    const start = (plan: Partial<Replay["plan"]>) =>
      client.replay.start.mutate({
        run_id: "run-a",
        name: "n",
        plan: { rules: "as_run", weights: null, formula: null, ...plan },
      });
    await expect(start({ formula: "1 + leng" })).rejects.toThrow(
      /at character 5: There is no value called leng/,
    );
    await expect(start({ weights: [{ format: 0, accuracy: 0, consistency: 0 }] })).rejects.toThrow(
      /are all 0/,
    );
    await expect(start({})).rejects.toThrow(/no completions yet/);
    await expect(client.replay.get.query({ replay_id: "none" })).rejects.toThrow(/no such replay/);
    expect(await client.replay.check.query({ formula: "accuracy * 2" })).toBeNull();
    expect(await client.replay.check.query({ formula: "accuracy *" })).toMatchObject({ from: 10 });
  });

  it("tells of one that failed where not even that can be written, and the next server begins it anew", async () => {
    const { serve, dataDir } = await serveWith((db) => {
      fillRun(db, { ...bigRun, steps: 2, groups: 2 });
      // As a full disk does.
      db.$client.exec(
        "CREATE TRIGGER full_disk BEFORE UPDATE ON replays BEGIN SELECT RAISE(ABORT, 'disk is full'); END",
      );
    });
    const first = await serve();
    const plan = { rules: "as_run", weights: null, formula: null } as const;
    const { replay_id } = await first.client.replay.start.mutate({ run_id: "run-a", name: "n", plan });
    const failed = await until(first.client, replay_id, hasEnded);
    expect(failed).toMatchObject({ state: "failed", summary: null });
    expect(failed.problem).not.toBeNull();
    await closers.pop()?.();
    const db = openDatabase(join(dataDir, "sightline.db"));
    db.$client.exec("DROP TRIGGER full_disk");
    db.$client.close();
    const second = await serve();
    expect(await until(second.client, replay_id, hasEnded)).toMatchObject({ state: "done", problem: null });
  });

  it("puts a replay away and brings it back", async () => {
    const { serve } = await serveWith((db) => fillRun(db, { ...bigRun, steps: 2, groups: 2 }));
    const { client } = await serve();
    const plan = { rules: "as_run", weights: null, formula: null } as const;
    const { replay_id } = await client.replay.start.mutate({ run_id: "run-a", name: "n", plan });
    await until(client, replay_id, hasEnded);
    await client.replay.remove.mutate({ replay_id });
    expect(await client.replay.list.query({ run_id: "run-a" })).toEqual([]);
    await client.replay.restore.mutate({ replay_id });
    expect((await client.replay.get.query({ replay_id })).summary?.completions).toBe(32);
  });
});
