import type { HostSummary } from "@sightline/core/runs";
import { schedulePreset } from "@sightline/core/schedules";
import { describe, expect, it } from "vitest";
import { formatFaults, parseFaults } from "./faults.ts";
import { getLaunchKey } from "./launch-key.ts";
import { checkDraft, type Draft, getPlan, getStepsPerEpoch, NO_FILE } from "./preflight.ts";

const host: HostSummary = {
  host_id: "local",
  name: "This machine",
  executor: "local",
  address: null,
  port: null,
  root: "/data/runs",
  environment: null,
  state: "ready",
  problem: null,
  since_secs: 0,
  facts: null,
  active_runs: 0,
};
const draft = (change: Partial<Draft> = {}): Draft => ({
  name: "a",
  engine: "simulator",
  preset: "p",
  seed: 1,
  stages: schedulePreset("paper") ?? [],
  settings: { steps_per_epoch: 10, steps_per_sec: 2 },
  host_id: "local",
  ...change,
});
const wrong = (
  given: Draft,
  around = { hosts: [host], names: [] as string[], questions: null as number | null },
) =>
  checkDraft(given, around)
    .filter((check) => check.verdict !== "fine")
    .map((check) => `${check.verdict}: ${check.words}`);

describe("preflight", () => {
  it("finds nothing wrong with a sound draft and counts what it comes to", () => {
    expect(wrong(draft())).toEqual([]);
    expect(getPlan(draft())).toEqual({
      steps: 120,
      left: 120,
      samples_per_step: 32,
      completions: 3840,
      secs: 60,
    });
    const fork = { run_id: "r", step: 100, keeps_optimiser: true };
    expect(getPlan(draft({ fork }))).toMatchObject({ steps: 120, left: 20, completions: 640, secs: 10 });
    const bySteps = draft().stages.map((stage) => ({ ...stage, steps: 7 }));
    expect(getPlan(draft({ stages: bySteps }))).toMatchObject({ steps: 21 });
  });

  it("does not fall back to worlds while a file of own questions is not there, or not right", () => {
    expect(wrong(draft({ engine: "grpo", settings: { question_file: NO_FILE } }))).toEqual([
      "wrong: No questions to learn on: choose a file in which every line is right.",
    ]);
  });

  it("says in a sentence what cannot start and what is odd", () => {
    expect(wrong(draft({ name: " " }))).toEqual(["wrong: The run has no name."]);
    expect(wrong(draft(), { hosts: [host], names: ["a"], questions: null })).toEqual([
      "odd: Another run is called “a”, too.",
    ]);
    expect(wrong(draft({ stages: [] }))).toEqual(["wrong: The schedule has no stage; add one."]);
    expect(wrong(draft({ settings: { group_size: 1 } }))).toEqual([
      "wrong: A group of one has no advantage to learn from; take 2 or more completions.",
    ]);
    expect(wrong(draft({ settings: { group_size: 2.5 } }))[0]).toBe(
      "wrong: Group size must be a whole number.",
    );
    expect(wrong(draft({ settings: { save_steps: 0 } }))[0]).toBe(
      "wrong: Checkpoint every must be from 1 to 100000.",
    );
    expect(wrong(draft({ settings: { steps_per_epoch: 1, save_steps: 99 } }))).toEqual([
      "odd: No checkpoint before the end: a run that breaks begins anew.",
    ]);
    expect(wrong(draft({ settings: { faults: "nan@9999, tea" } }))).toEqual([
      "wrong: “tea” is no fault that the simulator knows.",
      "odd: Loss and gradient norm are NaN at step 9999: the run ends before, at 768.",
    ]);
    expect(wrong(draft(), { hosts: [], names: [], questions: null })).toEqual(["wrong: No host is chosen."]);
    expect(
      wrong(draft(), {
        hosts: [{ ...host, state: "unusable", problem: "Python 3.8 is too old." }],
        names: [],
        questions: null,
      }),
    ).toEqual(["wrong: Python 3.8 is too old."]);
  });

  it("looks at every host of a sweep", () => {
    const sweep = { seeds: "1", schedules: ["drawn"], host_ids: ["a", "b"], is_spread: true };
    const hosts = [
      { ...host, host_id: "a", name: "A" },
      { ...host, host_id: "b", name: "B", state: "unreachable" as const },
    ];
    expect(wrong(draft({ sweep }), { hosts, names: [], questions: null })).toEqual([
      "odd: B does not answer now; the run starts when it does.",
    ]);
    expect(wrong(draft({ sweep }), { hosts: [], names: [], questions: null })).toEqual([]);
  });

  it("counts steps of real training by its questions", () => {
    const real = draft({ engine: "grpo", settings: { train_questions: 512, prompts_per_step: 8 } });
    expect(getStepsPerEpoch(real, null)).toBe(64);
    const own = draft({ engine: "grpo", settings: { question_file: "f", prompts_per_step: 8 } });
    expect(getStepsPerEpoch(own, null)).toBeNull();
    expect(getStepsPerEpoch(own, 200)).toBe(20);
  });
});

describe("faults", () => {
  it("are read and written in the simulator's own notation", () => {
    const text = "nan@20, judge_down@60-61, stall@5:30!, missing_input";
    expect(formatFaults(parseFaults(text).faults)).toBe(text);
    expect(parseFaults("nan@, nonsense@3").unknown).toEqual(["nan@", "nonsense@3"]);
    expect(parseFaults("").faults).toEqual([]);
  });
});

describe("the launch key", () => {
  it("is the same for the same draft and another for a changed one", () => {
    const key = getLaunchKey("d", draft());
    expect(getLaunchKey("d", draft())).toBe(key);
    expect(getLaunchKey("d", draft({ seed: 2 }))).not.toBe(key);
    expect(getLaunchKey("e", draft())).not.toBe(key);
    expect(getLaunchKey(crypto.randomUUID(), draft()).length).toBeLessThanOrEqual(80);
  });
});
