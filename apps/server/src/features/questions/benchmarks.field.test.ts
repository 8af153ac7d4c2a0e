import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { guessByPrior } from "@sightline/core/evaluations";
import { describe, expect, it } from "vitest";
import { readQuestions } from "./read-file.ts";

const shared = process.env.SIGHTLINE_SHARED ?? resolve(import.meta.dirname, "../../../../../../shared");
const folder = join(shared, "data/benchmarks");
const read = (name: string, answers?: Record<string, number>) => readQuestions(join(folder, name), answers);

describe("the handed benchmark files", () => {
  it("S04: UrbanVideo-Bench, 5,355 rows with every gold among its options, and id 1786 set aside", async () => {
    const report = await read("urbanvideo/MCQ.parquet");
    expect([report.format, report.rows, report.questions.length]).toEqual(["UrbanVideo-Bench", 5355, 5354]);
    expect(report.set_aside.map(({ id }) => id)).toEqual(["1786"]);
    const readable = [...report.questions, ...report.set_aside.flatMap(({ question }) => question ?? [])];
    expect(readable).toHaveLength(5355);
    for (const { gold, options } of readable)
      expect("ABCDEFGH".indexOf(gold ?? "?")).toBeLessThan(options.length);
    const counts: Record<number, number> = {};
    for (const { options } of readable) counts[options.length] = (counts[options.length] ?? 0) + 1;
    expect(counts).toEqual({ 2: 1, 3: 388, 4: 2, 5: 4581, 7: 382, 8: 1 });
    const remarked = report.remarks.map(({ id }) => Number(id)).sort((a, b) => a - b);
    expect(remarked).toEqual([823, 1158, 1239, 1440, 2123, 2488, 2995, 2998, 3954, 3970, 4371]);
    for (const { text } of readable) expect(text).not.toMatch(/^\W*question\W|^[*`"]/i);
  });

  it("the label prior of UrbanVideo-Bench's four tasks: 40 % on Action Generation without text or video", async () => {
    const { questions } = await read("urbanvideo/MCQ.parquet");
    const guesses = guessByPrior(questions.map((question) => ({ ...question, split: null })));
    const getAccuracy = (task: string) => {
      const of_task = questions
        .map((question, at) => ({ ...question, guess: guesses[at] }))
        .filter((question) => question.task.toLowerCase() === task);
      return of_task.filter(({ guess, gold }) => guess === gold).length / of_task.length;
    };
    // Computed from the same file with other folds: 40.3, 37.3, 24.1 and 17.1 %.
    expect(getAccuracy("action generation")).toBeCloseTo(0.403, 2);
    expect(Math.abs(getAccuracy("counterfactual") - 0.373)).toBeLessThan(0.04);
    expect(Math.abs(getAccuracy("progress evaluation") - 0.241)).toBeLessThan(0.03);
    expect(Math.abs(getAccuracy("landmark position") - 0.171)).toBeLessThan(0.04);
  });

  it("the released *_data.json, with and without the video in words, gives the benchmark's own questions", async () => {
    const { questions } = await read("urbanvideo/MCQ.parquet");
    const known = new Map(questions.map((question) => [question.question_id, question]));
    for (const name of ["urbanvideo/test_data.json", "../triples/embodied_r_fork/original_test_data.json"]) {
      const report = await read(name);
      expect([report.questions.length, report.set_aside, report.bad_lines]).toEqual([14, [], []]);
      for (const question of report.questions)
        expect(question).toMatchObject({
          text: known.get(question.question_id)?.text,
          options: known.get(question.question_id)?.options,
          gold: known.get(question.question_id)?.gold,
        });
    }
  });

  it("VSI-Bench, 5,130 rows, choices and numbers", async () => {
    const report = await read("vsibench/vsi_bench_spatialssrl.json");
    expect([report.rows, report.questions.length, report.set_aside]).toEqual([5130, 5130, []]);
    expect(report.questions.filter(({ kind }) => kind === "number")).toHaveLength(2640);
  });

  it("EgoSchema, 500 with answers and 4,531 without", async () => {
    const answers = JSON.parse(readFileSync(join(folder, "egoschema/subset_answers.json"), "utf8"));
    const subset = await read("egoschema/500questions.jsonl", answers);
    expect(subset.questions.filter(({ gold }) => gold !== null)).toHaveLength(500);
    const rest = await read("egoschema/4531questions.json");
    expect([rest.questions.length, rest.remarks.length]).toEqual([4531, 4531]);
  });

  it("MVBench rows: a near-miss gold is read, doubles are remarked, a single candidate is set aside", async () => {
    const report = await read("CONSTRUCTED_mvbench_rows.json");
    expect(report.questions.map(({ gold }) => gold)).toEqual(["C", "B", "A"]);
    expect(report.remarks).toHaveLength(1);
    expect(report.set_aside.map(({ reason }) => reason)).toEqual(["fewer than 2 candidates"]);
  });

  it("a file of another shape is set aside row by row, with its fields", async () => {
    const report = await read("navbench/global_basic.jsonl");
    expect([report.format, report.questions.length, report.set_aside.length]).toEqual([
      "unknown",
      0,
      report.rows,
    ]);
  });
});
