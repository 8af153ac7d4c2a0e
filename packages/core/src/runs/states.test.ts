import { describe, expect, it } from "vitest";
import { endProblem, isEndState, runState, type StateFacts } from "./index.ts";

const facts = (change: Partial<StateFacts["attempt"]>, rest: Partial<StateFacts> = {}): StateFacts => ({
  attempt: {
    attempt: 1,
    verdict: "running",
    ended: false,
    reason: null,
    exit_code: null,
    signal: null,
    ...change,
  },
  launched: true,
  stop_requested: false,
  ...rest,
});

describe("the state of a run", () => {
  it.each([
    ["launching", facts({ verdict: "starting" }, { launched: false })],
    ["launching", facts({ verdict: "unreachable" }, { launched: false })],
    ["launching", facts({ verdict: "starting" })],
    ["running", facts({})],
    ["running", facts({ verdict: "finished" })],
    ["stalled", facts({ verdict: "stalled" })],
    ["orphaned", facts({ verdict: "orphaned" })],
    ["unreachable", facts({ verdict: "unreachable" })],
    ["unreachable", facts({ verdict: "unreachable" }, { stop_requested: true })],
    ["stopping", facts({}, { stop_requested: true })],
    ["done", facts({ verdict: "finished", ended: true, reason: "done", exit_code: 0 })],
    [
      "done",
      facts({ verdict: "finished", ended: true, reason: "done", exit_code: 0 }, { stop_requested: true }),
    ],
    ["stopped", facts({ verdict: "finished", ended: true, reason: "stopped", exit_code: 75 })],
    ["stopped", facts({ verdict: "killed", ended: true }, { stop_requested: true })],
    ["interrupted", facts({ verdict: "finished", ended: true, reason: "interrupted", exit_code: 75 })],
    [
      "interrupted",
      facts({ verdict: "finished", ended: true, reason: "failed", exit_code: 137, signal: "SIGKILL" }),
    ],
    ["interrupted", facts({ verdict: "killed", ended: true })],
    ["interrupted", facts({ verdict: "interrupted", ended: true })],
    ["failed", facts({ verdict: "finished", ended: true, reason: "failed", exit_code: 71 })],
    [
      "failed",
      facts({ verdict: "finished", ended: true, reason: "failed", exit_code: 72, signal: "SIGKILL" }),
    ],
    ["lost", facts({ verdict: "lost", ended: true })],
  ] as const)("is %s", (state, given) => {
    expect(runState(given)).toBe(state);
  });

  it("ends by nothing but an ended attempt", () => {
    const verdicts = [
      "starting",
      "running",
      "stalled",
      "orphaned",
      "finished",
      "killed",
      "interrupted",
      "lost",
      "unreachable",
    ] as const;
    for (const verdict of verdicts)
      for (const stop_requested of [false, true])
        for (const launched of [false, true])
          expect(isEndState(runState(facts({ verdict }, { stop_requested, launched })))).toBe(false);
  });

  it("says what to do about each class of failure, and nothing where all is well", () => {
    for (const exit_code of [64, 66, 69, 70, 71, 72, 74, 75, 76, 77])
      expect(endProblem({ verdict: "finished", reason: "failed", exit_code, signal: null })).toMatch(
        /\. .+\./,
      );
    expect(endProblem({ verdict: "finished", reason: "done", exit_code: 0, signal: null })).toBeNull();
    expect(endProblem({ verdict: "killed", reason: null, exit_code: null, signal: null })).toMatch(/Resume/);
    expect(endProblem({ verdict: "finished", reason: "failed", exit_code: 3, signal: null })).toMatch(
      /exit code 3/,
    );
  });
});
