import { completionLine, metricsLine } from "@sightline/core/testing";
import { describe, expect, it } from "vitest";
import { createRunStore } from "../features/runs/store.ts";
import { chunkOf, fileOf } from "./testing/chunks.ts";
import { makeRunDatabase, metrics } from "./testing/run-database.ts";

describe("metrics of a run, drawn beside others", () => {
  it("draws a metric beside others with every extremum, and without what was rolled back", () => {
    const { ingest, lines } = makeRunDatabase();
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
    const { ingest, lines } = makeRunDatabase();
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
    const { ingest, lines } = makeRunDatabase();
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
    const { db, ingest, lines } = makeRunDatabase();
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
    const { ingest, lines } = makeRunDatabase();
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
    const { ingest, lines } = makeRunDatabase();
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
});
