import { appendBatch, metricPaths, type RunSeries, type RunSummary } from "@sightline/core/runs";
import { completionLine, metricsLine, stageLine, startLine } from "@sightline/core/testing";
import type { WireLine } from "@sightline/core/wire";
import { afterEach, describe, expect, it } from "vitest";
import { type Db, openDatabase } from "../../db/open.ts";
import { createIngest, type Ingest } from "../../ingest/ingest.ts";
import { chunkOf, fileOf } from "../../ingest/testing/chunks.ts";
import { type FollowRequest, follow } from "./follow.ts";
import { createRunHub, pause, type RunHub } from "./hub.ts";
import { createLineStore } from "./line-store.ts";
import { createRunStore } from "./store.ts";
import { makeDataDir } from "./testing/servers.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type House = { db: Db; hub: RunHub; ingest: Ingest; run_ids: string[]; open: ReturnType<typeof opener> };

function opener(db: Db, hub: RunHub) {
  const lines = createLineStore(db);
  const store = createRunStore(db);
  return (request: Partial<FollowRequest>, signal: AbortSignal) =>
    follow(
      { hub, lines, summaries: () => [], attempts: store.attempts },
      { run_ids: ["run-a"], last_id: null, points: 512, metrics: null, ...request },
      signal,
    );
}

function house(run_ids = ["run-a"]): House {
  const { dataDir, remove } = makeDataDir("follow");
  const db = openDatabase(`${dataDir}/sightline.db`);
  cleanups.push(remove, () => db.$client.close());
  const store = createRunStore(db);
  for (const run_id of run_ids)
    store.adopt(
      { run_id, name: run_id, engine: "simulator", preset: "", seed: 1, stages: [], settings: {} },
      "local",
    );
  const hub = createRunHub();
  return { db, hub, ingest: createIngest(db), run_ids, open: opener(db, hub) };
}

/** Appends lines to a run as ingest does, and tells the hub. */
function writer({ ingest, hub }: House, run_id = "run-a", attempt = 1) {
  let seq = 0;
  let offset = 0;
  return (make: (where: { run_id: string; attempt: number; seq: number }) => WireLine) => {
    seq += 1;
    const bytes = fileOf([make({ run_id, attempt, seq })]);
    ingest.apply([chunkOf(bytes, { run_id, attempt, offset })]);
    offset += bytes.length;
    hub.lines(run_id);
  };
}

/** Reads a follower until it was silent for a moment; gives its ids and its fold. */
async function read(stream: ReturnType<House["open"]>, until: (ids: number[]) => boolean) {
  const ids: number[] = [];
  const sent: number[] = [];
  let series: ReadonlyMap<string, RunSeries> = new Map();
  for await (const { id, batch } of stream) {
    sent.push(id);
    if (batch.kind === "rows") ids.push(...batch.rows.map((row) => row.id));
    if (batch.kind === "history")
      for (const { rows } of batch.histories) ids.push(...rows.map((row) => row.id));
    series = appendBatch(series, batch);
    if (until(ids)) break;
  }
  return { ids, sent, series };
}

const metric = (step: number) => (where: { run_id: string; attempt: number; seq: number }) =>
  metricsLine(where, step, { loss: Math.sin(step), reward: step });

