import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { bucketRows, metricEntries } from "@sightline/core/runs";
import { completionLine, endLine, metricsLine, startLine } from "@sightline/core/testing";
import { readAcceptedLine } from "@sightline/core/wire";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Db, openDatabase } from "../db/open.ts";
import { createLineStore } from "../features/runs/line-store.ts";
import { createIngest } from "./ingest.ts";
import { chunkOf, fileOf, readAt } from "./testing/chunks.ts";
import { makeRunDatabase, metrics } from "./testing/run-database.ts";

const ref = { run_id: "run-a", attempt: 1 };
const texts = (db: Db) =>
  db.$client
    .prepare<[], { raw: string }>("SELECT raw FROM run_lines ORDER BY id")
    .all()
    .map(({ raw }) => raw);
const offsetOf = (ingest: ReturnType<typeof createIngest>, stream = "events") =>
  ingest.cursors(ref).find((cursor) => cursor.stream === stream)?.offset;

describe("ingest", () => {
  it("B37: half a last line waits, and its row comes once", () => {
    const { ingest, db } = makeRunDatabase();
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
    const { ingest, db } = makeRunDatabase();
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
    const { ingest, db, lines } = makeRunDatabase();
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
    const { ingest, db, lines } = makeRunDatabase();
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
    const { ingest, db, lines } = makeRunDatabase();
    const whole = fileOf(metrics(2));
    ingest.apply([chunkOf(whole.subarray(0, -1), { torn: true, ended: true })]);
    expect(texts(db)).toHaveLength(2);
    ingest.apply([chunkOf('{"v":1,"run', { stream: "completions", torn: true, ended: true })]);
    expect(lines.quarantined("run-a").lines).toMatchObject([{ reason: /^torn: its writer died/ }]);
    expect(ingest.isReadOut(ref)).toBe(true);
    expect(ingest.cursors(ref)).toEqual([]);
  });

  it("keeps unknown types and unknown fields as they were written", () => {
    const { ingest, db } = makeRunDatabase();
    const line = { ...metrics(1)[0], colour: "green", nested: { a: [1] } };
    const novelty = { ...metrics(1, 2)[0], type: "novelty", weight: 3 };
    ingest.apply([chunkOf(fileOf([line, novelty]))]);
    expect(texts(db).map((raw) => JSON.parse(raw))).toEqual([line, novelty]);
  });

  it("B29, B30, B33, B34: odd steps and numbers are kept and noted", () => {
    const { ingest, lines } = makeRunDatabase();
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

  it("notes lines that are missing when an attempt has ended", () => {
    const { ingest, lines } = makeRunDatabase();
    ingest.apply([chunkOf(fileOf([...metrics(2), ...metrics(2, 6)]), { ended: true })]);
    ingest.finish(ref);
    expect(lines.notes("run-a")).toMatchObject([{ code: "gap_in_seq", count: 3 }]);
  });

  it("gives the same rows and buckets for any cuts, repeats and restarts", () => {
    const { db, lines } = makeRunDatabase();
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
    const { db } = makeRunDatabase();
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
    const { db, file } = makeRunDatabase();
    db.$client.close();
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
    onTestFinished(() => void again.$client.close());
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
  });
});
