import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type LineOf, readAcceptedLine } from "../wire/index.ts";
import { advantageTolerance, groupAdvantages } from "./advantage.ts";

const recorded = new URL("../../../../fixtures/recorded/tiny.json.gz", import.meta.url);

/** The training groups of the recorded run, as its trainer wrote them. */
function readGroups(): LineOf<"completion">[][] {
  const { files } = JSON.parse(gunzipSync(readFileSync(recorded)).toString()) as {
    files: Record<string, string>;
  };
  const groups = new Map<string, LineOf<"completion">[]>();
  for (const text of (files["attempts/001/completions-00001.jsonl"] ?? "").trim().split("\n")) {
    const line = readAcceptedLine(text) as LineOf<"completion">;
    if (line.split === "eval") continue;
    const key = `${line.step} ${line.group_id}`;
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  return [...groups.values()];
}

describe("advantages of a group", () => {
  it("is the distance from the mean in deviations of the sample", () => {
    const { mean, std, advantages } = groupAdvantages([1, 0, 0, 1]);
    expect(mean).toBe(0.5);
    expect(std).toBeCloseTo(Math.sqrt(1 / 3), 12);
    expect(advantages[0]).toBeCloseTo(0.5 / (Math.sqrt(1 / 3) + 1e-4), 12);
    expect(advantages.reduce((sum, one) => sum + one, 0)).toBeCloseTo(0, 12);
  });

  it("is nothing where all rewards are equal, and in a group of one", () => {
    expect(groupAdvantages([0.5, 0.5, 0.5]).advantages).toEqual([0, 0, 0]);
    expect(groupAdvantages([0.7])).toEqual({ mean: 0.7, std: 0, advantages: [0] });
  });

  it("agrees with every one that the trainer of the recorded run emitted, up to its float32", () => {
    const groups = readGroups();
    expect(groups.length).toBe(1536);
    for (const group of groups) {
      const { std, advantages } = groupAdvantages(group.map(({ reward }) => Number(reward)));
      const tolerance = advantageTolerance(std);
      group.forEach((line, k) => {
        expect(Math.abs((advantages[k] ?? Number.NaN) - Number(line.advantage))).toBeLessThan(tolerance);
      });
    }
  });
});
