import { expect, it } from "vitest";
import { whyNoSshd } from "../../executors/testing/sshd.ts";
import { killRound, type Victim } from "./testing/kill-round.ts";

const why = whyNoSshd();
if (why !== null) console.warn(`On this machine alone: ${why}`);

/** The short form of `pnpm soak kills`. */
it.each<[victims: Victim[], host: "local" | "ssh", at_ms: number, down_ms: number]>([
  [["server"], "local", 900, 200],
  [["supervisor"], "ssh", 1200, 200],
  [["server", "trainer"], "local", 1700, 200],
  [["link", "trainer"], "ssh", 1500, 800],
  [["server", "link"], "ssh", 1300, 701],
])(
  "nothing is lost, doubled or left behind when SIGKILL takes %s (%s)",
  async (victims, host, at_ms, down_ms) => {
    const { faults } = await killRound({
      host: why === null ? host : "local",
      engine: { kind: "simulator", steps_per_sec: 20 },
      victims: why === null ? victims : victims.filter((victim) => victim !== "link"),
      at_ms,
      from: "start",
      down_ms,
      steps: 40,
    });
    expect(faults).toEqual([]);
  },
  400_000,
);
