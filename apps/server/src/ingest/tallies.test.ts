import type { StepTally } from "@sightline/core/runs";
import { completionLine } from "@sightline/core/testing";
import { describe, expect, it } from "vitest";
import { chunkOf, fileOf } from "./testing/chunks.ts";
import { makeRunDatabase } from "./testing/run-database.ts";

describe("tallies of steps", () => {
  it("adds the completions of a step up, as they come", () => {
    const { ingest, lines } = makeRunDatabase();
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

  it("B27: the same prompt four times in a step stays four groups", () => {
    const { ingest, lines } = makeRunDatabase();
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
    const { ingest, lines } = makeRunDatabase();
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
});
