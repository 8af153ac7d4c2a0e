import { POINT } from "@sightline/ui/curve";
import { describe, expect, it } from "vitest";
import { drawOverlay } from "./overlay.ts";

const run = (run_id: string) => ({ run_id, name: `run ${run_id}` });

describe("drawOverlay", () => {
  it("tells eight runs apart and draws further ones quietly", () => {
    const runs = Array.from({ length: 10 }, (_, k) => run(`r${k}`));
    const lines = runs.map(({ run_id }) => ({
      run_id,
      name: "loss",
      steps: [1, 2],
      values: [0.5, "NaN" as const],
    }));
    const drawn = drawOverlay(lines, runs, ["loss"], "step");
    expect(drawn.map(({ is_quiet }) => is_quiet)).toEqual([...Array(8).fill(false), true, true]);
    expect(new Set(drawn.slice(0, 8).map(({ color }) => color)).size).toBe(8);
    expect([...(drawn[0]?.values ?? [])]).toEqual([0.5, Number.NaN]);
  });

  it("leaves a gap where a reward part was not measured, and marks a loss that is no number", () => {
    const both = ["rewards/consistency/mean", "loss"].map((name) => ({
      run_id: "a",
      name,
      steps: [1, 2],
      values: [0.5, "NaN" as const],
    }));
    const [part, loss] = drawOverlay(both, [run("a")], ["rewards/consistency/mean", "loss"], "step");
    expect([...(part?.flags ?? [])]).toEqual([0, POINT.missing]);
    expect(loss?.flags).toBeUndefined();
  });

  it("B36: averages another run's means, not the extremes that are drawn of it", () => {
    const line = { run_id: "a", name: "loss", steps: [1, 8, 9, 16], values: [0, 8, 0, 0] };
    const basis = { steps: [4.5, 12.5], means: [1, 0], counts: [8, 8] };
    const [drawn] = drawOverlay([{ ...line, basis }], [run("a")], ["loss"], "step");
    expect(drawn?.basis).toEqual({
      x: Float64Array.from([4.5, 12.5]),
      values: Float64Array.from([1, 0]),
      counts: Float64Array.from([8, 8]),
    });
    expect(drawOverlay([line], [run("a")], ["loss"], "step")[0]?.basis).toBeUndefined();
  });

  it("puts each run on its own clock, and leaves out one that has none", () => {
    const lines = [
      { run_id: "a", name: "loss", steps: [1, 3], values: [1, 2] },
      { run_id: "a", name: "num_tokens", steps: [1, 2, 3], values: [100, 250, 300] },
      { run_id: "b", name: "loss", steps: [1, 3], values: [1, 2] },
    ];
    const drawn = drawOverlay(lines, [run("a"), run("b")], ["loss"], "tokens");
    expect(drawn.map(({ id, x }) => [id, [...x]])).toEqual([["a loss", [100, 300]]]);
  });

  it("puts a run that was resumed on the clock of each of its attempts", () => {
    const lines = [
      { run_id: "a", name: "loss", steps: [1, 2], values: [4, 3] },
      { run_id: "a", name: "loss", steps: [3, 4], values: [2, 1] },
      { run_id: "a", name: "clock/time_secs", steps: [1, 2], values: [1000, 1010] },
      { run_id: "a", name: "clock/time_secs", steps: [3, 4], values: [8000, 8010] },
    ];
    const [drawn] = drawOverlay(lines, [run("a")], ["loss"], "time");
    expect([...(drawn?.x ?? [])]).toEqual([0, 10, 7000, 7010]);
  });
});
