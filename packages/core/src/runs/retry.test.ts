import { EXIT_CODES } from "@sightline/core/wire";
import { describe, expect, it } from "vitest";
import { type Failed, failureClass, planRetry } from "./retry.ts";

const failed = (change: Partial<Failed> = {}): Failed => ({
  verdict: "finished",
  reason: "failed",
  exit_code: null,
  signal: null,
  ...change,
});
const first = (change: Partial<Failed>) => ({ ...failed(change), cause: "person" as const, overrides: {} });
const again = (change: Partial<Failed>, overrides: Record<string, number> = {}) => ({
  ...failed(change),
  cause: "retry" as const,
  overrides,
});

describe("retries by class of failure", () => {
  it.each([
    ["done", failed({ reason: "done", exit_code: 0 }), null],
    ["stopped by a person", failed({ reason: "stopped", exit_code: 75 }), null],
    ["75", failed({ reason: "interrupted", exit_code: 75 }), "interrupted"],
    ["a reboot", failed({ verdict: "interrupted", reason: null }), "interrupted"],
    ["TERM", failed({ signal: "SIGTERM" }), "interrupted"],
    ["143", failed({ exit_code: 143 }), "interrupted"],
    ["SIGKILL", failed({ signal: "SIGKILL" }), "killed"],
    ["137", failed({ exit_code: 137 }), "killed"],
    ["nobody saw it die", failed({ verdict: "killed", reason: null }), "killed"],
    ["killed for memory", failed({ signal: "SIGKILL", exit_code: EXIT_CODES.host_memory }), "host_memory"],
    ["71", failed({ exit_code: 71 }), "gpu_memory"],
    ["76", failed({ exit_code: 76 }), "diverged"],
    ["69", failed({ exit_code: 69 }), "judge_unavailable"],
    ["64", failed({ exit_code: 64 }), "hopeless"],
    ["66", failed({ exit_code: 66 }), "hopeless"],
    ["70", failed({ exit_code: 70 }), "hopeless"],
    ["74", failed({ exit_code: 74 }), "hopeless"],
    ["77", failed({ exit_code: 77 }), "hopeless"],
    ["lost", failed({ verdict: "lost", reason: null }), "hopeless"],
  ])("%s is %s", (_, attempt, found) => {
    expect(failureClass(attempt)).toBe(found);
  });

  it("never tries again by itself what only a person can mend, or where nobody allowed it", () => {
    for (const exit_code of [64, 66, 70, 74, 77]) expect(planRetry([first({ exit_code })], {}, 5)).toBeNull();
    expect(planRetry([first({ exit_code: 75 })], {}, 0)).toBeNull();
    expect(planRetry([], {}, 5)).toBeNull();
  });

  it("goes on after an interruption, waits longer each time, and ends at the limit", () => {
    const stops = (n: number) => [first({ exit_code: 75 }), ...Array(n).fill(again({ exit_code: 75 }))];
    expect([0, 1, 2].map((n) => planRetry(stops(n), {}, 3)?.delay_secs)).toEqual([2, 6, 18]);
    expect(planRetry(stops(3), {}, 3)).toBeNull();
    expect(planRetry([...stops(3), first({ exit_code: 75 })], {}, 3)?.why).toMatch(/attempt 1 of at most 3/);
  });

  it("takes a smaller micro-batch after a kill once, after the GPU's memory twice, while it can be halved", () => {
    const killed = planRetry([first({ signal: "SIGKILL" })], { micro_batch: 32 }, 5);
    expect(killed?.overrides).toEqual({ micro_batch: 16 });
    expect(planRetry([first({ signal: "SIGKILL" }), again({ signal: "SIGKILL" })], {}, 5)).toBeNull();
    const small = [first({ exit_code: 71 }), again({ exit_code: 71 }, { micro_batch: 8 })];
    expect(planRetry(small, { micro_batch: 16 }, 5)?.overrides).toEqual({ micro_batch: 4 });
    expect(planRetry([...small, again({ exit_code: 71 }, { micro_batch: 4 })], {}, 5)).toBeNull();
    expect(planRetry([first({ exit_code: 71 })], { micro_batch: 1 }, 5)).toBeNull();
    expect(planRetry([first({ signal: "SIGKILL" })], { micro_batch: 1 }, 5)?.overrides).toEqual({});
  });

  it("halves the learning rate once after a loss that is no number, and keeps what was eased before", () => {
    const attempts = [first({ exit_code: 71 }), again({ exit_code: 76 }, { micro_batch: 8 })];
    expect(planRetry(attempts, { learning_rate: 0.001 }, 5)?.overrides).toEqual({
      micro_batch: 8,
      learning_rate: 0.0005,
    });
    expect(planRetry([first({ exit_code: 76 }), again({ exit_code: 76 })], {}, 5)).toBeNull();
  });
});
