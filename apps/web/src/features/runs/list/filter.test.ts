import type { RunState, RunSummary } from "@sightline/core/runs";
import { describe, expect, it } from "vitest";
import { filterRuns, isInGroup } from "./filter.ts";

const run = (name: string, state: RunState, change: Partial<RunSummary> = {}): RunSummary => ({
  run_id: name,
  name,
  engine: "simulator",
  preset: "three stages",
  seed: 7,
  state,
  problem: null,
  host_id: "local",
  attempts: 1,
  step: 1,
  max_steps: 10,
  stage: "format",
  steps_per_sec: null,
  created_secs: 0,
  ended_secs: null,
  trashed_secs: null,
  simulated: true,
  recorded: false,
  queue: null,
  watched: false,
  max_retries: 0,
  sweep: null,
  forked_from: null,
  ...change,
});

describe("the list of runs", () => {
  const runs = [
    run("Alpha", "running"),
    run("Beta", "failed", { seed: 8 }),
    run("Gamma", "done"),
    run("Delta", "unreachable"),
  ];

  it("puts each state into its groups", () => {
    expect(runs.filter((one) => isInGroup(one, "live")).map((one) => one.name)).toEqual(["Alpha", "Delta"]);
    expect(runs.filter((one) => isInGroup(one, "ended")).map((one) => one.name)).toEqual(["Beta", "Gamma"]);
    expect(runs.filter((one) => isInGroup(one, "troubled")).map((one) => one.name)).toEqual([
      "Beta",
      "Delta",
    ]);
  });

  it("finds every word wherever it stands", () => {
    const nameHost = () => "desk-box";
    expect(filterRuns(runs, "all", "desk-box", nameHost)).toHaveLength(4);
    expect(filterRuns(runs, "all", "seed 8", nameHost).map((one) => one.name)).toEqual(["Beta"]);
    expect(filterRuns(runs, "all", "DONE three", nameHost).map((one) => one.name)).toEqual(["Gamma"]);
    expect(filterRuns(runs, "live", "beta", nameHost)).toEqual([]);
    expect(filterRuns(runs, "all", "", nameHost)).toHaveLength(4);
  });
});
