import { findClosing, listTrueMoves } from "../links/moments.ts";
import { findCitations } from "../perception/citations.ts";
import type { KnownTriple, TripleFields } from "../perception/types.ts";
import { readHeadingPrompt } from "../policies/check-prompt.ts";
import { describeWorld, filmSteps, type World } from "../worlds/index.ts";
import { findCited } from "./cited.ts";

/** A picture of what a question is about, and what is known of the way to it. */
export type TraceFrame = {
  /** Number of the key-frame, or of the world's pose, from 0. */
  index: number;
  /** Ordinal in the clip; null for a world of which no clip was made. */
  frame: number | null;
  /** From the clip's start, or from that of the clip that a world would give. */
  time_secs: number;
  /** Null where nobody described it. */
  triple: TripleFields | null;
};

/** A place of a text that names a picture. `point` is the number that stands there: of a frame from 0, of a move from 1. */
export type Cite = { from: number; to: number; point: number; index: number };

/** The pictures of a world at its poses, with what is true there. */
export function listWorldFrames(world: World): TraceFrame[] {
  const ends = filmSteps(world).map(({ to_secs }) => to_secs);
  return describeWorld(world).map(({ index, action, change, relevant }) => ({
    index,
    frame: null,
    time_secs: index === 0 ? 0 : (ends[index - 1] ?? 0),
    triple: { action, change, relevant },
  }));
}

/**
 * The pictures that a text names: "Frame 7", or, where the prompt numbers moves, the number of a move, which stands for
 * the picture at which that move had just been made.
 *
 * @param triples  Of the clip's key-frames; null where none were made, then the world's own moves are taken.
 */
export function findCites(
  { text, prompt }: { text: string; prompt: string | null },
  frames: readonly TraceFrame[],
  triples: readonly KnownTriple[] | null,
  world: World | null,
): Cite[] {
  const told = prompt === null ? null : readHeadingPrompt(prompt);
  if (told === null)
    return findCitations(text, frames.length).map(({ from, to, index }) => ({
      from,
      to,
      point: index,
      index,
    }));
  if (world === null || frames.length === 0) {
    if (triples === null) return [];
    return findCited({ text, prompt: prompt ?? "", struck: [], triples: [...triples] }).map(
      ({ from, to, index }) => ({ from, to, point: Number(text.slice(from, to)), index }),
    );
  }
  const moves = listTrueMoves(world, told.moves);
  const moments = frames.map(({ time_secs }) => ({ frame: 0, time_secs }));
  return [...text.matchAll(/\b(\d{1,3}) (?:left|right|around|forward)\b/g)].flatMap((match) => {
    const point = Number(match[1]);
    const move = moves[point - 1];
    if (move === undefined || point > told.moves.length) return [];
    return {
      from: match.index,
      to: match.index + (match[1]?.length ?? 0),
      point,
      index: findClosing(moments, move.to_secs),
    };
  });
}
