import { type Citation, findCitations } from "../perception/citations.ts";
import type { Triple } from "../perception/types.ts";
import { readHeadingPrompt } from "../policies/check-prompt.ts";
import { toStep } from "../policies/heading-prompt.ts";
import type { Trace } from "../traces/types.ts";
import { toMoves } from "../worlds/moves.ts";
import { leaveOut } from "./strikes.ts";

/** What is needed of a trace to find what it cites. */
export type Citing = Pick<Trace, "text" | "prompt" | "struck" | "triples">;

/**
 * The key-frames that a trace cites: by name ("Frame 7"), or, in a tiny policy's chain, by the number of a move, which
 * stands for the key-frame at which that move was made.
 */
export function findCited(trace: Citing): Citation[] {
  const count = Math.max(-1, ...trace.triples.map(({ index }) => index)) + 1;
  const told = readHeadingPrompt(trace.prompt);
  if (told === null) return findCitations(trace.text, count);
  const frames = listMoveFrames(trace);
  const first = frames.length - told.moves.length;
  return [...trace.text.matchAll(/\b(\d+) (?:left|right|around|forward)\b/g)].flatMap((match) => {
    const number = match[1] ?? "";
    const index = frames[first + Number(number) - 1];
    return index === undefined ? [] : [{ from: match.index, to: match.index + number.length, index }];
  });
}

/** For each move of the clip, the last key-frame at which just so many moves had been made. */
function listMoveFrames({ triples, struck }: Citing): number[] {
  const legs = leaveOut(triples, struck).filter(({ index }: Triple) => index > 0);
  const steps = legs.map((leg) => {
    const { motion } = leg as Trace["triples"][number];
    return toStep({ action: leg.action, yaw_deg: motion?.yaw_deg ?? null });
  });
  const frames: number[] = [];
  legs.forEach(({ index }, at) => {
    const made = toMoves(steps.slice(0, at + 1).filter((step) => step !== null)).length;
    if (made > 0) frames[made - 1] = index;
  });
  const all = toMoves(steps.filter((step) => step !== null)).length;
  return frames.slice(0, all);
}
