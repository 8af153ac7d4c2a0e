/**
 * `pnpm worlds render [--out DIR]` writes the sample clips with their truth beside them;
 * `pnpm worlds render SETTING SEED [--out DIR]` one world of that setting.
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
  SETTINGS,
  type Setting,
  type World,
} from "../packages/core/src/worlds/index.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string", default: "fixtures/worlds" } },
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

if (command !== "render") {
  console.error("pnpm worlds render [SETTING SEED] [--out DIR]");
  process.exit(2);
}
mkdirSync(values.out, { recursive: true });
for (const world of chooseWorlds()) {
  const file = join(values.out, `${world.world_id}.mp4`);
  renderVideo(world, file);
  const truth = { ...world, filmed: filmSteps(world), triples: describeWorld(world) };
  writeFileSync(join(values.out, `${world.world_id}.json`), `${JSON.stringify(truth, null, 1)}\n`);
  console.log(file);
}
