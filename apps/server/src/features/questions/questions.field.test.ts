import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { importRows, parseRows } from "@sightline/core/benchmarks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../testing.ts";

const shared = process.env.SIGHTLINE_SHARED ?? resolve(import.meta.dirname, "../../../../../../shared");
const folder = join(shared, "data/benchmarks");

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const bring = (name: string) =>
  server.app.questions.importFile(name.split("/").at(-1) ?? "", readFileSync(join(folder, name)));

test.each([
  ["urbanvideo/MCQ.parquet", 5355, 5354, 1],
  ["urbanvideo/test_data.json", 14, 14, 0],
  ["vsibench/vsi_bench_spatialssrl.json", 5130, 5130, 0],
  ["vsibench/native_rows_test_jsonl.jsonl", 2, 2, 0],
  ["egoschema/2questions.jsonl", 2, 2, 0],
  ["egoschema/500questions.jsonl", 500, 500, 0],
  ["egoschema/4531questions.json", 4531, 4531, 0],
  ["CONSTRUCTED_mvbench_rows.json", 4, 3, 1],
])(
  "%s: %i rows, %i questions, %i set aside; its export comes back equal",
  async (name, rows, questions, aside) => {
    const { set } = await bring(name);
    expect([set.rows, set.questions, set.set_aside]).toEqual([rows, questions, aside]);
    const { text } = server.app.questions.export(set.set_id, "jsonl");
    const own = server.app.questions
      .listOfSet(set.set_id)
      .map(({ question_id: _, source_id, row: _r, match: _m, ...question }) => ({
        ...question,
        question_id: source_id,
      }));
    const again = importRows(parseRows(text).rows);
    expect([again.set_aside, again.questions.length]).toEqual([[], questions]);
    for (const [at, question] of again.questions.entries()) expect(own[at]).toMatchObject(question);
  },
);

test("S04: id 1786 waits with its reason, and taken in makes 5,355 questions with gold among the options", async () => {
  const { set } = await bring("urbanvideo/MCQ.parquet");
  const [waiting] = server.app.questions.set(set.set_id).report.set_aside;
  expect(waiting).toMatchObject({ id: "1786", reason: expect.stringContaining("no plain header") });
  server.app.questions.takeIn(set.set_id, waiting?.row ?? -1);
  const all = server.app.questions.listOfSet(set.set_id);
  expect(all).toHaveLength(5355);
  expect(all.every(({ gold, options }) => "ABCDEFGH".indexOf(gold ?? "?") < options.length)).toBe(true);
});

test.each([
  ["egoschema/subset_answers.json", "500 answers by id"],
  ["navbench/global_basic.jsonl", "no known format"],
  ["navbench/progress_progress_data.jsonl", "no known format"],
  ["vsibench/lmms_prompt_mca.json", "no known format"],
])("%s holds no question for us, and that is said", async (name, words) => {
  await expect(bring(name)).rejects.toThrow(words);
});
