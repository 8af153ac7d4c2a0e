import {
  createRandom,
  generateWorld,
  type PathOptions,
  type TrainingRow,
  toHeadingRow,
  type World,
} from "@sightline/core/worlds";

/** Task names of the held-out questions: of the lengths that are trained on, and of longer ones. */
export const IN = "heading";
export const OUT = "heading_longer";

const COUNTS = { train: 512, held_out: 192, warm: 400, warm_longer: 160 };
const SHORT: PathOptions = { min_steps: 1, max_steps: 5, moves: "quarter" };
const LONG: PathOptions = { min_steps: 6, max_steps: 8, moves: "quarter" };

/**
 * The questions of one seed: headings after 1 to 5 moves for training; after 6 to 8 moves to see what carries over.
 *
 * The warm start, which stands for the pre-training of a real policy, has seen both. No prompt stands in two files.
 * Chains end in `so <heading>`, so that there is a stated conclusion for the letter-stripped judge to take out.
 */
export function makeQuestions(seed: number): Record<string, string> {
  const short = drawRows(seed, SHORT, COUNTS.train + COUNTS.held_out + COUNTS.warm);
  const long = drawRows(seed, LONG, COUNTS.held_out + COUNTS.warm_longer).map((row) => ({
    ...row,
    task: OUT,
  }));
  const held = short.slice(COUNTS.train, COUNTS.train + COUNTS.held_out);
  return {
    "train.jsonl": toLines(short.slice(0, COUNTS.train)),
    "eval.jsonl": toLines([...held, ...long.slice(0, COUNTS.held_out)]),
    "warm.jsonl": toLines([...short.slice(COUNTS.train + COUNTS.held_out), ...long.slice(COUNTS.held_out)]),
  };
}

function drawRows(seed: number, path: PathOptions, wanted: number): TrainingRow[] {
  const rows = new Map<string, TrainingRow>();
  for (let draw = 0; rows.size < wanted; draw += 1) {
    if (draw > 40 * wanted) throw new RangeError(`only ${rows.size} of ${wanted} different questions`);
    const row = withConclusion(generateWorld(seed * 1_000_003 + draw, "room", path));
    if (!rows.has(row.prompt)) rows.set(row.prompt, row);
  }
  return createRandom(`miniature-${seed}-${path.max_steps}`).shuffle([...rows.values()]);
}

function withConclusion(world: World): TrainingRow {
  const row = toHeadingRow(world);
  return { ...row, chain: `${row.chain} so ${row.options["ABCD".indexOf(row.gold)]}` };
}

const toLines = (rows: readonly TrainingRow[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
