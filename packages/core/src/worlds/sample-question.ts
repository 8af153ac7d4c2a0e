import { applyMove, formatTinyChain, formatTinyPrompt, toHeadingLetter, toMoves } from "./moves.ts";
import { toHeading } from "./path.ts";
import type { TrainingRow } from "./training-set.ts";
import { HEADINGS, type World } from "./types.ts";

/**
 * The heading question of a filmed world, with its moves as a perceiver would tell them: turns that follow each other
 * added up.
 *
 * @param clip_id  SHA-256 of the clip that shows it.
 */
export function toSampleRow(world: World, clip_id: string): TrainingRow {
  const start = toHeading(world.poses[0]?.heading_deg ?? 0);
  const moves = toMoves(world.steps);
  return {
    question_id: `sample/${world.world_id}`,
    clip_id,
    task: "heading",
    prompt: formatTinyPrompt(start, moves),
    question: "heading ?",
    options: [...HEADINGS],
    gold: toHeadingLetter(moves.reduce(applyMove, start)),
    kind: "choice",
    chain: formatTinyChain(start, moves),
  };
}
