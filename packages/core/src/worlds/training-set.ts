import { generateWorld } from "./generate.ts";
import { applyMove, formatTinyChain, formatTinyPrompt, type Move, toHeadingLetter } from "./moves.ts";
import { toHeading } from "./path.ts";
import { createRandom } from "./random.ts";
import { toSampleRow } from "./sample-question.ts";
import { listSampleWorlds } from "./samples.ts";
import { HEADINGS, type Setting, type World } from "./types.ts";

/** One line of a run's `data/*.jsonl`, as the trainer reads it. */
export type TrainingRow = {
  question_id: string;
  clip_id: string | null;
  task: string;
  /** Everything that the policy reads. */
  prompt: string;
  /** Question alone: what the judge reads. */
  question: string;
  options: string[];
  gold: string;
  kind: "choice" | "number";
  /** A chain of reasoning without error, where one is known. */
  chain: string | null;
  /** Files of key frames, for a policy that sees them; paths on the host that trains. */
  frames?: string[];
};

/** Training, held-out and warm-start questions of level 1. */
export type HeadingSet = { train: TrainingRow[]; eval: TrainingRow[]; warm: TrainingRow[] };

/** One move a step: level 1 numbers every turn, it does not add them up as `toMoves` does. */
function listMoves(world: World): Move[] {
  return world.steps.map((step) => {
    if (step.action === "rotate left") return "left";
    if (step.action === "rotate right") return step.amount === 180 ? "around" : "right";
    return "forward";
  });
}

/** The level-1 row of a world whose steps are quarter turns and walks. */
export function toHeadingRow(world: World): TrainingRow {
  const start = toHeading(world.poses[0]?.heading_deg ?? 0);
  const moves = listMoves(world);
  return {
    question_id: world.world_id,
    clip_id: null,
    task: "heading",
    prompt: formatTinyPrompt(start, moves),
    question: "heading ?",
    options: [...HEADINGS],
    gold: toHeadingLetter(moves.reduce(applyMove, start)),
    kind: "choice",
    chain: formatTinyChain(start, moves),
  };
}

/**
 * Draws level-1 questions of 1 to 5 moves without doubles: no prompt stands in two of the three sets, and none is that
 * of a sample clip, which every evaluation asks besides.
 *
 * @param counts  Numbers of questions; short prompts run out first, and there are a few thousand long ones.
 * @throws RangeError when more are asked for than there are.
 */
export function makeHeadingSet(
  seed: number,
  counts: { train: number; eval: number; warm: number },
  setting: Setting = "room",
): HeadingSet {
  const wanted = counts.train + counts.eval + counts.warm;
  const asked = new Set(listSampleWorlds().map((world) => toSampleRow(world, "").prompt));
  const rows = new Map<string, TrainingRow>();
  for (let draw = 0; rows.size < wanted; draw += 1) {
    if (draw > 40 * wanted)
      throw new RangeError(`only ${rows.size} different level-1 questions, ${wanted} asked for`);
    const world = generateWorld(seed * 1_000_003 + draw, setting, {
      min_steps: 1,
      max_steps: 5,
      moves: "quarter",
    });
    const row = toHeadingRow(world);
    if (!rows.has(row.prompt) && !asked.has(row.prompt)) rows.set(row.prompt, row);
  }
  // Short prompts are drawn early, since they run out: shuffled, each set has its share of them.
  const all = createRandom(`heading-set-${seed}`).shuffle([...rows.values()]);
  return {
    train: all.slice(0, counts.train),
    eval: all.slice(counts.train, counts.train + counts.eval),
    warm: all.slice(counts.train + counts.eval),
  };
}
