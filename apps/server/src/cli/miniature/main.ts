import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { layOutRuns } from "../../features/samples/recorded.ts";
import { answerClips } from "./answer-clips.ts";
import { listCells, nameCell } from "./arms.ts";
import { fillTables, makeTables } from "./guide.ts";
import { lookAtClips, readClipRows } from "./look-at-clips.ts";
import { CLIPS, COMMITTED, readMiniature, writeMiniature } from "./store.ts";
import { type Bench, type Trained, trainCell } from "./train-cell.ts";

const ROOT = join(import.meta.dirname, "../../../../..");
const GUIDE = join(ROOT, "docs/guide/miniature.md");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    work: { type: "string", default: ".sightline/miniature" },
    only: { type: "string", default: "" },
    "at-once": { type: "string", default: "1" },
    trainer: { type: "string", default: join(ROOT, "apps/trainer") },
    help: { type: "boolean", default: false },
  },
});
const fromCaller = (path: string) => resolve(process.env.INIT_CWD ?? process.cwd(), path);

if (values.help) process.stdout.write(readFileSync(join(import.meta.dirname, "help.txt")));
else if (positionals[0] === "table") writeTables();
else if (positionals[0] === "open") openRuns(fromCaller(positionals[1] ?? join(homedir(), ".sightline")));
else await makeMiniature();

async function makeMiniature(): Promise<void> {
  const work = fromCaller(values.work);
  const bench: Bench = {
    python: process.env.SIGHTLINE_TRAINER_PYTHON ?? "python3",
    trainer: fromCaller(values.trainer),
    runs: join(work, "runs"),
  };
  mkdirSync(bench.runs, { recursive: true });
  const trained = await trainAll(bench);
  if (values.only !== "") return;
  const clips = join(work, CLIPS);
  lookAtClips(clips, (done, total) => {
    if (done % 10 === 0) console.log(`clip ${done}/${total}`);
  });
  const rows = readClipRows(clips);
  const answers = trained
    .filter(({ cell }) => cell.arm === "three-stages")
    .map(({ cell, runDir }) => answerClips(bench, runDir, cell.seed, rows));
  writeMiniature(COMMITTED, bench, trained, answers, clips);
  writeTables();
}

/** Trains the cells, as many at once as was asked for. */
async function trainAll(bench: Bench): Promise<Trained[]> {
  const cells = listCells().filter((cell) => nameCell(cell).includes(values.only));
  const trained: Trained[] = [];
  const queue = [...cells.entries()];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, cell] = next;
      const began = performance.now();
      trained[index] = await trainCell(bench, cell);
      console.log(`${nameCell(cell)}: done in ${Math.round((performance.now() - began) / 1000)} s`);
    }
  };
  await Promise.all(Array.from({ length: Number(values["at-once"]) }, work));
  return trained;
}

function writeTables(): void {
  writeFileSync(GUIDE, fillTables(readFileSync(GUIDE, "utf8"), makeTables(readMiniature(COMMITTED))));
  console.log(GUIDE);
}

function openRuns(dataDir: string): void {
  const runs = join(dataDir, "runs");
  mkdirSync(runs, { recursive: true });
  const names = layOutRuns(COMMITTED, runs);
  console.log(
    `${names.length} runs laid out in ${runs}; a server that runs on this folder finds them when it starts.`,
  );
}
