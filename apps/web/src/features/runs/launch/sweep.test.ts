import type { HostSummary } from "@sightline/core/runs";
import { schedulePreset } from "@sightline/core/schedules";
import { describe, expect, it } from "vitest";
import type { Draft } from "./preflight.ts";
import {
  checkSweep,
  countRuns,
  DRAWN,
  describeEstimate,
  estimate,
  listSchedules,
  parseSeeds,
  type SweepWish,
} from "./sweep.ts";

const draft: Draft = {
  name: "a",
  engine: "grpo",
  preset: "tiny",
  seed: 1,
  stages: schedulePreset("released") ?? [],
  settings: { train_questions: 80, prompts_per_step: 8, group_size: 8 },
  host_id: "local",
};
const sweep: SweepWish = {
  seeds: "1-3",
  schedules: [DRAWN, "paper"],
  host_ids: ["local"],
  is_spread: true,
};
const hosts = [{ host_id: "local", name: "This machine", facts: null } as HostSummary];
const paces = [{ host_id: "local", secs_per_step: 3, samples_per_step: 32, attempts: 2 }];

describe("a sweep", () => {
  it("reads seeds and ranges, and says when a word is none", () => {
    expect(parseSeeds("1, 2 5-8,2")).toEqual([1, 2, 5, 6, 7, 8]);
    expect(parseSeeds("")).toEqual([]);
    for (const text of ["x", "3-1", "1-999", "-1", "1.5", "9999999999"]) expect(parseSeeds(text)).toBeNull();
  });

  it("makes all schedules as long as the drawn one", () => {
    const schedules = listSchedules(draft, sweep);
    expect(schedules.map(({ name }) => name)).toEqual(["as drawn", "Three stages, paper"]);
    expect(schedules.map(({ stages }) => stages.at(-1)?.to_epoch)).toEqual([2, 2]);
  });

  it("counts runs and hours by what past runs took, and says where nobody knows", () => {
    expect(countRuns(sweep)).toBe(6);
    expect(countRuns({ ...sweep, is_spread: false, host_ids: ["local", "far"] })).toBe(12);
    // 20 steps of 64 samples at 3 s for 32 are 2 min; six of them.
    const costs = estimate(draft, sweep, { hosts, paces, questions: null });
    expect(costs.cpu_hours).toBeCloseTo(0.2, 6);
    expect(describeEstimate(costs)).toBe("0.2 CPU-hours");
    const none = estimate(draft, sweep, { hosts, paces: [], questions: null });
    expect(describeEstimate(none)).toBe("unknown on This machine: no past run of this preset there");
    expect(checkSweep(draft, sweep, costs)).toMatchObject([
      { verdict: "odd", words: expect.stringMatching(/^6 runs in all: 0\.2 CPU-hours/) },
    ]);
  });

  it("is not launched with nothing in one of its dimensions, or with too much", () => {
    const costs = estimate(draft, sweep, { hosts, paces, questions: null });
    const wrong = (change: Partial<SweepWish>) =>
      checkSweep(draft, { ...sweep, ...change }, costs)
        .filter(({ verdict }) => verdict === "wrong")
        .map(({ words }) => words);
    expect(wrong({ seeds: "" })).toEqual(["The sweep has no seed."]);
    expect(wrong({ seeds: "a" })[0]).toMatch(/numbers and ranges/);
    expect(wrong({ schedules: [] })).toEqual(["The sweep has no schedule."]);
    expect(wrong({ host_ids: [] })).toEqual(["The sweep has no host."]);
    const hundred = Array.from({ length: 5 }, () => DRAWN);
    expect(wrong({ seeds: "1-50", schedules: hundred })[0]).toMatch(/250 runs are too many/);
  });
});