describe("runs.follow", () => {
  it("gives past and future once, also when rows come while it reads", async () => {
    const at = house();
    const write = writer(at);
    for (let step = 1; step <= 50; step++) write(metric(step));
    const reading = read(at.open({}, new AbortController().signal), (ids) => ids.length >= 120);
    for (let step = 51; step <= 120; step++) {
      write(metric(step));
      if (step % 7 === 0) await pause(20, new AbortController().signal);
    }
    const { ids, series } = await reading;
    expect(ids).toEqual(Array.from({ length: 120 }, (_, i) => i + 1));
    expect(metricPaths(series.get("run-a") as RunSeries, "reward")[0]?.steps.length).toBe(120);
  });

  it("goes on from any id that it gave: no gap, no double, in batches of at most 500", async () => {
    const at = house();
    const write = writer(at);
    for (let step = 1; step <= 1300; step++) write(metric(step));
    const signal = new AbortController().signal;
    const first = await read(at.open({}, signal), (ids) => ids.length >= 1300);
    expect(first.ids).toHaveLength(1300);
    const sizes: number[] = [];
    const stream = at.open({ last_id: 100 }, signal);
    const ids: number[] = [];
    for await (const { id, batch } of stream) {
      if (batch.kind !== "rows") continue;
      sizes.push(batch.rows.length);
      ids.push(...batch.rows.map((row) => row.id));
      expect(id).toBeGreaterThanOrEqual(ids.at(-1) ?? 0);
      if (ids.length >= 1200) break;
    }
    expect(Math.max(...sizes)).toBe(500);
    expect(ids).toEqual(Array.from({ length: 1200 }, (_, i) => i + 101));
  });

  it("two followers that lose their connection at random see the same, each row once", async () => {
    const at = house(["run-a", "run-b"]);
    const writeA = writer(at, "run-a");
    const writeB = writer(at, "run-b");
    let state = 5;
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
    const total = 600;
    const followOnAndOff = async () => {
      const ids = new Map<string, number[]>();
      const count = () => [...ids.values()].reduce((sum, { length }) => sum + length, 0);
      let last: number | null = null;
      while (count() < total) {
        const off = new AbortController();
        const cut = setTimeout(() => off.abort(), 30 + random() * 250);
        for await (const { id, batch } of at.open(
          { run_ids: ["run-a", "run-b"], last_id: last },
          off.signal,
        )) {
          // An opening holds the whole past of its run, in place of what came before.
          if (batch.kind === "history")
            for (const { run_id, rows } of batch.histories)
              ids.set(
                run_id,
                rows.map((row) => row.id),
              );
          if (batch.kind === "rows") for (const row of batch.rows) ids.get(row.line.run_id)?.push(row.id);
          last = id;
          if (count() >= total) break;
        }
        clearTimeout(cut);
      }
      return [...ids.values()].flat();
    };
    const followers = [followOnAndOff(), followOnAndOff()];
    for (let step = 1; step <= total / 2; step++) {
      writeA(metric(step));
      writeB(metric(step));
      if (step % 5 === 0) await pause(8, new AbortController().signal);
    }
    const expected = Array.from({ length: total }, (_, i) => i + 1);
    for (const ids of await Promise.all(followers)) expect([...ids].sort((a, b) => a - b)).toEqual(expected);
  });

  it("opens a long run by buckets that hold every extremum, then goes on row by row", async () => {
    const at = house();
    const value = (i: number) => (i === 4321 ? 50 : i === 7000 ? -50 : Math.sin(i));
    const rows = Array.from({ length: 9000 }, (_, i) =>
      metricsLine({ seq: i + 3 }, i + 1, { loss: value(i), kl: 0.1 }),
    );
    const said = { code: "slow", message: "Slow.", detail: "", retryable: false, hint: "" };
    const warn = { ...startLine({ seq: 9003 }), ...said, type: "warn" };
    const lines = [
      startLine({ seq: 1 }),
      stageLine({ seq: 2 }, 0, 1, { format: 7, accuracy: 3, consistency: 0 }),
      ...rows.slice(0, 4000),
      warn,
      ...rows.slice(4000),
    ];
    at.ingest.apply([chunkOf(fileOf(lines))]);
    const reading = read(at.open({ points: 200, metrics: ["loss"] }, new AbortController().signal), (ids) =>
      ids.includes(9004),
    );
    await pause(200, new AbortController().signal);
    at.ingest.apply([chunkOf(fileOf([metricsLine({ seq: 9004 }, 9001, { loss: 3 })]))]);
    at.hub.lines("run-a");
    const { ids, series } = await reading;
    expect(ids).toEqual([1, 2, 4003, 9004]);
    const run = series.get("run-a") as RunSeries;
    expect(run.metrics.has("kl")).toBe(false);
    expect(run.step).toBe(9001);
    expect(run.marks.map(({ kind, step }) => [kind, step])).toEqual([
      ["start", 0],
      ["stage", 1],
      ["warn", 4000],
    ]);
    const [path] = metricPaths(run, "loss");
    expect(Math.max(...(path?.values ?? []))).toBe(50);
    expect(Math.min(...(path?.values ?? []))).toBe(-50);
    expect(path?.steps.at(-1)).toBe(9001);
    expect(path?.steps.length).toBeLessThan(900);
  });

  it("begins an opening again when it was cut short", async () => {
    const at = house(["run-a", "run-b"]);
    writer(at, "run-a")(metric(1));
    writer(at, "run-b")(metric(1));
    const signal = new AbortController().signal;
    const ids: number[] = [];
    for await (const { id } of at.open({ run_ids: ["run-a", "run-b"] }, signal)) {
      ids.push(id);
      if (ids.length === 2) break;
    }
    expect(ids).toEqual([0, 2]);
    const again = await read(
      at.open({ run_ids: ["run-a", "run-b"], last_id: 0 }, signal),
      (seen) => seen.length === 2,
    );
    expect(again.ids).toEqual([1, 2]);
  });

  it("begins anew when the id comes from another database", async () => {
    const at = house();
    writer(at)(metric(1));
    const { ids } = await read(
      at.open({ last_id: 99_999 }, new AbortController().signal),
      (seen) => seen.length > 0,
    );
    expect(ids).toEqual([1]);
  });

  it("sends a tally again when later completions change it", async () => {
    const at = house();
    const send = (seq: number, k: number, offset: number) => {
      const bytes = fileOf([completionLine({ seq }, { k })]);
      at.ingest.apply([chunkOf(bytes, { stream: "completions", offset })]);
      at.hub.lines("run-a");
      return offset + bytes.length;
    };
    const offset = send(1, 0, 0);
    const counts: number[] = [];
    for await (const { batch } of at.open({}, new AbortController().signal)) {
      const tallies =
        batch.kind === "rows"
          ? batch.tallies
          : batch.kind === "history"
            ? (batch.histories[0]?.tallies ?? [])
            : [];
      counts.push(...tallies.map(({ n }) => n));
      if (counts.length === 1) send(2, 1, offset);
      if (counts.length === 2) break;
    }
    expect(counts).toEqual([1, 2]);
  });

  it("tells of an end after every row that was committed before it", async () => {
    const at = house();
    const stop = new AbortController();
    cleanups.push(() => stop.abort());
    const store = createRunStore(at.db);
    const summaries = () => store.list(false) as unknown as RunSummary[];
    const parts = { hub: at.hub, lines: createLineStore(at.db), summaries, attempts: store.attempts };
    const request = { run_ids: ["run-a"], last_id: null, points: 512, metrics: null };
    const follower = follow(parts, request, stop.signal);
    await follower.next();
    const write = writer(at);
    write((where) => startLine(where));
    for (let step = 1; step <= 1200; step++) write(metric(step));
    store.changeRun("run-a", { state: "done" });
    at.hub.changed("run-a");
    let rows = 0;
    for await (const { batch } of follower) {
      if (batch.kind === "rows") rows += batch.rows.length;
      if (batch.kind === "state" && batch.runs[0]?.state === "done") break;
    }
    expect(rows).toBe(1201);
  });

  it("ends with its signal and lets go of the hub", async () => {
    const at = house();
    const off = new AbortController();
    const stream = at.open({}, off.signal);
    const reading = (async () => {
      for await (const _ of stream) void _;
      return "ended";
    })();
    await pause(50, new AbortController().signal);
    off.abort();
    expect(await reading).toBe("ended");
  });

  it("serves a hundred followers", async () => {
    const at = house();
    const write = writer(at);
    const signal = new AbortController().signal;
    const reading = Array.from({ length: 100 }, () => read(at.open({}, signal), (ids) => ids.length >= 200));
    for (let step = 1; step <= 200; step++) {
      write(metric(step));
      if (step % 10 === 0) await pause(10, signal);
    }
    const all = await Promise.all(reading);
    for (const { ids } of all) expect(ids).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
  });
});

