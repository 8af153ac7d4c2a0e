/**
 * `pnpm worlds render [--out DIR]` writes the sample clips with their truth beside them;
 * `pnpm worlds render SETTING SEED [--out DIR]` one world of that setting;
 * `pnpm worlds questions [--seed N] [--train N] [--eval N] [--warm N] --out DIR` level-1 questions as the trainer reads them.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { renderVideo } from "../apps/server/src/features/worlds/render-video.ts";
import {
  describeWorld,
  filmSteps,
  generateWorld,
  listSampleWorlds,
  makeHeadingSet,
  SETTINGS,
  type Setting,
  type World,
} from "../packages/core/src/worlds/index.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: "fixtures/worlds" },
    seed: { type: "string", default: "1" },
    train: { type: "string", default: "512" },
    eval: { type: "string", default: "128" },
    warm: { type: "string", default: "400" },
  },
});
const [command, setting, seed] = positionals;

function chooseWorlds(): World[] {
  if (setting === undefined) return listSampleWorlds();
  if (!SETTINGS.includes(setting as Setting) || !/^\d+$/.test(seed ?? "")) {
    console.error(`Give a setting (${SETTINGS.join(", ")}) and a seed: pnpm worlds render room 7`);
    process.exit(2);
  }
  return [generateWorld(Number(seed), setting as Setting, { min_steps: 3, max_steps: 6, moves: "free" })];
}

function writeQuestions(): void {
  const counts = { train: Number(values.train), eval: Number(values.eval), warm: Number(values.warm) };
  const set = makeHeadingSet(Number(values.seed), counts);
  for (const [name, rows] of Object.entries(set))
    writeFileSync(join(values.out, `${name}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

function renderWorlds(): void {
  for (const world of chooseWorlds()) {
    const file = join(values.out, `${world.world_id}.mp4`);
    renderVideo(world, file);
    const truth = { ...world, filmed: filmSteps(world), triples: describeWorld(world) };
    writeFileSync(join(values.out, `${world.world_id}.json`), `${JSON.stringify(truth, null, 1)}\n`);
    console.log(file);
  }
}

mkdirSync(values.out, { recursive: true });
if (command === "render") renderWorlds();
else if (command === "questions") writeQuestions();
else {
  console.error("pnpm worlds render [SETTING SEED] [--out DIR], or pnpm worlds questions --out DIR");
  process.exit(2);
}
