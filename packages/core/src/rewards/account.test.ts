import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type LineOf, toNumber } from "../wire/index.ts";
import { accountForGroup, readRewardScale } from "./account.ts";

const RECORDED = join(import.meta.dirname, "../../../../fixtures/recorded/tiny.json.gz");

/** The trained groups of the recorded run, as its trainer wrote them. */
function readGroups(): LineOf<"completion">[][] {
  const { files } = JSON.parse(gunzipSync(readFileSync(RECORDED)).toString()) as {
    files: Record<string, string>;
  };
  const groups = new Map<string, LineOf<"completion">[]>();
  for (const text of (files["attempts/001/completions-00001.jsonl"] ?? "").trim().split("\n")) {
    const line = JSON.parse(text) as LineOf<"completion">;
    if (line.split !== "eval") groups.set(line.group_id, [...(groups.get(line.group_id) ?? []), line]);
  }
  return [...groups.values()];
}

type Parts = Record<string, [raw: number | null, weight: number]>;

function makeGroup(all: readonly Parts[], written: { reward: number; advantage: number }[]) {
  return all.map((parts, k) => ({
    k,
    rewards: Object.fromEntries(
      Object.entries(parts).map(([part, [raw, weight]]) => [
        part,
        { raw, weight, null_reason: raw === null ? "judge_failed" : null },
      ]),
    ),
    reward: written[k]?.reward ?? 0,
    advantage: written[k]?.advantage ?? 0,
  }));
}

describe("how advantages came about", () => {
  const groups = readGroups();

  it("comes out as the trainer wrote it, for every group of the recorded run", () => {
    expect(groups.length).toBe(1536);
    const accounts = groups.map((group) => accountForGroup(group, "group"));
    expect(accounts.filter(({ differs }) => differs)).toEqual([]);
    // Not because the check lets everything through: most advantages are far from 0.
    const far = accounts
      .flatMap(({ completions }) => completions)
      .filter(({ advantage }) => Math.abs(advantage.emitted) > 0.1);
    expect(far.length).toBeGreaterThan(3000);
  });

  it("says of each part what it brought; together they are the advantage", () => {
    for (const group of groups.slice(0, 200))
      for (const { parts, advantage } of accountForGroup(group, "group").completions)
        expect(parts.reduce((sum, { pull }) => sum + pull, 0)).toBeCloseTo(advantage.computed, 9);
  });

  it("sees a number that is off, however little the others are", () => {
    const group = groups.find((one) => new Set(one.map(({ reward }) => reward)).size > 1) ?? [];
    const [first, ...rest] = group;
    if (first === undefined) throw new Error("no group with a spread");
    const off = { ...first, advantage: toNumber(first.advantage) + 0.01 };
    const account = accountForGroup([off, ...rest], "group");
    expect(account.differs).toBe(true);
    expect(account.completions.map(({ advantage }) => advantage.agrees)).toEqual([
      false,
      ...rest.map(() => true),
    ]);
    expect(account.completions[0]?.advantage.emitted).not.toBeCloseTo(
      account.completions[0]?.advantage.computed ?? 0,
      3,
    );
  });

  it("B24: the unweighted sum as reward is told apart from the weighted one, with both numbers", () => {
    const parts: Parts = { format: [1, 0.1], accuracy: [0.2, 0.9] };
    const account = accountForGroup(
      makeGroup(
        [parts, parts],
        [
          { reward: 1.2, advantage: 0 },
          { reward: 1.2, advantage: 0 },
        ],
      ),
      "group",
    );
    expect(account.completions[0]?.reward).toEqual({
      emitted: 1.2,
      computed: expect.closeTo(0.28, 9),
      agrees: false,
    });
    expect(account.differs).toBe(true);
  });

  it("B25: a group of equal rewards is tied, and nothing about it is off", () => {
    const account = accountForGroup(
      makeGroup(
        [
          { format: [1, 0.5], accuracy: [0, 0.5] },
          { format: [0, 0.5], accuracy: [1, 0.5] },
        ],
        [
          { reward: 0.5, advantage: 0 },
          { reward: 0.5, advantage: 0 },
        ],
      ),
      "group",
    );
    expect(account).toMatchObject({ is_tied: true, differs: false, mean: 0.5, sd: 0 });
  });

  it("B23: a part that returned nothing counts nothing; a completion without any part leaves the mean alone", () => {
    const account = accountForGroup(
      makeGroup(
        [
          { accuracy: [1, 0.8], consistency: [null, 0.2] },
          { accuracy: [0, 0.8], consistency: [null, 0.2] },
          { accuracy: [null, 0.8], consistency: [null, 0.2] },
        ],
        [
          { reward: 0.8, advantage: 0.70698 },
          { reward: 0, advantage: -0.70698 },
          { reward: 0, advantage: 0 },
        ],
      ),
      "group",
    );
    expect(account).toMatchObject({ n: 2, mean: 0.4, differs: false });
    expect(account.completions[0]?.parts.find(({ part }) => part === "consistency")).toMatchObject({
      raw: null,
      share: 0,
    });
  });

  it("B28: without reward parts there is nothing to work out, and nothing that fails", () => {
    const account = accountForGroup(makeGroup([{}, {}], []), "group");
    expect(account).toMatchObject({ n: 0, mean: null, sd: null, is_tied: false, differs: false });
  });

  it("scales as the run's settings say, by TRL's names", () => {
    expect(readRewardScale({})).toBe("group");
    expect(readRewardScale({ scale_rewards: true })).toBe("group");
    expect(readRewardScale({ scale_rewards: false })).toBe("none");
    expect(readRewardScale({ scale_rewards: "none" })).toBe("none");
    expect(readRewardScale({ scale_rewards: "batch" })).toBe("batch");
    const group = makeGroup(
      [{ accuracy: [1, 1] }, { accuracy: [0, 1] }],
      [
        { reward: 1, advantage: 0.5 },
        { reward: 0, advantage: -0.5 },
      ],
    );
    expect(accountForGroup(group, "none")).toMatchObject({ divisor: 1, differs: false });
    const other = makeGroup([{ accuracy: [0, 1] }, { accuracy: [0, 1] }], []);
    // Of 1, 0, 0, 0 the deviation is a half.
    const batch = accountForGroup(group, "batch", [...group, ...other]);
    expect(batch.divisor).toBeCloseTo(0.5001, 9);
    expect(batch.completions[0]?.advantage.computed).toBeCloseTo(0.5 / 0.5001, 9);
  });
});
