import { applyMove, formatTinyPrompt, type Move, toHeadingLetter, toMoves } from "../worlds/moves.ts";
import { type Action, HEADINGS, type Heading, type Step } from "../worlds/types.ts";
import { getMoveRange } from "./check-prompt.ts";
import type { PolicyCard } from "./types.ts";

/** What is known of the way from one key-frame to the next: a triple's action, and geometry's turn, right positive. */
export type Leg = { action: Action | "unclear" | null; yaw_deg: number | null };

/** The heading question of a clip, as a tiny policy reads it. */
export type HeadingQuestion = {
  prompt: string;
  /** What the judge reads. */
  question: string;
  options: string[];
  /** Heading at the first move of the prompt; at the clip's start it is `from`. */
  start: Heading;
  /** The moves that the prompt tells. */
  moves: Move[];
  /** Earlier moves that were added up into `start`, because the policy can't read so many. */
  added_up: Move[];
  /** Indices of legs that count as no turn, because nothing says what happened there. */
  unclear: number[];
  /** The letter that follows from these moves by rule. */
  gold: string;
};

/**
 * Puts a clip's way into the tiny policy's words: turns that follow each other are added up and rounded to quarters.
 *
 * More moves than the policy has learned are added up into the starting heading, all but the last ones; fewer are
 * filled up with `forward`, which turns nothing.
 *
 * @param legs  One for each key-frame but the first, in order; struck ones left out.
 * @param from  What the direction at the clip's start is called.
 * @returns The question, or why there is none.
 */
export function toHeadingQuestion(
  card: PolicyCard,
  legs: readonly Leg[],
  from: Heading = "north",
): { question: HeadingQuestion; reason: null } | { question: null; reason: string } {
  const range = getMoveRange(card);
  if (range === null) return { question: null, reason: "This policy has not learned to tell a heading." };
  const [fewest, most] = range;
  const unclear: number[] = [];
  const steps = legs.flatMap((leg, index): Step[] => {
    const step = toStep(leg);
    if (step === null) unclear.push(index);
    return step ? [step] : [];
  });
  if (steps.length === 0)
    return {
      question: null,
      reason: "No action of this clip is clear, so nothing can be said of its heading.",
    };
  const all = toMoves(steps);
  const added_up = all.slice(0, Math.max(0, all.length - most));
  const told = all.slice(added_up.length);
  const moves = [...Array<Move>(Math.max(0, fewest - told.length)).fill("forward"), ...told];
  const start = added_up.reduce(applyMove, from);
  const gold = toHeadingLetter(moves.reduce(applyMove, start));
  return {
    question: {
      prompt: formatTinyPrompt(start, moves),
      question: "heading ?",
      options: [...HEADINGS],
      start,
      moves,
      added_up,
      unclear,
      gold,
    },
    reason: null,
  };
}

/**
 * A leg as a step of a path; null where a turn has no amount or no action is known. An unclear action, such as a walk
 * that ends in a turn, may still hold a turn that is known.
 */
export function toStep({ action, yaw_deg }: Leg): Step | null {
  if (action === null) return null;
  if (action === "unclear")
    return yaw_deg === null
      ? null
      : { action: yaw_deg < 0 ? "rotate left" : "rotate right", amount: Math.abs(yaw_deg) };
  if (action !== "rotate left" && action !== "rotate right") return { action, amount: 0 };
  return yaw_deg === null ? null : { action, amount: Math.abs(yaw_deg) };
}
