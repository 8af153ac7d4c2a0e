import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bucketRows, metricEntries, type StepTally } from "@sightline/core/runs";
import { completionLine, endLine, metricsLine, startLine } from "@sightline/core/testing";
import { readAcceptedLine } from "@sightline/core/wire";
import { afterEach, describe, expect, it } from "vitest";
import { type Db, openDatabase } from "../db/open.ts";
import { createLineStore } from "../features/runs/line-store.ts";
import { createRunStore } from "../features/runs/store.ts";
import { createIngest } from "./ingest.ts";
import { chunkOf, fileOf, readAt } from "./testing/chunks.ts";

const folders: string[] = [];
const open: Db[] = [];
afterEach(() => {
  for (const db of open.splice(0)) db.$client.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function database() {
  const folder = mkdtempSync(join(tmpdir(), "sightline-ingest-"));
  folders.push(folder);
  const file = join(folder, "sightline.db");
  const db = openDatabase(file);
  open.push(db);
  createRunStore(db).adopt(
    { run_id: "run-a", name: "a", engine: "simulator", preset: "", seed: 1, stages: [], settings: {} },
    "local",
  );
  return { db, file, ingest: createIngest(db), lines: createLineStore(db) };
}

const ref = { run_id: "run-a", attempt: 1 };
const metrics = (n: number, from = 1) =>
  Array.from({ length: n }, (_, i) => metricsLine({ seq: from + i }, from + i, { loss: i }));
const texts = (db: Db) =>
  db.$client
    .prepare<[], { raw: string }>("SELECT raw FROM run_lines ORDER BY id")
    .all()
    .map(({ raw }) => raw);
const offsetOf = (ingest: ReturnType<typeof createIngest>, stream = "events") =>
  ingest.cursors(ref).find((cursor) => cursor.stream === stream)?.offset;

describe("ingest", () => {
  it("B37: half a last line waits, and its row comes once", () => {
    const { ingest, db } = database();
    const file = fileOf(metrics(4));
    const cut = file.length - 30;
    ingest.apply([chunkOf(file.subarray(0, cut))]);
    expect(texts(db)).toHaveLength(3);
    const at = offsetOf(ingest) ?? 0;
    expect(file[at - 1]).toBe(10);
    expect(ingest.apply([chunkOf(file.subarray(at), { offset: at })]).rows).toBe(1);
    expect(texts(db)).toHaveLength(4);
    expect(createLineStore(db).quarantined("run-a").count).toBe(0);
  });

  it("B37: a character cut in half is whole in the row", () => {
    const { ingest, db } = database();
    const file = fileOf([{ ...metricsLine({}, 1, {}), type: "novelty", text: "links → rechts, 北" }]);
    const cut = file.indexOf(Buffer.from("北")) + 1;
    for (let at = 0; at < file.length; ) {
      const limit = at === 0 ? cut : file.length;
      const chunk = readAt(file, { ...ref, stream: "events", segment: 1, offset: at, inode: 7 }, limit);
      if (chunk) ingest.apply([chunk]);
      const next = offsetOf(ingest) ?? 0;
      if (next === at) {
        ingest.apply([chunkOf(file)]);
        break;
      }
      at = next;
    }
    expect(texts(db).map((raw) => readAcceptedLine(raw))).toMatchObject([{ text: "links → rechts, 北" }]);
  });

  it("B37: a file that shrank to nothing is read anew, known rows are left out and it is said", () => {
    const { ingest, db, lines } = database();
    ingest.apply([chunkOf(fileOf(metrics(5)))]);
    ingest.apply([chunkOf("", { reset: true })]);
    const again = fileOf(metrics(7));
    ingest.apply([chunkOf(again)]);
    expect(texts(db)).toHaveLength(7);
    expect(lines.notes("run-a")).toMatchObject([{ code: "file_shrunk", count: 1 }]);
    ingest.apply([chunkOf(again, { reset: true, inode: 8 })]);
    expect(texts(db)).toHaveLength(7);
    expect(lines.notes("run-a").map(({ code }) => code)).toEqual(["file_replaced", "file_shrunk"]);
  });

  it("keeps lines that can't be read, with their place and the reason, and goes on", () => {
    const { ingest, db, lines } = database();
    const [first, second] = metrics(2).map((line) => JSON.stringify(line));
    const parts = [
      `${first}\n`,
      "{oops\n",
      Buffer.from([0x7b, 0xff, 0xfe, 0x0a]),
      `${JSON.stringify({ ...metrics(1)[0], run_id: "other" })}\n`,
      `${JSON.stringify({ ...metrics(1)[0], attempt: 9 })}\n`,
      `${JSON.stringify(completionLine({}))}\n`,
      "\n",
      `${second}\n`,
    ].map((part) => Buffer.from(part as string));
    ingest.apply([chunkOf(Buffer.concat(parts))]);
    ingest.apply([
      chunkOf(Buffer.alloc(4096, 65), {
        offset: 10_000,
        oversized: 3_000_000,
        next: { ...ref, stream: "events", segment: 1, inode: 7, offset: 3_010_000 },
      }),
    ]);
    expect(texts(db)).toHaveLength(2);
    const { count, lines: kept } = lines.quarantined("run-a");
    expect(count).toBe(6);
    expect(kept.map(({ byte_offset, reason }) => [byte_offset, reason.split(/[ :(]/)[0]])).toEqual([
      [parts[0]?.length, "not"],
      [(parts[0]?.length ?? 0) + 6, "not"],
      [expect.any(Number), "run_id"],
      [expect.any(Number), "attempt"],
      [expect.any(Number), "stream"],
      [10_000, "longer"],
    ]);
    expect(kept[0]).toMatchObject({ file: "events.jsonl", excerpt: "{oops\n", bytes: 6 });
    expect(kept[5]?.bytes).toBe(3_000_000);
    expect(offsetOf(ingest)).toBe(3_010_000);
    const long = JSON.stringify({ ...metrics(1, 9)[0], type: "novelty", text: "x".repeat(1_048_576) });
    ingest.apply([chunkOf(`${long}\n`, { offset: 3_010_000 })]);
    expect(lines.quarantined("run-a").lines[6]).toMatchObject({
      byte_offset: 3_010_000,
      reason: /^longer than/,
    });
  });

  it("keeps a whole last line without its newline, and what a dead writer tore off apart", () => {
    const { ingest, db, lines } = database();
    const whole = fileOf(metrics(2));
    ingest.apply([chunkOf(whole.subarray(0, -1), { torn: true, ended: true })]);
    expect(texts(db)).toHaveLength(2);
    ingest.apply([chunkOf('{"v":1,"run', { stream: "completions", torn: true, ended: true })]);
    expect(lines.quarantined("run-a").lines).toMatchObject([{ reason: /^torn: its writer died/ }]);
    expect(ingest.isReadOut(ref)).toBe(true);
    expect(ingest.cursors(ref)).toEqual([]);
  });

  it("keeps unknown types and unknown fields as they were written", () => {
    const { ingest, db } = database();
    const line = { ...metrics(1)[0], colour: "green", nested: { a: [1] } };
    const novelty = { ...metrics(1, 2)[0], type: "novelty", weight: 3 };
    ingest.apply([chunkOf(fileOf([line, novelty]))]);
    expect(texts(db).map((raw) => JSON.parse(raw))).toEqual([line, novelty]);
  });

  it("B29, B30, B33, B34: odd steps and numbers are kept and noted", () => {
    const { ingest, lines } = database();
    const steps = [247, 248, 249, 203, 204, 204];
    const rows = steps.map((step, i) => metricsLine({ seq: i + 1 }, step, { loss: step }));
    const bare = JSON.stringify(metricsLine({ seq: 7 }, 205, { loss: 1 })).replace(
      '"loss":1',
      '"loss":NaN,"kl":-Infinity',
    );
    const text = JSON.stringify({
      ...metricsLine({ seq: 8 }, 206, {}),
      step: "206",
      values: { loss: "1e-3" },
    });
    ingest.apply([chunkOf(`${fileOf(rows)}${bare}\n${text}\n`)]);
    expect(lines.notes("run-a").map(({ code, count }) => [code, count])).toEqual([
      ["duplicate_rows", 1],
      ["loose_json", 1],
      ["step_went_back", 1],
      ["text_numbers", 1],
    ]);
    const window = (name: string) =>
      lines.window({ run_id: "run-a", name, from_step: 200, to_step: 250, points: 100 }, []);
    expect(window("loss").map(({ segment, buckets }) => [segment, buckets.index, buckets.last])).toEqual([
      [0, [247, 248, 249], [247, 248, 249]],
      [1, [203, 204, 205, 206], [203, 204, 0, 0.001]],
    ]);
    expect(window("loss")[1]?.buckets.gaps).toEqual([0, 0, 1, 0]);
    expect(window("kl")[0]?.buckets).toMatchObject({ n: [0], neg_inf: [1] });
  });

  it("adds the completions of a step up, as they come", () => {
    const { ingest, lines } = database();
    const wrong = { raw: 0, weight: 0.3, null_reason: null };
    const right = { raw: 1, weight: 0.3, null_reason: null };
    const judge = (agrees: boolean | null, status: "ok" | "skipped_wrong_answer" | "timeout" = "ok") => [
      { variant: "as_written", letter: "B", agrees, status, ms: 1, cached: false },
    ];
    const rows = [
      completionLine({ seq: 1 }, { k: 0, rewards: { accuracy: right }, judges: judge(true), reward: 1 }),
      completionLine({ seq: 2 }, { k: 1, rewards: { accuracy: right }, judges: judge(false), reward: 0.5 }),
      completionLine(
        { seq: 3 },
        { k: 2, rewards: { accuracy: right }, judges: judge(null, "timeout"), reward: 0.5 },
      ),
      completionLine(
        { seq: 4 },
        {
          k: 3,
          rewards: { accuracy: wrong },
          judges: judge(null, "skipped_wrong_answer"),
          reward: 0,
          finish: "length",
        },
      ),
      completionLine(
        { seq: 5 },
        { group_id: "g2", k: 0, task: "route", rewards: { accuracy: right }, judges: [] },
      ),
      completionLine(
        { seq: 6 },
        { group_id: "g2", k: 1, task: "route", rewards: { accuracy: right }, judges: [] },
      ),
    ];
    const file = fileOf(rows);
    ingest.apply([chunkOf(file.subarray(0, 500), { stream: "completions" })]);
    ingest.apply([chunkOf(file, { stream: "completions" })]);
    const expected: StepTally = {
      run_id: "run-a",
      attempt: 1,
      step: 1,
      n: 6,
      correct: 5,
      judged: 2,
      agreed: 1,
      groups: 2,
      tied_groups: 1,
      tied_right: 1,
      tied_wrong: 0,
      clipped: 1,
      tokens: 72,
      tasks: { heading: { n: 4, correct: 3 }, route: { n: 2, correct: 2 } },
      letters: { B: 6 },
      golds: { B: 6 },
      rules: { answer_tag: 6 },
      judges: { ok: 2, timeout: 1, skipped_wrong_answer: 1 },
    };
    expect(lines.tallies("run-a")).toEqual([expected]);
    const { tallies, upto_id } = lines.after(["run-a"], 0, 500);
    expect(tallies).toEqual([expected]);
    expect(lines.after(["run-a"], upto_id, 500).tallies).toEqual([]);
  });

  it("draws a metric beside others with every extremum, and without what was rolled back", () => {
    const { ingest, lines } = database();
    const rows = Array.from({ length: 900 }, (_, i) =>
      metricsLine({ seq: i + 1 }, i + 1, { loss: i === 432 ? 99 : i === 700 ? "NaN" : Math.sin(i / 50) }),
    );
    ingest.apply([chunkOf(fileOf(rows))]);
    const attempts = [
      { attempt: 1, resume_step: 0, first_step: 1 },
      { attempt: 2, resume_step: 800, first_step: 801 },
    ];
    const [line] = lines.overlay("run-a", ["loss"], 40, attempts);
    expect(line?.steps.at(-1)).toBeLessThanOrEqual(800);
    expect(line?.values[line.steps.indexOf(433)]).toBe(99);
    expect(line?.steps.length).toBeLessThan(200);
    expect(lines.overlay("run-a", ["kl"], 40, attempts)).toEqual([]);
    // Averages run over means, so that one extreme weighs as much as any other value.
    const everything = { from_step: -1e12, to_step: 1e12 };
    const [meant] = lines.overlay("run-a", ["loss"], 40, attempts, everything, true);
    const { means = [], counts = [] } = meant?.basis ?? {};
    const kept = rows.slice(0, 800).map(({ values }) => Number(values.loss));
    const finite = kept.filter(Number.isFinite);
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(finite.length);
    expect(means.reduce((sum, mean, k) => sum + mean * (counts[k] ?? 0), 0)).toBeCloseTo(
      finite.reduce((sum, value) => sum + value, 0),
      3,
    );
    const [near] = lines.overlay("run-a", ["loss"], 40, attempts, { from_step: 421, to_step: 450 });
    expect(near?.steps).toEqual(Array.from({ length: 30 }, (_, k) => 421 + k));
  });

  it("B31: from where an attempt resumed its rows count, for every metric, in windows and beside others", () => {
    const { ingest, lines } = database();
    const rows = (attempt: number, from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) =>
        metricsLine({ attempt, seq: i + 1 }, from + i, { loss: attempt * 100 + from + i, kl: attempt }),
      );
    ingest.apply([chunkOf(fileOf(rows(1, 0, 15)))]);
    ingest.apply([chunkOf(fileOf(rows(2, 10, 20)), { attempt: 2 })]);
    const attempts = [
      { attempt: 1, resume_step: 0, first_step: 0 },
      { attempt: 2, resume_step: 9, first_step: 10 },
    ];
    for (const name of ["loss", "kl"]) {
      const window = lines.window(
        { run_id: "run-a", name, from_step: 0, to_step: 30, points: 100 },
        attempts,
      );
      const steps = (rolled_back: boolean) =>
        window
          .filter((part) => part.rolled_back === rolled_back)
          .map(({ attempt, buckets }) => [attempt, buckets.first_step[0], buckets.last_step.at(-1)]);
      expect(steps(false)).toEqual([
        [1, 0, 9],
        [2, 10, 20],
      ]);
      expect(steps(true)).toEqual([[1, 10, 15]]);
      const beside = lines.overlay("run-a", [name], 100, attempts).flatMap((line) => line.steps);
      expect(beside).toEqual(Array.from({ length: 21 }, (_, step) => step));
    }
    const values = lines.overlay("run-a", ["loss"], 100, attempts).flatMap((line) => line.values);
    expect(values.slice(9, 11)).toEqual([109, 210]);
  });

  it("B34: what is sent of a run with infinities is legal JSON, and holds them", () => {
    const { ingest, lines } = database();
    const bare = fileOf(metrics(5))
      .toString()
      .replace('"loss":1}', '"loss":1,"kl":Infinity,"grad_norm":-Infinity}');
    ingest.apply([chunkOf(bare)]);
    const attempts = [{ attempt: 1, resume_step: 0, first_step: 1 }];
    const sent = JSON.stringify([
      lines.allRows("run-a"),
      lines.history("run-a", 512, attempts, null),
      lines.overlay("run-a", ["kl", "grad_norm"], 80, attempts),
    ]);
    expect(sent).not.toMatch(/:null,"kl"|NaN[^"]|Infinity[^"]/);
    const [rows, history, beside] = JSON.parse(sent);
    expect(rows[1].line.values).toMatchObject({ kl: "Infinity", grad_norm: "-Infinity" });
    const kl = history.series.find(({ name }: { name: string }) => name === "kl").buckets;
    expect([kl.n, kl.pos_inf]).toEqual([[0], [1]]);
    expect(beside.map(({ values }: { values: unknown[] }) => values)).toEqual([["Infinity"], ["-Infinity"]]);
  });

  it("B38: runs that were logged every 5 and every 10 steps line up by step", () => {
    const { db, ingest, lines } = database();
    createRunStore(db).adopt(
      { run_id: "run-b", name: "b", engine: "simulator", preset: "", seed: 2, stages: [], settings: {} },
      "local",
    );
    const rows = (run_id: string, every: number) =>
      Array.from({ length: 120 / every }, (_, i) =>
        metricsLine({ run_id, seq: i + 1 }, (i + 1) * every, { loss: (i + 1) * every }),
      );
    ingest.apply([chunkOf(fileOf(rows("run-a", 10)))]);
    ingest.apply([chunkOf(fileOf(rows("run-b", 5)), { run_id: "run-b" })]);
    const attempts = [{ attempt: 1, resume_step: 0, first_step: 5 }];
    const [a] = lines.overlay("run-a", ["loss"], 200, attempts);
    const [b] = lines.overlay("run-b", ["loss"], 200, attempts);
    expect([a?.steps.slice(0, 2), b?.steps.slice(0, 4)]).toEqual([
      [10, 20],
      [5, 10, 15, 20],
    ]);
    for (const line of [a, b]) expect(line?.values).toEqual(line?.steps);
  });

  it("gives the clock of another run to the millisecond", () => {
    const { ingest, lines } = database();
    const begun = 1_796_101_602.125;
    const rows = Array.from({ length: 8 }, (_, i) =>
      metricsLine({ seq: i + 1, time_secs: begun + i / 4 }, i + 1, { loss: 1 }),
    );
    ingest.apply([chunkOf(fileOf(rows))]);
    const [clock] = lines.overlay("run-a", ["clock/time_secs"], 40, [
      { attempt: 1, resume_step: 0, first_step: 1 },
    ]);
    expect(clock?.values).toEqual(rows.map((_, i) => begun + i / 4));
  });

  it("draws rates of the tallies beside others, summed where steps are many, without what was rolled back", () => {
    const { ingest, lines } = database();
    const right = { raw: 1, weight: 1, null_reason: null };
    const judges = (agrees: boolean) => [
      { variant: "as_written", letter: "B", agrees, status: "ok" as const, ms: 1, cached: false },
    ];
    // At step s of 1 to 4, s of 4 correct answers are consistent; at odd steps the one group has no signal.
    const rows = [1, 2, 3, 4].flatMap((step) =>
      [0, 1, 2, 3].map((k) =>
        completionLine(
          { seq: (step - 1) * 4 + k + 1 },
          {
            step,
            group_id: `g${step}`,
            k,
            rewards: { accuracy: right },
            judges: judges(k < step),
            reward: step % 2 === 1 ? 1 : k / 4,
          },
        ),
      ),
    );
    ingest.apply([chunkOf(fileOf(rows), { stream: "completions" })]);
    const alone = [{ attempt: 1, resume_step: 0, first_step: 1 }];
    const read = (points: number, attempts = alone) =>
      lines
        .overlay("run-a", ["tally/consistent", "tally/tied"], points, attempts)
        .map(({ name, steps, values }) => [name, steps, values]);
    expect(read(40)).toEqual([
      ["tally/consistent", [1, 2, 3, 4], [0.25, 0.5, 0.75, 1]],
      ["tally/tied", [1, 2, 3, 4], [1, 0, 1, 0]],
    ]);
    expect(read(2)).toEqual([
      ["tally/consistent", [1, 2, 4], [0.25, 0.625, 1]],
      ["tally/tied", [1, 2, 4], [1, 0.5, 0]],
    ]);
    expect(read(40, [...alone, { attempt: 2, resume_step: 2, first_step: 3 }])).toEqual([
      ["tally/consistent", [1, 2], [0.25, 0.5]],
      ["tally/tied", [1, 2], [1, 0]],
    ]);
  });

  it("B27: the same prompt four times in a step stays four groups", () => {
    const { ingest, lines } = database();
    const rows = Array.from({ length: 8 }, (_, i) =>
      completionLine(
        { seq: i + 1 },
        { step: 50, group_id: `g${i >> 1}`, k: i % 2, prompt: i % 2 ? null : "same" },
      ),
    );
    ingest.apply([chunkOf(fileOf(rows), { stream: "completions" })]);
    expect(lines.completions("run-a", 50)).toEqual(rows);
    expect(lines.tallies("run-a")).toMatchObject([{ step: 50, n: 8, groups: 4 }]);
  });

  it("keeps held-out answers and leaves them out of the tallies of training", () => {
    const { ingest, lines } = database();
    const trained = completionLine({ seq: 1 }, { step: 50, group_id: "g50" });
    const held = [2, 3].map((seq) =>
      completionLine({ seq }, { step: 50, split: "eval", group_id: `e50-${seq}`, group_size: 1 }),
    );
    const before = completionLine({ seq: 4 }, { step: 0, split: "eval", group_id: "e0", group_size: 1 });
    ingest.apply([chunkOf(fileOf([trained, ...held, before]), { stream: "completions" })]);
    expect(lines.completions("run-a", 50)).toHaveLength(3);
    expect(lines.tallies("run-a")).toMatchObject([
      { step: 50, n: 1, groups: 1, tasks: { heading: { n: 1 } } },
    ]);
  });

  it("notes lines that are missing when an attempt has ended", () => {
    const { ingest, lines } = database();
    ingest.apply([chunkOf(fileOf([...metrics(2), ...metrics(2, 6)]), { ended: true })]);
    ingest.finish(ref);
    expect(lines.notes("run-a")).toMatchObject([{ code: "gap_in_seq", count: 3 }]);
  });

  it("gives the same rows and buckets for any cuts, repeats and restarts", () => {
    const { db, lines } = database();
    let state = 42;
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
    const rows = [
      startLine({ seq: 1 }),
      ...Array.from({ length: 900 }, (_, i) =>
        metricsLine({ seq: i + 2 }, i * 3, {
          loss: random() < 0.02 ? "NaN" : random() * 4 - 2,
          kl: random() < 0.01 ? "Infinity" : random(),
        }),
      ),
      endLine({ seq: 902 }, 2697),
    ];
    const bytes = fileOf(rows);
    let ingest = createIngest(db);
    for (let round = 0; round < 2000; round++) {
      const cursor = ingest.cursors(ref).find((at) => at.stream === "events");
      if (!cursor || cursor.offset >= bytes.length) break;
      // Now and then an older place, as after a lost commit.
      const offset = random() < 0.2 ? Math.floor(cursor.offset * random()) : cursor.offset;
      const start = offset === 0 ? 0 : bytes.lastIndexOf(10, offset - 1) + 1;
      const chunk = readAt(bytes, { ...cursor, offset: start }, Math.ceil(random() * 20_000));
      if (chunk) ingest.apply([chunk]);
      if (random() < 0.1) ingest = createIngest(db);
    }
    expect(texts(db)).toEqual(rows.map((row) => JSON.stringify(row)));
    for (const name of ["loss", "kl"]) {
      const points = rows.flatMap((row) => {
        const entries = metricEntries(row);
        const value = entries?.values[entries.names.indexOf(name)];
        return entries && value !== undefined ? [[entries.step, value] as const] : [];
      });
      const steps = points.map(([step]) => step);
      const values = points.map(([, value]) => value);
      for (const width of [1, 8, 16, 64, 128, 1024]) {
        const [series] = lines.window(
          { run_id: "run-a", name, from_step: 0, to_step: width * 1000, points: 1000 },
          [],
        );
        const direct = bucketRows(steps, values, width).filter(({ index }) => index <= 1000);
        expect(series?.buckets.width).toBe(width);
        expect(series?.buckets.min).toEqual(direct.map(({ min }) => min));
        expect(series?.buckets.max_step).toEqual(direct.map(({ max_step }) => max_step));
        expect(series?.buckets.gaps).toEqual(direct.map(({ gaps }) => gaps));
        expect(series?.buckets.pos_inf).toEqual(direct.map(({ pos_inf }) => pos_inf));
        series?.buckets.sum.forEach((sum, i) => {
          expect(sum).toBeCloseTo(direct[i]?.sum ?? Number.NaN, 9);
        });
      }
    }
  });

  it("leaves no trace of a transaction that failed", () => {
    const { db } = database();
    let fail = true;
    const ingest = createIngest(db, {
      before_commit() {
        if (fail) throw new Error("disk full");
      },
    });
    const file = fileOf(metrics(40));
    expect(() => ingest.apply([chunkOf(file)])).toThrow("disk full");
    expect(texts(db)).toEqual([]);
    expect(offsetOf(ingest)).toBe(0);
    fail = false;
    ingest.apply([chunkOf(file)]);
    const [series] = createLineStore(db).window(
      { run_id: "run-a", name: "loss", from_step: 0, to_step: 1600, points: 100 },
      [],
    );
    expect(series?.buckets.n).toEqual([15, 16, 9]);
  });

  it("survives SIGKILL between insert and commit, five times", () => {
    const { db, file } = database();
    db.$client.close();
    open.splice(open.indexOf(db), 1);
    const script = join(import.meta.dirname, "testing/killed-ingest.ts");
    const kills: string[] = [];
    for (let round = 0; round < 40; round++) {
      const { signal, status, stderr } = spawnSync(
        process.execPath,
        ["--import", "tsx", script, file, String(round < 5 ? round + 2 : 0)],
        { encoding: "utf8" },
      );
      if (status === 0) break;
      expect(signal, stderr).toBe("SIGKILL");
      kills.push(signal ?? "");
    }
    expect(kills).toHaveLength(5);
    const again = openDatabase(file);
    open.push(again);
    const rows = again.$client
      .prepare<[], { seq: number }>("SELECT seq FROM run_lines ORDER BY id")
      .all()
      .map(({ seq }) => seq);
    expect(rows).toEqual(Array.from({ length: 600 }, (_, i) => i + 1));
    const [series] = createLineStore(again).window(
      { run_id: "run-a", name: "loss", from_step: 0, to_step: 6400, points: 100 },
      [],
    );
    expect(series?.buckets.n.reduce((sum, n) => sum + n, 0)).toBe(600);
  }, 180_000);
});
