import type { Motion } from "../motion/types.ts";
import { ACTIONS, type Action } from "../worlds/types.ts";
import type { Triple, TripleProblem } from "./types.ts";

/**
 * True when the pictures speak for another action than the one that was stated. Where either is unclear, nothing
 * contradicts.
 */
export function contradictsGeometry(action: Triple["action"], motion: Motion | null): boolean {
  if (action === null || action === "unclear" || motion === null || motion.action === "unclear") return false;
  return action !== motion.action;
}

/** What stands out about a perceiver on one clip. */
export type TripleTally = {
  /** Triples after the first: those that have an action to name. */
  steps: number;
  /** Steps by action, commonest first; "unclear" and "none" among them where they occur. */
  actions: { action: Action | "unclear" | "none"; count: number }[];
  /** Triples that name an option or an answer, and of how many. */
  leaks: number;
  triples: number;
  /** Steps whose action the pictures contradict, of those where both are sure. */
  contradictions: number;
  compared: number;
};

type Tallied = Pick<Triple, "index" | "action" | "problems"> & { motion: Motion | null };

/** Counts actions, leaks and contradictions over the triples of one or more clips. */
export function tallyTriples(triples: readonly Tallied[]): TripleTally {
  const steps = triples.filter(({ index }) => index > 0);
  const counts = new Map<Action | "unclear" | "none", number>();
  for (const { action } of steps) counts.set(action ?? "none", (counts.get(action ?? "none") ?? 0) + 1);
  const order = [...ACTIONS, "unclear", "none"] as const;
  const isSure = (action: Triple["action"] | undefined) => action != null && action !== "unclear";
  return {
    steps: steps.length,
    actions: order
      .flatMap((action) => {
        const count = counts.get(action);
        return count === undefined ? [] : [{ action, count }];
      })
      .sort((a, b) => b.count - a.count),
    leaks: triples.filter(({ problems }) => problems.includes("leaked_answer")).length,
    triples: triples.length,
    contradictions: steps.filter(({ action, motion }) => contradictsGeometry(action, motion)).length,
    compared: steps.filter(({ action, motion }) => isSure(action) && isSure(motion?.action)).length,
  };
}

const WORDS: Record<TripleProblem, string> = {
  unplaced: "The answer has no three points; it stands as it was given.",
  no_action: "No action was named.",
  unknown_action: "The action is none of the ten.",
  several_actions: "More than one action was named; the first of them counts.",
  no_change: "Nothing was said of what changed.",
  no_relevant: "Nothing was said of what matters to the question.",
  leaked_answer: "It names an option or an answer, which it was told not to.",
  contradicts_geometry: "The pictures speak for another action.",
};

/** A problem in a sentence. */
export const explainProblem = (problem: TripleProblem): string => WORDS[problem];
