import { describe, expect, it } from "vitest";
import { parseLine } from "../wire/index.ts";
import { SYNTHETIC_METRICS, syntheticCompletions, syntheticEvents, syntheticTrace } from "./big-run.ts";

describe("synthetic runs", () => {
  it("write what the wire takes, the same for the same seed", () => {
    const events = [...syntheticEvents({ run_id: "s", seed: 1, steps: 30 })];
    const completions = [
      ...syntheticCompletions({ run_id: "s", seed: 1, steps: 3, groups: 2, group_size: 4 }),
    ];
    for (const line of [...events, ...completions])
      expect(parseLine(JSON.stringify(line))).toMatchObject({ kind: "known", notes: [] });
    expect(events.filter(({ type }) => type === "metrics")).toHaveLength(30);
    expect(completions).toHaveLength(24);
    expect(Object.keys(events.find((line) => line.type === "metrics")?.values ?? {})).toEqual([
      ...SYNTHETIC_METRICS,
    ]);
    expect([...syntheticEvents({ run_id: "s", seed: 1, steps: 30 })]).toEqual(events);
    expect([...syntheticEvents({ run_id: "s", seed: 2, steps: 30 })]).not.toEqual(events);
  });

  it("give a trace of any length whose end can be told", () => {
    const text = syntheticTrace(100_000);
    expect(text.length).toBeGreaterThan(100_000);
    expect(text).toMatch(/THE END<\/think>\n<answer>B<\/answer>$/);
  });
});
