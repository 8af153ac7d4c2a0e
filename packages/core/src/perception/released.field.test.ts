import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { formatFrame, readTriplesFile, tallyTriples } from "./index.ts";

const shared = process.env.SIGHTLINE_SHARED ?? resolve(import.meta.dirname, "../../../../../shared");
const folder = join(shared, "data/triples");
const read = (name: string) => readTriplesFile(readFileSync(join(folder, name), "utf8"));

describe.skipIf(!existsSync(folder))("the handed triples", () => {
  it("the fork's 14 rows give every frame of every row, in the released layout again", () => {
    const { descriptions, set_aside } = read("embodied_r_fork/original_test_data.json");
    expect(set_aside).toEqual([]);
    expect(descriptions).toHaveLength(14);
    const rows = JSON.parse(
      readFileSync(join(folder, "embodied_r_fork/original_test_data.json"), "utf8"),
    ) as { Question_id: number; video_id: string; question: string }[];
    for (const [at, { id, clip_name, question, triples }] of descriptions.entries()) {
      const row = rows[at];
      const lines = row?.question.match(/^Frame \d+:/gm) ?? [];
      expect([id, clip_name, triples.length]).toEqual([
        String(row?.Question_id),
        row?.video_id,
        lines.length,
      ]);
      expect(question).not.toBe("");
      expect(row?.question).toContain(question);
      for (const triple of triples) {
        const line = formatFrame(triple, triple.index);
        expect(line).not.toContain("None");
        const given = triple.raw.replace(/\s+/g, " ").toLowerCase();
        if (triple.problems.length === 0) expect(line.toLowerCase()).toBe(given);
      }
    }
  });

  it("a small vision model that says “move forward” nearly always is seen at once", () => {
    const { descriptions } = read("embodied_r_fork/original_test_data.json");
    const tally = tallyTriples(
      descriptions.flatMap(({ triples }) => triples.map((triple) => ({ ...triple, motion: null }))),
    );
    expect(tally.steps).toBe(181 + 13);
    expect(tally.actions[0]).toEqual({ action: "move forward", count: 181 });
  });

  it("files without triples are set aside row by row, with the reason", () => {
    for (const name of readdirSync(folder).filter((entry) => /^dcv_|^qwen3/.test(entry))) {
      const { descriptions, set_aside } = read(name);
      expect(descriptions).toEqual([]);
      expect(set_aside.length).toBeGreaterThan(0);
      for (const { reason } of set_aside) expect(reason).toContain("no “question” and no “triples”");
    }
    const { descriptions, set_aside } = read("embodied_r_fork/original_filtered_test_data.json");
    expect([descriptions.length, set_aside.length]).toEqual([0, 14]);
  });
});
