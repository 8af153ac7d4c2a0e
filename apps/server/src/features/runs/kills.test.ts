import { expect, it } from "vitest";
import { killRound, VICTIM_SETS } from "./testing/kill-round.ts";

/** The short form of `pnpm soak kills`. */
it.each([
  ["server", 0, 900],
  ["supervisor", 1, 1200],
  ["trainer", 2, 1500],
  ["server and trainer", 4, 1700],
  ["supervisor and trainer", 5, 1300],
])(
  "nothing is lost, doubled or left behind when SIGKILL takes %s",
  async (_, set, at_ms) => {
    const victims = VICTIM_SETS[set] ?? [];
    const { faults } = await killRound({
      victims,
      at_ms,
      from: "start",
      down_ms: 200,
      steps: 40,
      steps_per_sec: 20,
    });
    expect(faults).toEqual([]);
  },
  120_000,
);
