import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importRows } from "../benchmarks/index.ts";
import { formatQuestion } from "../perception/index.ts";
import { hashQuestion, readGrpoRow } from "./index.ts";

const FILE = join(process.env.SIGHTLINE_SHARED ?? "../shared", "data/benchmarks/urbanvideo/test_data.json");

test.runIf(existsSync(FILE))("questions of a released file are found again by their hash", () => {
  const raw = JSON.parse(readFileSync(FILE, "utf8")) as { question: string; answer: string }[];
  const { questions } = importRows(raw as Record<string, unknown>[]);
  expect(questions.length).toBe(raw.length);
  const known = new Map(
    questions.map(({ question_id, task, text, options }) => [
      hashQuestion(formatQuestion(text, options)),
      { question_id, task, clip_id: null },
    ]),
  );
  for (const [at, { question, answer }] of raw.entries()) {
    const read = readGrpoRow({ messages: [{ role: "user", content: question }], solution: answer }, known);
    expect(read).toMatchObject({
      question_id: questions[at]?.question_id,
      options: questions[at]?.options,
      gold: questions[at]?.gold,
    });
  }
});