describe("runs.window", () => {
  it("splits what was rolled back from what counts at the exact step", () => {
    const at = house();
    const first = writer(at, "run-a", 1);
    first((where) => startLine(where));
    for (let step = 1; step <= 100; step++)
      first((where) => metricsLine(where, step, { loss: step === 55 ? 99 : 1 }));
    createRunStore(at.db).addAttempt("run-a", 2);
    const second = writer(at, "run-a", 2);
    second((where) => startLine(where, { step: 50, path: "checkpoints/checkpoint-50" }));
    for (let step = 51; step <= 120; step++) second((where) => metricsLine(where, step, { loss: 2 }));
    const store = createRunStore(at.db);
    const series = createLineStore(at.db).window(
      { run_id: "run-a", name: "loss", from_step: 0, to_step: 640, points: 10 },
      store.attempts("run-a"),
    );
    const shown = series.map(({ attempt, rolled_back, buckets }) => ({
      attempt,
      rolled_back,
      n: buckets.n.reduce((sum, n) => sum + n, 0),
      max: Math.max(...buckets.max),
    }));
    expect(shown).toEqual([
      { attempt: 1, rolled_back: false, n: 50, max: 1 },
      { attempt: 1, rolled_back: true, n: 50, max: 99 },
      { attempt: 2, rolled_back: false, n: 70, max: 2 },
    ]);
  });
});
