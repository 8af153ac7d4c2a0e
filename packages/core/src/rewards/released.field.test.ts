import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { scoreCompletion } from "./index.ts";

const shared = process.env.SIGHTLINE_SHARED ?? resolve(import.meta.dirname, "../../../../../shared");
const traces = join(shared, "data/traces/embodied_r_fork");
const golden = JSON.parse(
  readFileSync(new URL("../../../../fixtures/rewards/embodied-r-golden.json", import.meta.url), "utf8"),
) as { verdicts: Record<string, { accuracy: number; format: number }> };

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

it.skipIf(!existsSync(traces))("S05: rule set embodied-r gives the released reward file's verdicts", () => {
  let compared = 0;
  for (const name of ["urban_original_results.json", "urban_rain_fog_results.json"]) {
    const rows = JSON.parse(readFileSync(join(traces, name), "utf8")) as {
      content: string;
      answer: string;
    }[];
    for (const row of rows) {
      const verdict = golden.verdicts[hash(`${row.content}\0${row.answer}`)];
      const gold = { answer: row.answer, options: { count: 8, texts: [] }, kind: "choice" as const };
      const score = scoreCompletion(row.content, gold, "embodied-r");
      expect({ accuracy: score.accuracy.raw, format: score.format.raw }).toEqual({
        accuracy: verdict?.accuracy,
        format: verdict?.format,
      });
      compared += 1;
    }
  }
  expect(compared).toBe(Object.keys(golden.verdicts).length);
});

it.skipIf(!existsSync(traces))(
  "S08: letter or option text finds 4 of 14 and 6 of 14 right, and one more that declares its letter without a tag",
  () => {
    const right = ["urban_original_results.json", "urban_rain_fog_results.json"].map((name) => {
      const rows = JSON.parse(readFileSync(join(traces, name), "utf8")) as {
        content: string;
        answer: string;
        question: string;
      }[];
      return rows.filter((row) => {
        const options = row.question
          .slice(row.question.lastIndexOf("Question:"))
          .split("\n")
          .flatMap((line) => /^\s*[A-H]\.\s*(.+)$/.exec(line)?.[1] ?? []);
        const gold = {
          answer: row.answer,
          options: { count: options.length, texts: options },
          kind: "choice" as const,
        };
        return scoreCompletion(row.content, gold, "sightline").accuracy.raw === 1;
      }).length;
    });
    expect(right).toEqual([4, 6 + 1]);
  },
);
