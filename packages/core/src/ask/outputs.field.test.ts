import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTrace } from "../traces/index.ts";
import { readOutputs } from "./index.ts";

const shared = process.env.SIGHTLINE_SHARED ?? join(import.meta.dirname, "../../../../../shared");
const read = (name: string) => readOutputs(readFileSync(join(shared, "data/traces", name), "utf8"));

test("the handed outputs are read whole, by file", () => {
  const files = {
    "double_think_blocks.jsonl": 25,
    "egost_r1_mcq_63.jsonl": 63,
    "multi_think_classified.json": 85,
    "r1v_counting_results_superclevr_200_qwen2vl_2b_instruct_grpo100_legacy.json": 200,
    "embodied_r_fork/urban_original_results.json": 14,
    "embodied_r_fork/urban_rain_fog_results.json": 14,
  };
  for (const [name, count] of Object.entries(files)) {
    const { outputs, set_aside, bad_lines } = read(name);
    expect([name, outputs.length, set_aside.length, bad_lines.length]).toEqual([name, count, 0, 0]);
  }
});

test("two think blocks are both found and said", () => {
  const double = read("double_think_blocks.jsonl").outputs.filter(({ text, options }) =>
    readTrace(text, options).problems.includes("2 think blocks"),
  );
  expect(double.length).toBeGreaterThan(0);
});

test("S08: the fork's outputs have options and gold, and are read", () => {
  const { outputs } = read("embodied_r_fork/urban_original_results.json");
  expect(outputs).toHaveLength(14);
  expect(outputs.every(({ options, gold }) => options.texts.length >= 2 && gold !== null)).toBe(true);
});
