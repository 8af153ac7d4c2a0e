/**
 * K5: geometry's word on the action between key-frames, on rendered worlds whose motion is known. `pnpm bench keyframes`.
 *
 * Every world is looked at as the product does it: a frame a second, the extractor's own key-frames and features, field of
 * view not told. Half of the worlds walk freely, the other half take one action there and back, so that all ten are asked.
 */
import {
  createExtractor,
  type Extractor,
  type FrameFeatures,
  SIGHTLINE_SETTINGS,
} from "../src/keyframes/index.ts";
import { describeMotions, type Motion } from "../src/motion/index.ts";
import { filmWorld, selectOfWorld } from "../src/testing/index.ts";
import {
  ACTIONS,
  type Action,
  generateWorld,
  generateWorldAround,
  listSampleWorlds,
  SETTINGS,
  type World,
} from "../src/worlds/index.ts";
import { getTrueMotion, type TrueMotion } from "./lib/motion-truth.ts";

const SIZE = { width: 384, height: 288 };
const FREE_WORLDS = 10;
const TARGET_RIGHT = 0.95;
const TARGET_UNCLEAR = 0.15;
/** Amounts of the worlds that go there and back: metres, or degrees. */
const AMOUNTS: Record<string, number> = { move: 2, lift: 0.7, rotate: 120, tilt: 35 };
const OPPOSITES: readonly (readonly [Action, Action, keyof typeof AMOUNTS])[] = [
  ["move forward", "move backward", "move"],
  ["move left", "move right", "move"],
  ["move upward", "move downward", "lift"],
  ["rotate left", "rotate right", "rotate"],
  ["tilt upward", "tilt downward", "tilt"],
];

type Judged = { truth: TrueMotion; said: Motion };

function listWorlds(): World[] {
  const worlds = listSampleWorlds();
  for (const setting of SETTINGS) {
    for (let seed = 101; seed < 101 + FREE_WORLDS; seed += 1)
      worlds.push(generateWorld(seed, setting, { min_steps: 4, max_steps: 6, moves: "free" }));
    for (const [there, back, kind] of OPPOSITES) {
      const amount = AMOUNTS[kind] as number;
      for (const [first, second] of [
        [there, back],
        [back, there],
      ] as const) {
        const path = [
          { action: first, amount },
          { action: second, amount },
        ];
        worlds.push(generateWorldAround(`bench-${first.replace(" ", "-")}`, 101, setting, path));
      }
    }
  }
  return worlds;
}

const lookAt = (world: World, extractor: Extractor): FrameFeatures[] =>
  filmWorld(world, SIZE).map((plane) => extractor.describe(plane));

function judge(world: World, frames: FrameFeatures[]): Judged[] {
  const selection = selectOfWorld(world, frames);
  const kept = selection.decisions.filter((decision) => decision.kept);
  return describeMotions(selection, frames, null).flatMap((said, k) => {
    const [from, to] = [kept[k - 1], kept[k]];
    if (said === null || from === undefined || to === undefined) return [];
    return [{ said, truth: getTrueMotion(world, from.time_secs, to.time_secs) }];
  });
}

function printConfusion(judged: readonly Judged[]): void {
  const said = [...ACTIONS, "unclear"] as const;
  console.log(`\n| happened ↓ said → | ${said.join(" | ")} |`);
  console.log(`|---${"|---".repeat(said.length)}|`);
  for (const truth of [...ACTIONS, null]) {
    const row = judged.filter((one) => one.truth.action === truth);
    const counts = said.map((action) => row.filter((one) => one.said.action === action).length || "");
    console.log(`| ${truth ?? "nothing"} | ${counts.join(" | ")} |`);
  }
}

/** How often a word of each stated confidence is right. */
function printCalibration(judged: readonly Judged[]): void {
  console.log("\n| stated confidence | words | right |\n|---|---|---|");
  const stated = [...new Set(judged.flatMap(({ said }) => said.confidence ?? []))].sort((a, b) => b - a);
  for (const confidence of stated) {
    const words = judged.filter(({ said }) => said.confidence === confidence);
    const right = words.filter(isRight).length;
    console.log(`| ${confidence} | ${words.length} | ${(right / words.length).toFixed(3)} |`);
  }
}

const isRight = ({ said, truth }: Judged) => said.action === truth.action;

function listYawErrors(judged: readonly Judged[]): number[] {
  const errors = judged.flatMap(({ said, truth }) =>
    said.yaw_deg === null ? [] : [Math.abs(said.yaw_deg - truth.yaw_deg)],
  );
  return errors.sort((a, b) => a - b);
}

const extractor = createExtractor(null, SIGHTLINE_SETTINGS);
const worlds = listWorlds();
const perWorld = worlds.map((world) => judge(world, lookAt(world, extractor)));

const judged = perWorld.flat();
const moved = judged.filter(({ truth }) => truth.action !== null);
const named = judged.filter(({ said }) => said.action !== "unclear");
const value = named.filter(isRight).length / named.length;
const unclear = moved.filter(({ said }) => said.action === "unclear").length / moved.length;
const errors = listYawErrors(judged);
const quantile = (share: number) => errors[Math.floor(share * (errors.length - 1))]?.toFixed(2);
const headings = perWorld.filter((steps) => {
  const sum = steps.reduce((total, { said, truth }) => total + (said.yaw_deg ?? 999) - truth.yaw_deg, 0);
  return Math.abs(sum) < 45;
}).length;
console.log(
  JSON.stringify({
    id: "K5",
    value,
    unit: "ratio",
    target: `>= ${TARGET_RIGHT}, unclear <= ${TARGET_UNCLEAR}`,
    ok: value >= TARGET_RIGHT && unclear <= TARGET_UNCLEAR,
    runs: 1,
    spread: [value, value],
    unclear,
    with:
      `${worlds.length} worlds, ${judged.length} steps between key-frames; turn off by ${quantile(0.5)}° (median), ` +
      `${quantile(0.95)}° (95 %); final heading right to a quarter in ${headings} of ${worlds.length}`,
  }),
);
printConfusion(judged);
printCalibration(judged);
