import { generateWorldAround } from "./generate.ts";
import type { Action, Setting, World } from "./types.ts";

/** A path in short: `["rotate right", 90]`, degrees for turns and tilts, metres for moves. */
type Path = readonly (readonly [Action, number])[];

const SAMPLES: readonly { name: string; seed: number; setting: Setting; path: Path }[] = [
  {
    name: "turns",
    seed: 4,
    setting: "room",
    path: [
      ["rotate right", 90],
      ["rotate right", 90],
      ["rotate left", 90],
    ],
  },
  {
    name: "there-and-back",
    seed: 1,
    setting: "street",
    path: [
      ["move forward", 2.5],
      ["move backward", 3.5],
    ],
  },
  {
    name: "sideways",
    seed: 2,
    setting: "room",
    path: [
      ["move left", 1.6],
      ["move right", 3.2],
    ],
  },
  {
    name: "up-and-down",
    seed: 1,
    setting: "courtyard",
    path: [
      ["move upward", 0.8],
      ["tilt downward", 25],
      ["tilt upward", 25],
      ["move downward", 0.8],
    ],
  },
  {
    name: "round-the-corner",
    seed: 3,
    setting: "street",
    path: [
      ["move forward", 2],
      ["rotate left", 90],
      ["move forward", 2],
      ["rotate left", 90],
      ["move forward", 1.5],
    ],
  },
];

/** The worlds of the sample project: between them all ten actions. */
export function listSampleWorlds(): World[] {
  return SAMPLES.map(({ name, seed, setting, path }) =>
    generateWorldAround(
      name,
      seed,
      setting,
      path.map(([action, amount]) => ({ action, amount })),
    ),
  );
}
