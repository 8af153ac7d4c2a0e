import { toHeading, wrapSigned } from "./path.ts";
import { HEADINGS, type Heading, type Step } from "./types.ts";

/** A move in the words of the tiny policy. */
export const MOVES = ["left", "right", "around", "forward"] as const;
export type Move = (typeof MOVES)[number];

/**
 * Puts a path into the tiny policy's four words.
 *
 * Turns that follow each other are added up and rounded to quarters, so that a slow turn over several key-frames is
 * one move; a turn of less than 45 degrees in all is none. Tilts and lifts don't change the heading and are left out;
 * walks that follow each other are one `forward`, whatever their direction, because only the heading is asked for.
 */
export function toMoves(steps: readonly Step[]): Move[] {
  const moves: Move[] = [];
  let turned = 0;
  const flush = () => {
    const quarters = Math.round(wrapSigned(turned) / 90);
    turned = 0;
    if (quarters === 1) moves.push("right");
    else if (quarters === -1) moves.push("left");
    else if (Math.abs(quarters) === 2) moves.push("around");
  };
  for (const step of steps) {
    if (step.action === "rotate left") turned -= step.amount;
    else if (step.action === "rotate right") turned += step.amount;
    else if (step.action.startsWith("move") && !/upward|downward/.test(step.action)) {
      flush();
      if (moves.at(-1) !== "forward") moves.push("forward");
    }
  }
  flush();
  return moves;
}

/** The heading after one move. */
export function applyMove(heading: Heading, move: Move): Heading {
  const quarters = { left: 3, right: 1, around: 2, forward: 0 }[move];
  return toHeading(90 * (HEADINGS.indexOf(heading) + quarters));
}

/** The prompt of the tiny policy: `start north 1 left 2 forward heading ?`. */
export function formatTinyPrompt(start: Heading, moves: readonly Move[]): string {
  return `start ${start} ${moves.map((move, index) => `${index + 1} ${move}`).join(" ")} heading ?`;
}

/** The chain that answers it without error: `1 left west 2 forward west`. */
export function formatTinyChain(start: Heading, moves: readonly Move[]): string {
  let heading = start;
  return moves
    .map((move, index) => {
      heading = applyMove(heading, move);
      return `${index + 1} ${move} ${heading}`;
    })
    .join(" ");
}

/** The letter of a heading in the fixed order of level 1. */
export function toHeadingLetter(heading: Heading): string {
  return "ABCD".charAt(HEADINGS.indexOf(heading));
}
